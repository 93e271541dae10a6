@testable import AtollNode
import AtollPresence
import AtollSQLite
import AtollStorage
import AtollVocabulary
import LoopTestKit
import Testing

/// Conditions of a file that only a failing disk brings about.
@Suite(.timeLimit(.minutes(2))) struct FileConditionTests {
  @Test func `issue 28.19: a file that cannot be written is a failing condition while that lasts`()
    async throws
  {
    try await withFolder { folder in
      let disk = try FaultDisk()
      let failing = try makeNode([folder + "/b"], disk: disk)
      try await run(failing) { port in
        try await withNode(folder + "/a", peers: [port]) { _ in
          let (here, there) = try (
            TestApplication(folder + "/a"), TestApplication(folder + "/b")
          )
          try here.write(0..<1)
          try await there.wait(for: try here.file.appliedVector())
          disk.plan(FaultDisk.Plan(.inputOutput, at: [.write], isLasting: true))
          try here.write(1..<2)
          _ = try await status(of: folder + "/b") { status in
            status.conditions?.contains { $0.kind == .fileNotWritten } == true
          }
          #expect(await failing.health().isWorking == false)
          disk.plan(nil)
          try await there.agree(with: here)
          _ = try await status(of: folder + "/b") { $0.conditions == nil }
          #expect(await failing.health().all == [])
        }
      }
    }
  }

  /// A daemon with `create = yes` made an empty store there, to look whether its log can be cut.
  @Test func `issue 28.19: a file that was removed is not made again`() async throws {
    try await withFolder { folder in
      let told = Promise<String>()
      let options = StoreOptions(storeID: testStoreID, mayCreate: true)
      let inspector = StoreInspector(StorePaths(folder + "/a"), options: options) { reports in
        told.keep("\(reports)")
      }
      inspector.truncateLog(olderThan: .seconds(60))
      let trouble = try await told.value(within: .seconds(20))
      #expect(trouble.contains("truncating the log"))
      #expect(FileFacts(path: folder + "/a") == nil)
    }
  }

  @Test func `issue 28.19: a log that cannot be read is a failing condition while that lasts`()
    async throws
  {
    try await withFolder { folder in
      let disk = try FaultDisk()
      let here = try TestApplication(folder + "/a")
      for number in 0..<40 { try here.write(number..<(number + 1), nameBytes: 20_000) }
      let failing = try makeNode([folder + "/a"], disk: disk)
      try await run(failing) { port in
        disk.plan(FaultDisk.Plan(.inputOutput, at: [.read], isLasting: true))
        try await withNode(folder + "/b", peers: [port]) { _ in
          _ = try await status(of: folder + "/a") { status in
            status.conditions?.contains { $0.kind == .fileNotRead } == true
          }
          #expect(await failing.health().isWorking == false)
          disk.plan(nil)
          let there = try TestApplication(folder + "/b")
          try await there.agree(with: here)
          _ = try await status(of: folder + "/a") { $0.conditions == nil }
        }
      }
    }
  }
}
