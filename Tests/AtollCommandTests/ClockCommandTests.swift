import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

@testable import AtollCluster

/// `atoll clock`, and what `atoll status` says of clocks.
@Suite struct ClockCommandTests {
  private let folder = TemporaryFolder()
  private let hour: Int64 = 3_600_000

  private func atoll(_ arguments: String...) throws -> Command.Ending {
    try Command.run(arguments)
  }

  /// a.atoll, written an hour ahead, and b.atoll, which holds all of it.
  private func makeStores() throws -> StoreFile {
    let file = try folder.makeCities(at: "a.atoll", clockAhead: hour)
    try folder.copyLog(from: "a.atoll", to: "b.atoll")
    return file
  }

  @Test func `scenario 46 status names deferred changesets, and the replica whose time is ahead`()
    throws
  {
    let file = try makeStores()
    let status = try atoll("status", folder.path("b.atoll"))
    #expect(status.lines.contains("applied  {}"))
    #expect(status.lines.contains { $0.hasPrefix("stored   {") })
    #expect(
      status.lines.contains {
        $0.hasPrefix("waiting  2 changesets of \(file.author), stamped up to 35")
      })
    let json = try atoll("status", folder.path("b.atoll"), "--json")
    #expect(json.text.contains(#""stored":{"\#(file.author)":2}"#))
    #expect(json.text.contains(#""changesets":2"#))
    #expect(!status.text.contains("warning"))
    let ahead = try atoll("status", folder.path("a.atoll"))
    #expect(ahead.lines.contains { $0.hasPrefix("warning  this replica's own time is 35") })
    #expect(ahead.text.contains("`atoll clock repair`"))
  }

  @Test func `scenario 46 release applies deferred changesets, and the release travels`() throws {
    let file = try makeStores()
    let released = try atoll(
      "clock", "release", folder.path("b.atoll"), String("\(file.author)".prefix(6)))
    #expect(released.text == "released \(file.author) through changeset 2")
    #expect(released.code == 0)
    let export = try atoll("export", folder.path("b.atoll"))
    #expect(export.lines == (try atoll("export", folder.path("a.atoll")).lines))
    try folder.copyLog(from: "b.atoll", to: "c.atoll")
    #expect(try atoll("export", folder.path("c.atoll")).lines == export.lines)
    #expect(try atoll("verify", folder.path("c.atoll")).code == 0)
  }

  @Test func `a release of somebody without deferred changesets names those who have some`()
    throws
  {
    let file = try makeStores()
    let ended = try atoll("clock", "release", folder.path("b.atoll"), "none")
    #expect(ended.code == 1)
    #expect(ended.text.contains("there are some of \(file.author)"))
  }

  @Test func `scenario 46 repair reissues what others hold`() throws {
    let file = try makeStores()
    let before = try atoll("export", folder.path("a.atoll"))
    let refused = try atoll("clock", "repair", folder.path("a.atoll"))
    #expect(refused.code == 1)
    #expect(refused.text.contains("no peer is linked"))
    #expect(refused.text.contains("--alone"))
    let repaired = try atoll("clock", "repair", folder.path("a.atoll"), "--alone")
    #expect(repaired.text.hasPrefix("reissued 2 changesets of \(file.author) as "))
    #expect(try atoll("export", folder.path("a.atoll")).lines == before.lines)
    try folder.copyLog(from: "a.atoll", to: "b.atoll")
    #expect(try atoll("export", folder.path("b.atoll")).lines == before.lines)
    #expect(try atoll("verify", folder.path("b.atoll")).code == 0)
    #expect(
      try atoll("clock", "repair", folder.path("a.atoll")).text
        == "nothing to repair: the store's time is not ahead of this clock")
  }
}
