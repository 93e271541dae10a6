import AtollEventLoop
import LoopTestKit
import Synchronization
import Testing

@testable import AtollCluster

/// The effects of the faulty network on bytes, between a client and a listener that echoes them.
@Suite struct FaultyNetworkTests {
  private static let link = LinkName(dialer: 0, listener: 1)

  @Test func `a healthy link passes everything both ways, in order`() async throws {
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try await echo { client in
      await client.send(bytes)
      try await #expect(client.received(bytes.count) == bytes)
    }
  }

  @Test func `a silent link holds what is sent until it is healthy again`() async throws {
    try await echo { client in
      await client.send([1])
      try await #expect(client.received(1) == [1])
      await client.network.set(.silent) { $0.touches(1) }
      await client.send([2, 3])
      await #expect(!client.hasReceived(2, within: .milliseconds(100)))
      await client.network.set(.healthy) { _ in true }
      try await #expect(client.received(3) == [1, 2, 3])
    }
  }

  @Test func `a slow link is late by what it is told`() async throws {
    try await echo { client in
      await client.network.set(
        .slow(delay: .milliseconds(50), bytesPerSecond: 1 << 20)
      ) { _ in true }
      let start = ContinuousClock.now
      await client.send([1])
      try await #expect(client.received(1) == [1])
      #expect(ContinuousClock.now - start >= .milliseconds(100))
    }
  }

  @Test func `a broken link ends its connections, and takes none`() async throws {
    try await echo { client in
      await client.send([1])
      try await #expect(client.received(1) == [1])
      await client.network.set(.broken) { _ in true }
      try await client.end()
    }
  }

  /// Runs `body` with a client that is connected through a link to a listener that echoes.
  private func echo(_ body: (EchoClient) async throws -> Void) async throws {
    try await withLoop { place in
      let network = try FaultyNetwork()
      let port = try await place.run { place throws(EventLoopError) in
        let listener = try TCPListener(address: try anyPort, loop: place.loop) { stream in
          stream.onBytes = { [unowned stream] in stream.write(Array($0)) }
          stream.startReading()
        }
        return listener.address.port
      }
      let entrance = try await network.open(Self.link) { port }
      try await body(EchoClient(port: entrance, network: network, place: place))
      await network.stop()
    }
  }
}

/// One connection into a faulty link, and what came back.
private final class EchoClient: Sendable {
  let network: FaultyNetwork
  private let place: OnLoop
  private let arrived = Shared(Arrived())
  private let ended = Promise<StreamClosing>()

  private struct Arrived {
    var bytes: [UInt8] = []
    var awaited: [(count: Int, promise: Promise<[UInt8]>)] = []
  }

  init(port: UInt16, network: FaultyNetwork, place: OnLoop) async throws {
    self.network = network
    self.place = place
    let connected = Promise<Bool>()
    let (arrived, ended) = (arrived, ended)
    await place.run { place in
      guard let address = SocketAddress(host: "127.0.0.1", port: port) else { return }
      let stream = ByteStream(connectingTo: address, loop: place.loop)
      stream.onBytes = { bytes in
        arrived.withLock { arrived in
          arrived.bytes += bytes
          for (count, promise) in arrived.awaited where arrived.bytes.count >= count {
            promise.keep(arrived.bytes)
          }
        }
      }
      stream.onConnect = { [unowned stream] in
        stream.startReading()
        connected.keep(true)
      }
      stream.onClose = { ended.keep($0) }
      place.kept = [stream]
    }
    _ = try await connected.value()
  }

  func send(_ bytes: [UInt8]) async {
    await place.run { place in (place.kept.first as? ByteStream)?.write(bytes) }
  }

  /// Everything that came, once it is so much.
  func received(_ count: Int, within bound: Duration = .seconds(10)) async throws -> [UInt8] {
    let promise = Promise<[UInt8]>()
    arrived.withLock { arrived in
      if arrived.bytes.count >= count { promise.keep(arrived.bytes) }
      arrived.awaited.append((count, promise))
    }
    return try await promise.value(within: bound)
  }

  func hasReceived(_ count: Int, within bound: Duration) async -> Bool {
    await (try? received(count, within: bound)) != nil
  }

  /// Waits until the connection has been ended.
  func end() async throws { _ = try await ended.value() }
}
