import Atoll
import AtollChanges
import AtollNode
import AtollSimulation
import AtollStorage
import AtollTransport
import AtollVocabulary
import Foundation

/// Random programs of two replicas, who hear of each other through the peer alone, and a third one that comes late.
struct ProgramCheck {
  let peer: Conformance
  let seed: UInt64
  /// The time in which replicas have to become equal.
  private static let bound = Duration.seconds(60)
  /// The time in which the peer's answer has to be about all that it has sent.
  private static let digestBound = Duration.seconds(10)
  private static let transactions = 40

  static func check(seed: UInt64) -> ConformanceCheck {
    ConformanceCheck(
      rule: 3, name: "the program of seed \(seed) comes to the same on both sides of it"
    ) {
      peer in
      try ProgramCheck(peer: peer, seed: seed).run()
    }
  }

  private func run() throws -> String? {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("atoll-conform-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var random = SeededGenerator(seed: seed)
    let (a, b) = (try Replica("a", peer, in: folder), try Replica("b", peer, in: folder))
    var programs = [
      try RandomProgram(in: a.file, seed: random.next()),
      try RandomProgram(in: b.file, seed: random.next()),
    ]
    for _ in 0..<Self.transactions {
      let place = Int.random(in: 0..<2, using: &random)
      try programs[place].transact([a, b][place].file)
    }
    if let found = try difference(a, b) { return found }
    if let found = try digestDifference(a) { return found }
    return try difference(a, Replica("c", peer, in: folder)).map {
      "a replica that came late: \($0)"
    }
  }

  /// Nil once two replicas have applied the same and hold the same, or what is still different.
  private func difference(_ a: Replica, _ b: Replica) throws -> String? {
    let isEqual: Bool? = try Bounded.wait(Self.bound) {
      let (here, there) = (try a.file.appliedVector(), try b.file.appliedVector())
      let isWhole = here == there && here[a.file.author] > .none
      return isWhole ? true : nil
    }
    guard isEqual != nil else {
      return
        "after \(Self.bound) one has \(try a.file.appliedVector()), the other \(try b.file.appliedVector())"
    }
    guard try a.file.stateDigest() != b.file.stateDigest() else { return nil }
    return "both have \(try a.file.appliedVector()), and their digests differ"
  }

  /// Nil if the peer says the digest of what it holds, or that it has none; rule 16.
  private func digestDifference(_ a: Replica) throws -> String? {
    let inquiry = try DigestInquiry(peer: "\(peer.peer)", as: nil) { _ in true }
    defer { inquiry.close() }
    let question = DigestQuestion(
      storeID: peer.storeID, level: 0, prefixes: [0], wantsObjects: false)
    var said: (peer: FrontierDigest, own: FrontierDigest)?
    _ = try Bounded.wait(Self.digestBound) { () -> Bool? in
      guard let answer = try? inquiry.ask(question) else { return true }
      let own = try a.file.frontierDigest()
      said = (answer.current, own)
      return answer.current.frontier == own.frontier ? true : nil
    }
    guard let (peer, own) = said else { return nil }
    guard peer.frontier == own.frontier else {
      return
        "rule 16: its frontier is \(peer.frontier), and not \(own.frontier), after \(Self.digestBound)"
    }
    guard peer.digest != own.digest else { return nil }
    return "rule 16: its digest is \(peer.digest), and \(own.digest) is that of what it holds"
  }

  /// A store with a node of its own, linked to the peer and to nobody else.
  private final class Replica {
    let store: Store
    let file: StoreFile

    init(_ name: String, _ peer: Conformance, in folder: URL) throws {
      var configuration = Store.Configuration(
        fileURL: folder.appendingPathComponent("\(name).atoll"),
        storeID: UUID(uuid: Self.bytes(peer.storeID)), objectTypes: [])
      configuration.node = .embedded(peers: ["\(peer.peer)"])
      store = try Store(configuration: configuration)
      file = try StoreFile.open(
        configuration.fileURL?.path ?? "", options: StoreOptions(mayCreate: false))
    }

    deinit {
      file.close()
      store.close()
    }

    private static func bytes(_ id: StoreID) -> uuid_t {
      let bytes = [id.high, id.low].flatMap { word in
        (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
      }
      return bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
    }
  }
}
