import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

@testable import AtollCluster

/// `atoll verify --against`, and the alarm between daemons, on a row that was modified externally.
@Suite struct VerifyAgainstTests {
  private let folder = TemporaryFolder()
  private let modification = "UPDATE City SET inhabitants = 1 WHERE name = 'Bern'"

  private func atoll(_ arguments: String...) throws -> Command.Ending {
    try Command.run(arguments)
  }

  @Test func `equal replicas are equal, and code 0 says so`() throws {
    try folder.makeCities(at: "a.atoll").close()
    try folder.copyLog(from: "a.atoll", to: "b.atoll")
    let ending = try atoll(
      "verify", folder.path("a.atoll"), "--against", folder.path("b.atoll"))
    #expect(ending.code == 0)
    #expect(ending.text.hasPrefix("equal: 1 exchange, digest "))
    #expect(ending.text.hasSuffix("; both have applied the same"))
  }

  @Test func `an object that differs from another file's is named, and code 1 says so`() throws {
    try folder.makeCities(at: "a.atoll").close()
    try folder.copyLog(from: "a.atoll", to: "b.atoll")
    try folder.modifyExternally(modification, at: "b.atoll")
    try folder.modifyExternally("DELETE FROM City WHERE name = 'Basel'", at: "b.atoll")
    let ending = try atoll(
      "verify", folder.path("a.atoll"), "--against", folder.path("b.atoll"))
    #expect(ending.code == 1)
    #expect(ending.lines.count == 3)
    #expect(ending.lines.first?.hasSuffix("; there unknown") == true)
    #expect(ending.lines.last == "different: 2 objects, 2 exchanges; both have applied the same")
  }

  @Test func `daemons raise the alarm about an externally modified row, and the search finds it`()
    throws
  {
    try folder.makeCities(at: "made.atoll").close()
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let (a, b) = (try node("A", cleanUp), try node("B", cleanUp))
    for node in [a, b] {
      try FileManager.default.removeItem(atPath: node.storePath)
      try folder.copyLog(from: "made.atoll", to: relative(node))
    }
    try folder.modifyExternally(modification, at: relative(b))
    try a.start(peers: [])
    try b.start(peers: [a.port])
    let status = try status(of: b) { $0.contains("DIVERGED") && $0.contains("MODIFIED") }
    #expect(status.contains("MODIFIED externally: rows of City"))
    #expect(try self.status(of: a) { $0.contains("DIVERGED") }.contains("MODIFIED") == false)
    let ending = try atoll("verify", a.storePath, "--against", "127.0.0.1:\(b.port)")
    #expect(ending.code == 1)
    #expect(ending.lines.count == 2)
    #expect(ending.lines.first?.hasPrefix("City ") == true)
    #expect(ending.lines.last == "different: 1 objects, 2 exchanges; both have applied the same")
    let log = try String(
      contentsOf: a.folder.appendingPathComponent("atolld.log"), encoding: .utf8)
    #expect(log.contains("DIVERGED from replica"))
  }

  @Test func `a peer that is not there, or serves another store, is said so`() throws {
    try folder.makeCities(at: "a.atoll").close()
    let nobody = try atoll("verify", folder.path("a.atoll"), "--against", "127.0.0.1:1")
    #expect(nobody.code == 1)
    #expect(nobody.text.contains("nobody listens there: start the peer, or correct the address"))
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let other = try DaemonNode(
      name: "other", in: folder.url, storeID: StoreID(high: 7, low: 7), cleanUp: cleanUp)
    try other.start(peers: [])
    let refused = try atoll(
      "verify", folder.path("a.atoll"), "--against", "127.0.0.1:\(other.port)")
    #expect(refused.code == 1)
    #expect(refused.text.contains("the question is about store \(StoreID.test)"))
  }

  private func node(_ name: String, _ cleanUp: CleanUp) throws -> DaemonNode {
    try DaemonNode(name: name, in: folder.url, storeID: .test, cleanUp: cleanUp)
  }

  private func relative(_ node: DaemonNode) -> String { "\(node.name)/airports.atoll" }

  /// Returns the output of `atoll status` once it satisfies `isRight`.
  private func status(
    of node: DaemonNode, _ isRight: (String) -> Bool
  ) throws -> String {
    let found = Bounded.wait(.seconds(20), while: { node.processID != nil }) {
      (try? Command.run(["status", node.storePath]).text).flatMap { isRight($0) ? $0 : nil }
    }
    return try #require(found, "the status that was waited for never came")
  }
}
