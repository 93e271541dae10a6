package import AtollTransport
private import Logging
private import Synchronization

/// A node inside an application, for one store: the same as in the daemon.
///
/// While another node serves the store it waits for its turn, so that an application can be shipped
/// with a node and still be run beside a daemon. Ends with ``stop()``.
package final class EmbeddedNode: Sendable {
  private let task: Task<Void, Never>
  private let failure: Failure

  /// Why the last start failed.
  private final class Failure: Sendable {
    let error = Mutex<NodeError?>(nil)
  }

  /// The pause between two attempts to start, while another node serves the file.
  private static let retryInterval = Duration.seconds(1)

  /// Begins to serve; what goes wrong later is tried again.
  ///
  /// - Parameters:
  ///   - store: The file, which exists.
  ///   - listen: `host:port` where others connect; nil if none can.
  ///   - peers: `host:port` of nodes to stay connected to.
  ///   - protection: Which links are secured.
  ///   - identity: The file of the node's key, made if it is missing.
  /// - Throws: `NodeError` for what is no address.
  package init(
    store: String, listen: String?, peers: [String], protection: LinkProtection,
    identity: IdentityFile
  ) throws(NodeError) {
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
        protection: protection, identityFile: identity.path, agent: "an embedded node")
    } catch {
      throw .transport(error)
    }
    failure = Failure()
    task = Task { [failure] in await Self.serve(configuration, failure) }
  }

  /// Why it cannot serve the store at present; nil if it does, or another node does.
  package var trouble: String? {
    switch failure.error.withLock(\.self) {
    case nil, .alreadyServed: nil
    case let error?: "\(error)"
    }
  }

  /// Ends the links and lets go of the file, soon.
  package func stop() { task.cancel() }

  private static func serve(_ configuration: NodeConfiguration, _ failure: Failure) async {
    while !Task.isCancelled {
      if let node = await started(configuration, failure) {
        // For ever, or until the task is cancelled.
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        return await node.stop()
      }
      try? await Task.sleep(for: retryInterval)
    }
  }

  private static func started(
    _ configuration: NodeConfiguration, _ failure: Failure
  ) async -> Node? {
    let node: Node
    do {
      let logger = Logger(label: "atoll") { _ in SwiftLogNoOpLogHandler() }
      node = try Node(configuration, logger: logger)
    } catch {
      failure.error.withLock { $0 = .system(error) }
      return nil
    }
    do {
      try await node.start()
    } catch {
      failure.error.withLock { $0 = error }
      return nil
    }
    failure.error.withLock { $0 = nil }
    return node
  }
}
