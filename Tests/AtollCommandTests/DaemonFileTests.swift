import AtollStorage
import Foundation
import TestKit
import Testing

@testable import AtollCluster

/// Files that are changed or missing under a real daemon.
@Suite struct DaemonFileTests {
  private let folder = TemporaryFolder()
  private let cleanUp = CleanUp()

  private var log: String {
    (try? String(contentsOfFile: folder.path("log"), encoding: .utf8)) ?? ""
  }

  private func daemon(_ arguments: [String]) throws -> Program {
    try Program(
      Program.sibling("atolld"), arguments, name: "atolld",
      log: URL(filePath: folder.path("log")), cleanUp: cleanUp)
  }

  /// Waits, with a bound, until the log says something.
  private func said(_ words: String) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while !log.contains(words) {
      guard ContinuousClock.now < end else {
        Issue.record("\(words): \(log)")
        return
      }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  @Test func `issue 28.21: a daemon makes no store that is missing`() throws {
    let path = folder.path("gone.atoll")
    let (code, lines) = try daemon(["--store", path]).end(within: .seconds(20))
    #expect(code == 78)
    #expect((lines.joined() + log).contains("atoll init \(path)"))
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(!FileManager.default.fileExists(atPath: path + "-lock"))
  }

  @Test func `issue 28.21: externally modified rows are found while the daemon runs`()
    async throws
  {
    try folder.makeCities(at: "a.atoll").close()
    let program = try daemon(["--store", folder.path("a.atoll")])
    try await said("serving")
    try folder.makeCountry("FR", at: folder.path("a.atoll"))
    try await Task.sleep(for: .seconds(12))
    #expect(!log.contains("City"))
    try folder.modifyExternally(
      "UPDATE City SET inhabitants = 1 WHERE name = 'Bern'", at: "a.atoll")
    try await said("City")
    kill(program.processID, SIGTERM)
    _ = try program.end(within: .seconds(20))
  }

  @Test func `issue 28.21: a file put over that of a running daemon is told`() async throws {
    let file = try folder.makeCities(at: "a.atoll")
    try file.backUp(to: folder.path("backup.atoll"))
    file.close()
    let path = folder.path("a.atoll")
    let program = try daemon(["--store", path])
    try await said("serving")
    let bytes = try Data(contentsOf: URL(filePath: folder.path("backup.atoll")))
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.write(contentsOf: bytes)
    try handle.close()
    try await said("something else was written over it")
    #expect(log.contains("atoll restore"))
    kill(program.processID, SIGTERM)
    _ = try program.end(within: .seconds(20))
    #expect(try Data(contentsOf: URL(filePath: path)).prefix(4096) == bytes.prefix(4096))
  }
}
