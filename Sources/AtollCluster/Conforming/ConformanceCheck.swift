import AtollChanges
import AtollTransport
import AtollVocabulary
import AtollWire

/// One thing that a peer has to do, by its number in `protocol/profiles.md`.
struct ConformanceCheck: Sendable {
  let rule: Int
  let name: String
  /// Nil if the peer does it, or what it did instead.
  let run: @Sendable (Conformance) throws -> String?

  /// The deviation of a peer; nil if it did what it has to.
  func found(at peer: Conformance) -> String? {
    do {
      return try run(peer)
    } catch {
      return "\(error)"
    }
  }

  /// Those that need nothing but the peer.
  static let all = LinkChecks.all + ChangesetChecks.all
}

/// A peer that is looked at, with the store that it has.
struct Conformance {
  let peer: Endpoint
  let storeID: StoreID
  let author: Author
  /// The time in which the peer has to answer.
  private let timeout: Duration

  /// Shakes hands once, to know the peer's store.
  init(of peer: Endpoint, timeout: Duration = .seconds(5)) throws {
    self.peer = peer
    self.timeout = timeout
    let link = try PlainLink(to: peer, timeout: timeout)
    let frame: Frame?
    do {
      frame = try link.next()
    } catch {
      throw ConformanceError.noHello("\(peer)", found: "\(error)")
    }
    guard case .hello(let hello)? = frame else {
      throw ConformanceError.noHello("\(peer)", found: frame.map { "\($0)" } ?? "nothing")
    }
    guard !hello.storeID.isOwned else { throw ConformanceError.hasOwners(hello.storeID) }
    (storeID, author) = (hello.storeID, hello.author)
  }

  func connect() throws -> PlainLink { try PlainLink(to: peer, timeout: timeout) }

  /// A hello of a replica that has nothing.
  func hello(
    _ author: Author, storeID: StoreID? = nil,
    versions: ClosedRange<UInt8> = ProtocolVersion.supported
  ) -> Frame {
    .hello(
      Hello(
        versions: versions, storeID: storeID ?? self.storeID, author: author,
        agent: "atoll-cluster conform", isEagerWanted: false, holdings: .none))
  }

  /// A replica that nobody has met, with its key.
  static func stranger() -> (author: Author, key: ReplicaKey) {
    var random = SystemRandomNumberGenerator()
    let key = ReplicaKey { random.next() }
    return (Author(replica: key.replica, incarnation: Incarnation(random.next())), key)
  }

  /// The end of a link on which these frames and bytes are sent.
  func ending(after frames: [Frame] = [], bytes: [UInt8] = []) throws -> PlainLink.Ending {
    let link = try connect()
    for frame in frames { link.send(frame) }
    link.send(bytes)
    return try link.ending()
  }

  /// Nil if a link ended with a code, or what came of it instead.
  static func expecting(_ code: GoodbyeCode, _ ending: PlainLink.Ending) -> String? {
    switch ending {
    case .goodbye(code, _): nil
    case .goodbye(let other, let text):
      "goodbye of code \(other.rawValue), and not \(code.rawValue): \(text)"
    case .closed: "the link ended without a goodbye of code \(code.rawValue)"
    case .open: "the link went on, and no goodbye of code \(code.rawValue) came"
    }
  }
}
