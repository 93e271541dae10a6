import AtollEventLoop
import AtollNode
import Foundation
import Logging

/// The node from start to signal to stop.
struct Service {
  private let settings: Settings

  init(_ settings: Settings) { self.settings = settings }

  func run() async throws(DaemonFailure) {
    var logger = Logger(label: "atolld") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = settings.logLevel
    let node = try makeNode(logger)
    let signals = try await start(node)
    do throws(DaemonFailure) {
      try announce(await node.listening)
    } catch {
      await node.stop()
      throw error
    }
    for await number in signals {
      logger.info("stopping", metadata: ["signal": "\(number)"])
      break
    }
    await node.stop()
    removePortFile()
    logger.info("stopped")
  }

  private func makeNode(_ logger: Logger) throws(DaemonFailure) -> Node {
    do throws(EventLoopError) {
      return try Node(settings.node, logger: logger)
    } catch {
      throw .node(.system(error))
    }
  }

  /// Starts the node; from then on SIGTERM and SIGINT are only told.
  private func start(_ node: Node) async throws(DaemonFailure) -> AsyncStream<Int32> {
    do throws(NodeError) {
      try await node.start()
      return try await node.watch(signals: [SIGTERM, SIGINT])
    } catch {
      throw .node(error)
    }
  }

  /// Tells the port: on standard output, and in the port file, complete or not at all.
  private func announce(_ address: SocketAddress?) throws(DaemonFailure) {
    guard let address else { return }
    FileHandle.standardOutput.write(Data("listening on \(address)\n".utf8))
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
}
