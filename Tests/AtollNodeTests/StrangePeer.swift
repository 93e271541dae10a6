import AtollChanges
import AtollEventLoop
import AtollVocabulary
import AtollWire
import LoopTestKit

/// A peer that shakes hands and then does only what its test says.
final class StrangePeer: Sendable {
  private let place: OnLoop
  private let heard = Shared(Heard())

  /// The frames that came, and the waits for more.
  private struct Heard {
    var changesetBytes = 0
    var waiting: [(bytes: Int, promise: Promise<Bool>)] = []

    mutating func note(_ frame: Frame) {
      switch frame {
      case .changesets(let runs), .expedited(let runs):
        changesetBytes += runs.reduce(0) { $0 + $1.byteCount }
      case .chunk(let chunk): changesetBytes += chunk.bytes.count
      case .hello, .goodbye, .chunkReceipt, .progress, .request, .keepAlive, .digest, .prune,
        .acknowledgements, .question, .answer, .pair, .paired, .declined, .credit, .clock,
        .snapshotOffer, .snapshotRequest, .snapshotWanted, .snapshotPage, .backfillRequest,
        .backfill, .localHello, .committed:
        break
      }
      for (bytes, promise) in waiting where bytes < changesetBytes { promise.keep(true) }
    }
  }

  init(_ place: OnLoop) { self.place = place }

  /// Opens a link to a node on this machine, and says hello.
  func connect(to port: UInt16, isReading: Bool = true, credit: Credit? = nil) async throws {
    let connected = Promise<Bool>()
    await place.run { [heard] place in
      guard let address = SocketAddress(host: "127.0.0.1", port: port) else { return }
      let stream = ByteStream(connectingTo: address, loop: place.loop)
      place.keep(stream)
      var decoder = FrameDecoder()
      stream.onConnect = {
        if isReading { stream.startReading() }
        var encoder = FrameEncoder()
        stream.write(encoder.encode(Self.hello))
        if let credit { stream.write(encoder.encode(.credit(credit))) }
        connected.keep(true)
      }
      stream.onBytes = { bytes in
        decoder.append(bytes)
        while let frame = try? decoder.next() { heard.withLock { $0.note(frame) } }
      }
    }
    _ = try await connected.value()
  }

  /// Sends one more frame.
  func send(_ frame: Frame) async {
    await place.run { place in
      for case let stream as ByteStream in place.kept {
        var encoder = FrameEncoder()
        // The preamble is out already.
        _ = encoder.encode(.prune)
        stream.write(encoder.encode(frame))
      }
    }
  }

  /// Canonical bytes of changesets that came.
  var receivedBytes: Int { heard.withLock { $0.changesetBytes } }

  /// Kept once more than so many bytes of changesets have come.
  func holds(more bytes: Int) -> Promise<Bool> {
    let promise = Promise<Bool>()
    heard.withLock {
      if $0.changesetBytes > bytes {
        promise.keep(true)
      } else {
        $0.waiting.append((bytes, promise))
      }
    }
    return promise
  }

  private static var hello: Frame {
    let author = Author(replica: ReplicaID(high: 9, low: 9), incarnation: Incarnation(9))
    return .hello(Hello(storeID: testStoreID, author: author, agent: "a peer", holdings: .none))
  }
}
