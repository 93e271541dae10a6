import AtollEventLoop
import AtollNode
import Foundation
import Logging
import Synchronization

/// The node from start to signal to stop, and what is around it: log, metrics, supervisor.
struct Service {
  private var settings: Settings
  /// Reads the settings again, from where they came.
  private let reread: () throws(DaemonFailure) -> Settings
  private let supervisor: Supervisor
  private let output: LogOutput
  private let logger: Logger
  private let registry = MetricRegistry()

  init(
    _ settings: Settings, supervisor: Supervisor, isJournal: Bool,
    reread: @escaping () throws(DaemonFailure) -> Settings
  ) {
    self.settings = settings
    self.supervisor = supervisor
    self.reread = reread
    output = LogOutput(
      level: settings.logLevel, format: settings.logFormat, isJournal: isJournal)
    logger = output.logger
  }

  mutating func run() async throws(DaemonFailure) {
    let node = try makeNode()
    let signals = try await start(node)
    let watchdog = node.makeWatchdog(logger: logger, onAnswer: aliveness())
    let endpoint: HTTPEndpoint?
    let studio: DaemonStudio?
    do throws(DaemonFailure) {
      endpoint = try await openEndpoint(node, watchdog)
      studio = try await openStudio()
      try announce(await node.listening)
    } catch {
      watchdog.stop()
      await node.stop()
      throw error
    }
    supervisor.tellReady(summary)
    for await number in signals {
      if number == SIGHUP {
        await reload(node, studio)
        continue
      }
      logger.info("stopping", metadata: ["signal": "\(number)"])
      break
    }
    supervisor.tellStopping()
    watchdog.stop()
    await studio?.stop()
    await endpoint?.stop()
    await node.stop()
    removePortFile()
    logger.info("stopped")
  }

  private var summary: String {
    "serving \(settings.node.stores.count) stores, \(settings.node.peers.count) peers configured"
  }

  // MARK: Starting

  private func makeNode() throws(DaemonFailure) -> Node {
    do throws(EventLoopError) {
      return try Node(settings.node, logger: logger, metrics: registry)
    } catch {
      throw .node(.system(error))
    }
  }

  /// Starts the node; from then on SIGTERM, SIGINT and SIGHUP are only told.
  private func start(_ node: Node) async throws(DaemonFailure) -> AsyncStream<Int32> {
    do throws(NodeError) {
      let signals = try await node.watch(signals: [SIGTERM, SIGINT, SIGHUP])
      try await node.start()
      return signals
    } catch {
      throw .node(error)
    }
  }

  /// Tells the supervisor, if it has a watchdog, that the loop answers: four times in its timeout.
  private func aliveness() -> @Sendable () -> Void {
    guard let timeout = supervisor.watchdog else { return {} }
    let told = Mutex<ContinuousClock.Instant?>(nil)
    return { [supervisor] in
      let now = ContinuousClock.now
      let isDue = told.withLock { last in
        if let last, last.duration(to: now) < timeout / 4 { return false }
        last = now
        return true
      }
      if isDue { supervisor.tellAlive() }
    }
  }

  private func openEndpoint(
    _ node: Node, _ watchdog: LoopWatchdog
  ) async throws(DaemonFailure) -> HTTPEndpoint? {
    guard let address = settings.metrics else { return nil }
    let observatory = Observatory(node, registry: registry, watchdog: watchdog)
    let process = ProcessMeters(registry)
    do throws(EventLoopError) {
      let endpoint = try HTTPEndpoint { await observatory.answer($0, process) }
      let bound: SocketAddress
      do throws(EventLoopError) {
        bound = try await endpoint.listen(on: address)
      } catch {
        await endpoint.stop()
        throw error
      }
      output.announce("metrics at http://\(bound)/metrics")
      return endpoint
    } catch {
      throw .metrics(error)
    }
  }

  private func openStudio() async throws(DaemonFailure) -> DaemonStudio? {
    guard let port = settings.studio else { return nil }
    let studio = try await DaemonStudio(settings, at: port)
    output.announce(studio.announcement)
    return studio
  }

  /// Tells the port: on standard output, and in the port file, complete or not at all.
  private func announce(_ address: SocketAddress?) throws(DaemonFailure) {
    guard let address else { return }
    output.announce("listening on \(address)")
    guard let path = settings.portFile else { return }
    do {
      try "\(address.port)\n".write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      throw .portFile(path: path, detail: error.localizedDescription)
    }
  }

  private func removePortFile() {
    if let path = settings.portFile { try? FileManager.default.removeItem(atPath: path) }
  }

  // MARK: Reloading

  /// Puts new settings into effect, as far as that goes without a restart; bad ones change nothing.
  private mutating func reload(_ node: Node, _ studio: DaemonStudio?) async {
    supervisor.tellReloading()
    defer { supervisor.tellReady(summary) }
    let new: Settings
    do throws(DaemonFailure) {
      new = try reread()
    } catch {
      logger.error("the settings are not reloaded, and those before stay in effect: \(error)")
      return
    }
    let change = SettingsChange(from: settings, to: new)
    output.change(level: new.logLevel, format: new.logFormat)
    for failure in await node.change(stores: new.node.stores, peers: new.node.peers) {
      logger.error("\(failure). It is tried again at the next reload")
    }
    do throws(DaemonFailure) {
      try await studio?.change(stores: new.node.stores)
    } catch {
      logger.error("the page of the stores is not shown any more: \(error)")
    }
    settings.take(new)
    let done = change.done.isEmpty ? "nothing was changed" : change.done.joined(separator: "; ")
    logger.notice("the settings are reloaded: \(done)")
    if !change.waiting.isEmpty {
      logger.warning(
        "what was changed of \(change.waiting.joined(separator: ", ")) takes effect at the next start"
      )
    }
  }
}
