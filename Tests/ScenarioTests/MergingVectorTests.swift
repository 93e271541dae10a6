import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// The outcome of histories, by `vectors/changesets/merging.txt`, by Atoll, and by a program in another language that
/// was written from the pages of `protocol` alone.
@Suite struct MergingVectorTests {
  @Test func `issue 32.7: every history comes to what its vector says, in whatever order it comes`()
    throws
  {
    let blocks = try VectorFile("merging").blocks
    #expect(blocks.count == MergingHistory.all.count)
    var random = SeededRandom.announced("orders of the vectors")
    for block in blocks {
      let history = try block.all("changeset").map(Self.incoming)
      let expected = IndependentDecoder.comparable(block.lines.map { "\($0.key): \($0.text)" })
      let id = try block.all("store").first.map { try #require(StoreID($0)) }
      for order in [history] + (0..<4).map({ _ in history.shuffled(using: &random) }) {
        let store = try Self.store(id, applying: order)
        defer { store.close() }
        #expect(try Self.lines(of: store) == expected, "\(block)")
      }
    }
  }

  @Test(.enabled(if: IndependentDecoder.isInstalled, "python3 is not installed"))
  func `issue 32.7: a program in another language says the same of every vector`() throws {
    let output = try IndependentDecoder.output()
    for block in try VectorFile("merging").blocks {
      let expected = block.lines.filter { !["name", "store", "changeset"].contains($0.key) }
      #expect(output["merging: \(block)"] == expected.map { "\($0.key): \($0.text)" }, "\(block)")
    }
  }

  @Test(.enabled(if: IndependentDecoder.isInstalled, "python3 is not installed"))
  func `issue 32.7: a program in another language merges random histories as Atoll does`() throws {
    var random = SeededRandom.announced("random histories by the pages")
    for _ in 0..<30 {
      let peers = try random.peers(writing: 40)
      defer { withExtendedLifetime(peers) {} }
      try exchange(peers)
      let store = peers[0].store
      let different = try IndependentDecoder.disagreements(
        on: peers[0].changesets().map { ("\($0.id.author)", $0.bytes) },
        export: peers[0].export(), digests: Self.digests(of: store),
        total: "\(store.stateDigest())")
      #expect(different.isEmpty, "seed \(random.seed): \(different)")
    }
  }

  @Test(.enabled(if: MergingHistory.areWanted, "ATOLL_MERGING is not set"))
  func `the vectors of merging are made`() throws {
    var text = MergingHistory.head
    for history in MergingHistory.all {
      let store = try history.written()
      defer { store.close() }
      let log = try history.log(of: store)
      let merged = try IndependentDecoder.merged(log)
      let lines = try Self.lines(of: store)
      try #require(IndependentDecoder.comparable(merged) == lines, "\(history.name)")
      text += "\nname: \(history.name)\n"
      if history.hasOwners { text += "store: \(store.storeID)\n" }
      text += log.map { "changeset: \($0.author) \(Hexadecimal.text(bytes: $0.bytes))\n" }.joined()
      text += merged.map { "\($0)\n" }.joined()
    }
    try Data(text.utf8).write(to: VectorFile.folder.appending(path: "merging.txt"))
  }

  // MARK: Helpers

  static func lines(of store: StoreFile) throws -> [String] {
    var export = ""
    try store.export { export += $0 }
    return IndependentDecoder.lines(
      export: export, digests: try digests(of: store), total: "\(try store.stateDigest())")
  }

  private static func digests(of store: StoreFile) throws -> [(class: String, digest: String)] {
    try store.stateDigests().filter { $0.digest != .zero }.map { ($0.class.name, "\($0.digest)") }
  }

  private static func incoming(_ line: String) throws -> IncomingChangeset {
    let parts = line.split(separator: " ").map(String.init)
    let author = try #require(Author(parts[0]))
    let bytes = try #require(Hexadecimal.bytes(parts[1]))
    let changeset = try Changeset(decoding: bytes, author: author)
    return IncomingChangeset(author: author, sequence: changeset.sequence, bytes: bytes)
  }

  /// A new store that has taken changesets as they come, again and again what came too early.
  private static func store(
    _ id: StoreID?, applying history: [IncomingChangeset]
  ) throws -> StoreFile {
    let store = try StoreFile.open(StoreFile.inMemory, options: StoreOptions(storeID: id))
    var waiting = history
    for _ in history where !waiting.isEmpty {
      let outcomes = try waiting.map { try store.apply([$0])[0] }
      // Nothing is kept of an author before its admission.
      waiting = zip(waiting, outcomes).filter { _, outcome in
        switch outcome {
        case .missing, .overflowing(_, .notAdmitted): true
        default: false
        }
      }.map(\.0)
    }
    #expect(waiting.isEmpty)
    return store
  }
}
