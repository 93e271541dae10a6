import AtollChanges
import AtollEventLoop
import AtollNode
import AtollPresence
import AtollStorage
import AtollVocabulary
import Foundation
import LoopTestKit
import Testing

/// A new daemon takes the objects of another one, and is killed again and again while it does.
@Suite struct BootstrapTests {
  /// The number of kills; a hundred on request.
  private static let kills =
    ProcessInfo.processInfo.environment["ATOLL_BOOTSTRAP_KILLS"].flatMap { Int($0) } ?? 5
  private static let storeID = StoreID(high: 0xB007, low: 1)
  private static let changesets = 300

  @Test(.timeLimit(.minutes(30)))
  func `killed at any point of its bootstrap a daemon goes on, and has everything once`()
    async throws
  {
    try await withFolder { folder in
      let seed = UInt64.random(in: 0 ... .max)
      print("seed \(seed): a daemon killed during its bootstrap")
      var random = SeededGenerator(seed: seed)
      let (given, taken) = (folder + "/given.atoll", folder + "/taker/taken.atoll")
      let author = try Self.fill(given)
      let giver = try DaemonProcess(
        ["--store", given, "--listen", "127.0.0.1:0", "--snapshot-after", "100"], in: folder)
      let address = "127.0.0.1:\(try await giver.port())"
      let place = folder + "/taker"
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
      try StoreFile.open(taken, options: StoreOptions(storeID: Self.storeID)).close()
      for _ in 0..<Self.kills {
        let taker = try DaemonProcess(["--store", taken, "--peer", address], in: place)
        await taker.change(Int.random(in: 1...40, using: &random))
        taker.send(SIGKILL)
        #expect(try await taker.ended.value().isBySignal)
      }
      let taker = try DaemonProcess(["--store", taken, "--peer", address], in: place)
      for _ in 0..<6 where !Self.hasAll(taken, of: author) {
        _ = try? await taker.wait { Self.hasAll(taken, of: author) ? true : nil }
      }
      for daemon in [taker, giver] {
        daemon.send(SIGTERM)
        #expect(try await daemon.ended.value().exitCode == 0)
      }
      try Self.expectEqual(taken, given, "seed \(seed)")
    }
  }

  /// Many changesets of a few objects each.
  private static func fill(_ path: String) throws -> String {
    let file = try makeNoteStore(
      path, id: storeID,
      transactions: (0..<changesets).lazy.map { number in
        (0..<20).map { key in String(repeating: "\(number) and \(key), ", count: 40) }
      })
    defer { file.close() }
    return "\(file.author)"
  }

  /// As the daemon says beside its store.
  private static func hasAll(_ path: String, of author: String) -> Bool {
    guard let status = StoreStatus.current(ofStoreAt: path) else { return false }
    return status.applied[author] ?? 0 >= UInt64(changesets) && status.bootstrap == nil
      && status.backfill == nil
  }

  private static func expectEqual(_ path: String, _ other: String, _ comment: Comment) throws {
    let (taken, given) = (try open(path), try open(other))
    defer {
      taken.close()
      given.close()
    }
    #expect(try taken.verify() == [], comment)
    #expect(try taken.logStart().missing == nil, comment)
    #expect(try taken.logStart().offer != nil, "it took the log instead; \(comment)")
    for pair in try zip(taken.counts(), given.counts()) where pair.0.class.name == "Note" {
      #expect(pair.0.objects == changesets * 20 && pair.1.objects == changesets * 20, comment)
    }
    #expect(try taken.appliedVector().includes(given.appliedVector()), comment)
  }

  private static func open(_ path: String) throws -> StoreFile {
    try StoreFile.open(path, options: StoreOptions(isReadOnly: true, mayCreate: false))
  }
}

extension DaemonProcess {
  /// Waits until the files beside its store have changed so many times, or no longer change.
  fileprivate func change(_ times: Int) async {
    let left = Shared(times)
    _ = try? await wait {
      left.withLock { left -> Int? in
        left -= 1
        return left < 0 ? 0 : nil
      }
    }
  }
}
