package import AtollEventLoop
internal import AtollStorage
internal import AtollTransport
internal import AtollVocabulary
internal import AtollWire
package import Logging

/// Serves stores: exchanges with peers, and wakes the processes that have the files open.
///
/// Isolated to an event loop of its own. Each store has a ``Hub`` here and a writer thread.
package actor Node {
  package nonisolated let configuration: NodeConfiguration
  /// Where the node listens, with the port it got; nil before ``start()`` or without a listener.
  package private(set) var listening: SocketAddress?

  private let logger: Logger
  let loop: EventLoop
  private let compression = Compression()
  var services: [StoreService] = []
  var hubs: [Hub] = []
  var reception: Reception?
  /// Stores that are being closed, and what happens when none is left.
  var servicesLeft = 0
  var onServicesEnded: (() -> Void)?

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// Makes the node's event loop; nothing is opened before ``start()``.
  ///
  /// - Throws: `EventLoopError` when the system has no descriptors or threads left.
  package init(_ configuration: NodeConfiguration, logger: Logger) throws(EventLoopError) {
    self.configuration = configuration
    self.logger = logger
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
    let address = try listeningAddress()
    var opened: [StoreService.Opened] = []
    for (index, paths) in stores.enumerated() {
      let (service, facts) = try await open(paths, index)
      services.append(service)
      opened.append(facts)
    }
    if let address { try listen(on: address) }
    for (service, facts) in zip(services, opened) {
      hubs.append(
        Hub(
          service: service, opened: facts, configuration: configuration, listening: listening,
          loop: loop, compression: compression, logger: logger))
    }
    for (hub, facts) in zip(hubs, opened) { hub.start(facts) }
    reception?.open(to: hubs)
  }

  private func listeningAddress() throws(NodeError) -> SocketAddress? {
    do throws(TransportError) {
      return try configuration.listen?.listeningAddress()
    } catch {
      throw .transport(error)
    }
  }

  private func open(
    _ paths: StorePaths, _ index: Int
  ) async throws(NodeError) -> (StoreService, StoreService.Opened) {
    let options = StoreOptions(
      storeID: configuration.storeID, mayCreate: configuration.mayCreate,
      holderName: configuration.agent)
    return try await StoreService.open(paths, options: options) { [weak self, loop] reports in
      loop.perform { [weak self] in self?.assumeIsolated { $0.take(reports, forStore: index) } }
    }
  }

  private func take(_ reports: [StoreService.Report], forStore index: Int) {
    if hubs.indices.contains(index) { hubs[index].take(reports) }
  }

  private func listen(on address: SocketAddress) throws(NodeError) {
    do throws(EventLoopError) {
      let reception = try Reception(address: address, loop: loop, compression: compression)
      self.reception = reception
      listening = reception.address
      logger.info("listening", metadata: ["address": "\(reception.address ?? address)"])
    } catch {
      throw .system(error)
    }
  }
}
