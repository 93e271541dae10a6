package import AtollEventLoop
package import Logging

/// Serves stores: exchanges with peers, and wakes the processes that have the files open.
package actor Node {
  package nonisolated let configuration: NodeConfiguration
  private let logger: Logger
  private let loop: EventLoop

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

  /// Where the node listens, with the port it got; nil before ``start()`` or without a listener.
  package private(set) var listening: SocketAddress?

  /// Opens the stores, listens, and begins to connect; opens nothing if anything fails.
  package func start() async throws(NodeError) {
  }

  /// Tells the peers, finishes the batch that is being written, closes everything.
  package func stop() async {
    await loop.stop()
  }
}
