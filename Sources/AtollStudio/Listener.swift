import AtollVocabulary
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Listens on loopback, and lends every request to a handler.
///
/// This file, `Connection.swift` and `ConnectionLimits.swift` are the ones that name SwiftNIO, which reads and
/// writes HTTP/1.1.
final class Listener: Sendable {
  typealias Handler = @Sendable (StudioRequest) async -> StudioResponse

  private typealias Server = NIOAsyncChannel<Connection.Channel, Never>

  private let task: Task<Void, any Error>
  private let channel: any Channel
  /// The port that it listens at.
  let port: Int

  /// - Parameters:
  ///   - port: 0 takes a free one.
  ///   - makeHandler: Makes the handler when the port is known.
  /// - Throws: ``StudioError`` if it cannot listen.
  init(port: Int, makeHandler: (_ port: Int) -> Handler) async throws(StudioError) {
    let limits = ConnectionLimits()
    let server: Server
    do {
      server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .bind(host: "127.0.0.1", port: port) { channel in
          channel.eventLoop.makeCompletedFuture { try Connection.channel(on: channel, limits) }
        }
    } catch {
      throw Self.error(error, port)
    }
    channel = server.channel
    self.port = channel.localAddress?.port ?? port
    let handler = makeHandler(self.port)
    task = Task {
      try await withThrowingDiscardingTaskGroup { group in
        try await server.executeThenClose { connections in
          for try await connection in connections {
            group.addTask { await Connection(connection, handler).serve() }
          }
          // Streams have no end of their own.
          group.cancelAll()
        }
      }
    }
  }

  /// Waits until it is stopped.
  func run() async throws { try await task.value }

  /// Stops listening, and ends what is still answered.
  func stop() async {
    try? await channel.close()
    task.cancel()
    _ = await task.result
  }

  private static func error(_ error: any Error, _ port: Int) -> StudioError {
    if let error = error as? IOError, error.errnoCode == EADDRINUSE { return .portTaken(port) }
    return .cannotListen(port, "\(error)")
  }
}
