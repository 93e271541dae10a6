import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// Snapshots by `vectors/changesets/snapshots.txt`, by Atoll, and by `protocol/tools/snapshot.py`, which was written from
/// the pages of `protocol`.
@Suite struct SnapshotVectorTests {
  private let folder = TemporaryFolder()

  @Test(.enabled(if: IndependentDecoder.isInstalled, "python3 is not installed"))
  func `issue 32.7: a program in another language reads the snapshot of every history`() throws {
    for history in MergingHistory.all {
      let folder = TemporaryFolder()
      defer { withExtendedLifetime(folder) {} }
      for peer in try [history.peers(in: folder)].flatMap({ [$0.a, $0.b] }) {
        let found = try IndependentDecoder.held(byPages: peer.store.pages())
        #expect(
          try IndependentDecoder.comparable(found) == MergingVectorTests.lines(of: peer.store),
          "\(history.name): \(found)")
        let sealed = found.count { $0.hasPrefix("author: ") && $0.contains(", sealed") }
        #expect(sealed > 0)
      }
    }
  }

  @Test(.enabled(if: IndependentDecoder.isInstalled, "python3 is not installed"))
  func `issue 32.7: a program in another language says the same of every snapshot vector`() throws {
    let output = try IndependentDecoder.output()
    let blocks = try VectorFile("snapshots").blocks
    #expect(blocks.count > 3)
    for block in blocks {
      let expected = block.lines.filter { !["name", "store", "page"].contains($0.key) }
      #expect(output["snapshots: \(block)"] == expected.map { "\($0.key): \($0.text)" }, "\(block)")
    }
  }

  @Test func `issue 32.7: every snapshot vector is taken or refused as it says`() throws {
    for block in try VectorFile("snapshots").blocks {
      let id = try #require(StoreID(try block.one("store")))
      let store = try StoreFile.open(
        folder.storePath("\(block)"), options: StoreOptions(storeID: id))
      defer { store.close() }
      let pages = try block.all("page").map { try #require(Hexadecimal.bytes($0)) }
      let name = try Self.stage(pages, in: store)
      let outcome = try store.installSnapshot(name)
      guard block.all("refused").isEmpty else {
        guard case .refused = outcome else {
          Issue.record("\(block): \(outcome)")
          continue
        }
        #expect(try store.holdings().heads.isEmpty)
        continue
      }
      #expect(outcome == .installed, "\(block)")
      #expect(try block.one("snapshot") == "\(name)")
      let expected = IndependentDecoder.comparable(block.lines.map { "\($0.key): \($0.text)" })
      #expect(try MergingVectorTests.lines(of: store) == expected, "\(block)")
    }
  }

  private static func stage(_ pages: [[UInt8]], in store: StoreFile) throws -> ChainHash {
    let named = SnapshotPages.named(pages)
    let id = try #require(named.first).id
    _ = try store.beginStaging(id)
    #expect(try store.stage(named, of: id) == pages.count)
    return id
  }

  @Test(.enabled(if: MergingHistory.areWanted, "ATOLL_MERGING is not set"))
  func `the vectors of snapshots are made`() throws {
    var text = """
      # Snapshots: `protocol/snapshot.md`. Each block has a store's id and the pages of a snapshot of it; its name, what it says of authors,
      # and what it holds, as the vectors of merging say it; or why it is refused.

      """
    for (number, history) in MergingHistory.all.enumerated() {
      let folder = TemporaryFolder()
      let peers = try history.peers(in: folder)
      defer { withExtendedLifetime((folder, peers)) {} }
      let store = peers.a.store
      let pages = try store.pages()
      let held = try IndependentDecoder.held(byPages: pages)
      let isAlike =
        try IndependentDecoder.comparable(held) == MergingVectorTests.lines(of: store)
      try #require(isAlike, "\(history.name)")
      text += Self.block(history.name, store, pages, held)
      guard number == 0 else { continue }
      for (name, bytes) in try Self.spoiled(pages, of: store) {
        text += Self.block(name, store, [bytes], try IndependentDecoder.held(byPages: [bytes]))
      }
    }
    try Data(text.utf8).write(to: VectorFile.folder.appending(path: "snapshots.txt"))
  }

  private static func block(
    _ name: String, _ store: StoreFile, _ pages: [[UInt8]], _ lines: [String]
  ) -> String {
    "\nname: \(name)\nstore: \(store.storeID)\n"
      + pages.map { "page: \(Hexadecimal.text(bytes: $0))\n" }.joined()
      + lines.map { "\($0)\n" }.joined()
  }

  /// Snapshots that nobody may take.
  private static func spoiled(
    _ pages: [[UInt8]], of store: StoreFile
  ) throws -> [(name: String, bytes: [UInt8])] {
    func changed(_ change: (inout SnapshotHead) -> Void) throws -> [UInt8] {
      try SnapshotPages.changed(pages, head: change).flatMap { $0 }
    }
    let hash = ChainHash.snapshotOrigin
    return [
      (
        "an end of a chain that its seal is not for",
        try changed {
          $0.authors[0].hash = hash
          $0.authors[0].recent = []
        }
      ),
      ("an end of a chain without a seal", try changed { $0.authors[0].seal = nil }),
      ("stamps later than the head says", try changed { $0.time = .zero }),
      (
        "objects with another digest",
        try changed {
          for number in $0.classes.indices { $0.classes[number].digest = .zero }
        }
      ),
    ]
  }
}

extension StoreFile {
  /// The pages of a snapshot of what it holds.
  fileprivate func pages() throws -> [[UInt8]] {
    try makeSnapshot()
    let offer = try #require(try snapshotOffer())
    return try snapshotPages(of: offer.id, from: 0, count: offer.pages).map(\.bytes)
  }
}
