package import AtollEventLoop
import AtollPresence
internal import AtollReplication
internal import AtollStorage
internal import AtollTransport
internal import AtollVocabulary
internal import AtollWire
package import CoreMetrics
package import Logging

/// Serves stores: exchanges with peers, and wakes the processes that have the files open.
///
/// Isolated to an event loop of its own. Each store has a ``Hub`` here and a writer thread.
package actor Node {
  package nonisolated let configuration: NodeConfiguration
  /// The address at which the node listens, with the port it got; nil before ``start()`` or without
  /// a listener.
  package private(set) var listening: SocketAddress?

  private let logger: Logger
  let metrics: any MetricsFactory
  /// Those that are connected to, as of the last change.
  var peers: [Endpoint]
  nonisolated let loop: EventLoop
  private let compression = Compression()
  private var security = LinkSecurity(.automatic, nil)
  var services: [StoreService] = []
  var hubs: [Hub] = []
  /// Stores that the last change of the settings could not open, with the reasons.
  var notOpened: [String: String] = [:]
  var reception: Reception?
  /// Stores that are being closed, and what happens when none is left.
  var servicesLeft = 0
  /// Called when the one store that a change closes is closed.
  var ending: (() -> Void)?
  var onServicesEnded: (() -> Void)?

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// Makes the node's event loop; nothing is opened before ``start()``.
  ///
  /// The metrics go to `metrics`, by default to the application's own where one embeds the node.
  ///
  /// - Throws: `EventLoopError` when the system has no descriptors or threads left.
  package init(
    _ configuration: NodeConfiguration, logger: Logger,
    metrics: any MetricsFactory = MetricsSystem.factory
  ) throws(EventLoopError) {
    self.configuration = configuration
    self.logger = logger
    self.metrics = metrics
    peers = configuration.peers
    loop = try EventLoop(name: "atoll-node")
  }

  /// Opens the stores, listens, and begins to connect.
  ///
  /// - Throws: `NodeError` when a store is served already or cannot be opened, or the address
  ///   cannot be listened on; everything is closed again then.
  package func start() async throws(NodeError) {
    do {
      try await open()
    } catch {
      await stop()
      throw error
    }
  }

  private func open() async throws(NodeError) {
    let stores = configuration.stores.map(StorePaths.init)
    for (index, paths) in stores.enumerated() where stores[..<index].contains(paths) {
      throw .storeTwice(paths.store)
    }
    security = try makeSecurity()
    let address = try listeningAddress()
    var opened: [StoreService.Opened] = []
    for paths in stores { opened.append(try await open(paths)) }
    if let address { try listen(on: address) }
    for (service, facts) in zip(services, opened) { serve(service, facts) }
    reception?.open(to: hubs)
  }

  /// Makes the hub of a store that is open, and starts it.
  func serve(_ service: StoreService, _ opened: StoreService.Opened) {
    var configuration = configuration
    configuration.peers = peers
    let hub = Hub(
      service: service, opened: opened, configuration: configuration, memory: memoryOfOne,
      listening: listening,
      security: security, loop: loop, compression: compression, logger: logger,
      metrics: source(for: service.paths))
    hubs.append(hub)
    hub.start(opened)
  }

  /// The part of the memory for peers that each store's peers get.
  var memoryOfOne: ExchangeMemory {
    ExchangeMemory(
      totalBytes: configuration.memoryBytes / max(1, services.count),
      peerBytes: configuration.peerMemoryBytes)
  }

  private func source(for paths: StorePaths) -> MetricSource {
    MetricSource(metrics, labels: [("store", paths.store)])
  }

  /// Reads the node's key, or makes it; the loop has nothing else to do yet.
  private func makeSecurity() throws(NodeError) -> LinkSecurity {
    guard let path = configuration.identityFile else {
      return LinkSecurity(configuration.protection, nil)
    }
    let credentials = try IdentityFile(path).open()
    var authority: [UInt8]?
    if let path = configuration.authorityFile {
      authority = try IdentityFile(path).readCertificates()
    }
    do throws(TransportError) {
      return LinkSecurity(
        configuration.protection, try TLSContext(credentials, authority: authority))
    } catch {
      throw .transport(error)
    }
  }

  private func listeningAddress() throws(NodeError) -> SocketAddress? {
    do throws(TransportError) {
      return try configuration.listen?.listeningAddress()
    } catch {
      throw .transport(error)
    }
  }

  /// Opens a store; its service is the last of ``services`` then.
  func open(_ paths: StorePaths) async throws(NodeError) -> StoreService.Opened {
    let options = StoreOptions(
      storeID: configuration.storeID, isOwned: true, mayCreate: configuration.mayCreate,
      holderName: configuration.agent, wallClock: configuration.wallClock,
      disk: configuration.disk)
    let (service, opened) = try await StoreService.open(
      paths, options: options, truncationAge: configuration.truncationAge,
      metrics: source(for: paths)
    ) { [weak self, loop] reports in
      loop.perform { [weak self] in self?.assumeIsolated { $0.take(reports, for: paths) } }
    }
    services.append(service)
    return opened
  }

  private func take(_ reports: [StoreService.Report], for paths: StorePaths) {
    hubs.first { $0.paths == paths }?.take(reports)
  }

  private func listen(on address: SocketAddress) throws(NodeError) {
    let context: TLSContext?
    do throws(TransportError) {
      context = try security.context(for: address)
    } catch {
      throw .transport(error)
    }
    do throws(EventLoopError) {
      let reception = try Reception(
        address: address, inherited: configuration.inheritedListener, security: security,
        context: context, loop: loop, compression: compression, logger: logger)
      self.reception = reception
      listening = reception.address
      logger.info("listening", metadata: ["address": "\(reception.address ?? address)"])
    } catch {
      throw .system(error)
    }
  }
}
