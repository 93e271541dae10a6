import AtollChanges
import AtollStorage
import Foundation
import TestKit
import Testing

/// The replicas of a store, as commands show and change them.
@Suite struct PeerCommandTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = TemporaryFolder()
    path = folder.path("a.atoll")
    #expect(try Command.run(["init", path, "--name", "kitchen"]).code == 0)
    let clone = folder.path("b.atoll")
    #expect(try Command.run(["clone", path, clone]).code == 0)
    #expect(try Command.run(["name", clone, "backup"]).code == 0)
    let other = try StoreFile.open(clone, options: StoreOptions(mayCreate: false))
    defer { other.close() }
    let file = try StoreFile.open(path, options: StoreOptions(mayCreate: false))
    defer { file.close() }
    let lacking = try file.holdings().stored
    let batch = try other.entries(lackedBy: lacking, after: .start, limitBytes: 1 << 20)
    _ = try file.apply(
      batch.entries.map {
        IncomingChangeset(
          author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes,
          expectedHash: $0.id.hash)
      })
  }

  @Test func `peers lists who exists and what each is known to have`() throws {
    let lines = try Command.run(["peers", path]).lines
    #expect(lines.count == 2)
    #expect(lines.contains { $0.hasSuffix("  kitchen  this one") })
    #expect(lines.contains { $0.hasSuffix("  backup  not connected, never heard of") })
    let json = try Command.run(["peers", path, "--json"]).text
    #expect(json.contains("\"name\":\"backup\""))
    #expect(json.contains("\"role\":\"write\""))
  }

  @Test func `a replica is retired by its name, and readmitted by its id`() throws {
    let retired = try Command.run(["peer", "retire", path, "backup"])
    #expect(retired.code == 0)
    let line = try #require(
      try Command.run(["peers", path]).lines.first { $0.contains("backup") })
    #expect(line.contains("retired"))
    #expect(try Command.run(["peer", "readmit", path, String(line.prefix(12))]).code == 0)
    #expect(try !Command.run(["peers", path]).text.contains("retired"))
  }

  @Test func `whoever is not known cannot be retired, and the error says who is`() throws {
    let refused = try Command.run(["peer", "retire", path, "cellar"])
    #expect(refused.code == 1)
    #expect(refused.text.contains("cellar"))
    #expect(refused.text.contains("backup"))
  }
}
