internal import AtollTransport
private import Logging

/// A node inside an application, for one store: the same as in the daemon.
///
/// While another node serves the store it waits for its turn, so that an application can be shipped
/// with a node and still be run beside a daemon. Ends with ``stop()``.
package final class EmbeddedNode: Sendable {
  private let task: Task<Void, Never>

  /// How often it is tried whether the other node is gone.
  private static let patience = Duration.seconds(1)

  /// Begins to serve; what goes wrong later is tried again.
  ///
  /// - Parameters:
  ///   - store: The file, which exists.
  ///   - listen: `host:port` where others connect; nil if none can.
  ///   - peers: `host:port` of nodes to stay connected to.
  /// - Throws: `NodeError` for what is no address.
  package init(store: String, listen: String?, peers: [String]) throws(NodeError) {
    let configuration: NodeConfiguration
    do throws(TransportError) {
      var endpoints: [Endpoint] = []
      for peer in peers { endpoints.append(try Endpoint(peer)) }
      var listening: Endpoint?
      if let listen {
        listening = try Endpoint(listen)
        _ = try listening?.listeningAddress()
      }
      configuration = NodeConfiguration(
        stores: [store], mayCreate: false, listen: listening, peers: endpoints,
        agent: "an embedded node")
    } catch {
      throw .transport(error)
    }
    task = Task { await Self.serve(configuration) }
  }

  /// Ends the links and lets go of the file, soon.
  package func stop() { task.cancel() }

  private static func serve(_ configuration: NodeConfiguration) async {
    let logger = Logger(label: "atoll") { _ in SwiftLogNoOpLogHandler() }
    while !Task.isCancelled {
      if let node = try? Node(configuration, logger: logger), (try? await node.start()) != nil {
        // For ever, or until the task is cancelled.
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        return await node.stop()
      }
      try? await Task.sleep(for: patience)
    }
  }
}
