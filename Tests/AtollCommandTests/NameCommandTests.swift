import AtollStorage
import Foundation
import TestKit
import Testing

/// The names of replicas, as commands set and show them.
@Suite struct NameCommandTests {
  private let folder: TemporaryFolder
  private let path: String

  init() {
    folder = TemporaryFolder()
    path = folder.path("a.atoll")
  }

  @Test func `a name given at init is told by status, why and name`() throws {
    let made = try Command.run(["init", path, "--name", "kitchen"])
    #expect(made.code == 0)
    #expect(made.lines[2] == "name     kitchen")
    let status = try Command.run(["status", path])
    let author = String(try #require(status.lines[1].split(separator: " ").last))
    #expect(status.lines[2] == "name     kitchen")
    #expect(try Command.run(["status", path, "--json"]).text.contains("\"name\":\"kitchen\""))
    let replica = String(author.prefix(32))
    #expect(try Command.run(["name", path]).lines == ["\(replica)  kitchen"])
    let why = try Command.run(["why", path, "atoll.Replica", replica, "name"])
    #expect(why.lines.first == "atoll.Replica \"\(replica)\" name is \"kitchen\"")
    #expect(why.lines[2].hasSuffix("by kitchen (\(author))"))
  }

  @Test func `a name can be changed, and none that is too long is taken`() throws {
    #expect(try Command.run(["init", path]).code == 0)
    #expect(try Command.run(["name", path]).text == "")
    #expect(try Command.run(["name", path, "hall"]).lines.last?.hasSuffix("  hall") == true)
    let long = try Command.run(["name", path, String(repeating: "x", count: 129)])
    #expect(long.code == 1)
    #expect(long.text.contains("a replica's name"))
    #expect(try Command.run(["name", path]).lines.last?.hasSuffix("  hall") == true)
  }

  @Test func `a hostile name leaves a terminal alone`() throws {
    #expect(try Command.run(["init", path, "--name", "a\u{1B}[2Jb"]).code == 0)
    let shown = try Command.run(["status", path])
    #expect(shown.lines[2] == "name     a\u{FFFD}[2Jb")
    #expect(!shown.text.contains("\u{1B}"))
  }
}
