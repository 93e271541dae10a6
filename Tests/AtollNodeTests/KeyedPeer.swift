import AtollChanges
import AtollEventLoop
import AtollTransport
import AtollVocabulary
import AtollWire
import LoopTestKit

/// A peer with a key of its own that does only what its test says, over TLS.
final class KeyedPeer: Sendable {
  private let place: OnLoop
  private let heard = Shared(Heard())

  private struct Heard {
    var frames: [Frame] = []
    var isClosed = false
    var waiting: [(isRight: @Sendable ([Frame], Bool) -> Bool, promise: Promise<[Frame]>)] = []

    mutating func look() {
      for (isRight, promise) in waiting where isRight(frames, isClosed) { promise.keep(frames) }
    }
  }

  init(_ place: OnLoop) { self.place = place }

  /// Opens a link to a node on this machine; sends these frames at once, and others whenever it is asked for
  /// changesets.
  func connect(
    to port: UInt16, with key: Credentials, purpose: LinkPurpose = .exchange, _ frames: [Frame],
    wanted: [Frame] = []
  ) async throws {
    let connected = Promise<Bool>()
    try await place.run { [heard] place in
      let holder = Holder()
      let security = LinkSecurity(.always, try TLSContext(key))
      let dial = Dial(
        Endpoint(host: "127.0.0.1", port: port), security, purpose: purpose, loop: place.loop
      ) { result in
        guard case .success(let channel) = result else { return connected.keep(false) }
        let link = Link(channel, compression: Compression())
        link.onFrame = { [weak link] frame in
          if case .request = frame { for answer in wanted { link?.send(answer) } }
          heard.withLock {
            $0.frames.append(frame)
            $0.look()
          }
        }
        link.onClose = { _ in
          heard.withLock {
            $0.isClosed = true
            $0.look()
          }
        }
        for frame in frames { link.send(frame) }
        link.start()
        holder.link = link
        connected.keep(true)
      }
      holder.dial = dial
      place.keep(holder)
    }
    guard try await connected.value() else { throw NotConnected() }
  }

  struct NotConnected: Error {}

  /// Keeps what would go with its last reference.
  private final class Holder {
    var link: Link?
    var dial: Dial?
  }

  func send(_ frame: Frame) async {
    await place.run { place in
      for case let holder as Holder in place.kept { holder.link?.send(frame) }
    }
  }

  /// Returns the frames that have come, once they are right.
  func frames(
    _ isRight: @escaping @Sendable ([Frame], _ isClosed: Bool) -> Bool
  ) async throws -> [Frame] {
    let promise = Promise<[Frame]>()
    heard.withLock {
      $0.waiting.append((isRight, promise))
      $0.look()
    }
    return try await promise.value()
  }

  /// The goodbye that ends the link.
  func goodbye() async throws -> Goodbye? {
    for case .goodbye(let goodbye) in try await frames({ $1 || $0.contains(where: \.isGoodbye) }) {
      return goodbye
    }
    return nil
  }

  static func hello(
    _ author: Author, _ holdings: Holdings = .none, in store: StoreID = testStoreID
  ) -> Frame {
    .hello(
      Hello(storeID: store, author: author, agent: "a peer", holdings: holdings))
  }
}

extension Frame {
  var isGoodbye: Bool { if case .goodbye = self { true } else { false } }
  var isHello: Bool { if case .hello = self { true } else { false } }
}
