import AtollNode
import AtollPresence
import AtollStorage
import AtollVocabulary
import Foundation
import LoopTestKit
import Testing

/// A daemon cuts the log of its store by itself.
@Suite struct TruncationTests {
  private static let storeID = StoreID(high: 0xC07, low: 1)
  private static let gone = ReplicaID(high: 7, low: 7)

  @Test(.timeLimit(.minutes(2)))
  func `a daemon cuts what every replica has off the log, while others write, and says so`()
    async throws
  {
    try await withFolder { folder in
      let path = folder + "/a.atoll"
      let before = try Self.fill(path)
      let daemon = try DaemonProcess(["--store", path, "--truncate-after", "0"], in: folder)
      let truncation = try await daemon.wait {
        StoreStatus.current(ofStoreAt: path)?.truncation
      }
      #expect(truncation.bytes >= Limits.leastTruncationBytes)
      #expect(truncation.changesets == before.changesets)
      let file = try StoreFile.open(path, options: StoreOptions(storeID: Self.storeID))
      defer { file.close() }
      try file.setReplicaName("it goes on")
      #expect(try file.logSize().changesets == 1)
      #expect(try file.verify() == [])
      daemon.send(SIGTERM)
      #expect(try await daemon.ended.value().exitCode == 0)
    }
  }

  /// More than a daemon cuts for, and a member that is gone for good.
  private static func fill(_ path: String) throws -> (changesets: Int, bytes: Int) {
    let file = try makeNoteStore(
      path, id: storeID,
      transactions: (0..<50).lazy.map { [String(repeating: "\($0), ", count: 25_000)] })
    defer { file.close() }
    try file.setRole(.write, of: gone)
    try file.retire(gone)
    return try file.logSize()
  }
}
