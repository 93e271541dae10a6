import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// `atoll gc`: what goes from the log, and for whom the rest is kept.
@Suite struct GarbageCommandTests {
  private let folder = TemporaryFolder()

  @Test func `gc removes what everybody has, and nothing that is young`() throws {
    let file = try folder.makeCities(at: "a.atoll")
    let path = folder.path("a.atoll")
    // As long as nobody else was ever met, nothing goes.
    let alone = try Command.run(["gc", path, "--explain", "--older-than", "0"])
    #expect(alone.text.contains("would be 0 bytes"))
    let other = ReplicaID(high: 7, low: 7)
    try file.setRole(.write, of: other)
    try file.retire(other)
    file.close()
    let before = try Command.run(["export", path]).lines
    #expect(try Command.run(["gc", path]).lines == ["removed  0 changesets, 0 bytes"])
    let explained = try Command.run(["gc", path, "--explain", "--older-than", "0"])
    #expect(explained.text.contains("which everybody has and are older than 0 days"))
    #expect(explained.text.contains(" has everything"))
    let removed = try Command.run(["gc", path, "--older-than", "0"])
    #expect(removed.text.hasPrefix("removed  4 changesets, "))
    #expect(try Command.run(["log", path]).text == "")
    #expect(try Command.run(["export", path]).lines == before)
    #expect(try Command.run(["verify", path]).code == 0)
    #expect(
      try Command.run(["gc", path, "--explain", "--older-than=-1"]).text
        .contains("from 0 to 36500"))
  }

  @Test func `why tells who wrote what was cut off the log`() throws {
    let file = try folder.makeCities(at: "a.atoll")
    let path = folder.path("a.atoll")
    let other = ReplicaID(high: 7, low: 7)
    try file.setRole(.write, of: other)
    try file.retire(other)
    let author = file.author.shortDescription
    file.close()
    let before = try Command.run(["why", path, "City", "Bern", "inhabitants"])
    #expect(!before.text.contains("cut off"))
    #expect(try !Command.run(["gc", path, "--older-than", "0"]).text.contains("removed  0"))
    let lines = try Command.run(["why", path, "City", "Bern", "inhabitants"]).lines
    #expect(lines.first == "City \"Bern\" inhabitants is 134000")
    #expect(lines.dropFirst().first?.hasPrefix("written   at ") == true)
    #expect(lines.dropFirst().first?.contains(author.prefix(8)) == true)
    #expect(lines.last?.contains("every replica had, and that was cut off the log") == true)
  }

  @Test func `gc tells who holds the truncation point back, and the cost`() throws {
    let file = try folder.makeCities(at: "a.atoll")
    let path = folder.path("a.atoll")
    // Somebody who has applied nothing, as far as is known, and is to be retired.
    let other = ReplicaID(high: 7, low: 7)
    try file.setRole(.write, of: other)
    file.close()
    let explained = try Command.run(["gc", path, "--explain", "--older-than", "0"])
    #expect(explained.text.contains("would be 0 bytes"))
    #expect(explained.text.contains("bytes are kept for it alone"))
    #expect(explained.text.contains("held     back by \(String("\(other)".prefix(8)))"))
    let json = try Command.run(["gc", path, "--explain", "--older-than", "0", "--json"])
    #expect(json.text.contains("\"removable\":0"))
    #expect(json.text.contains("\"deletions\":0"))
    #expect(try Command.run(["peer", "retire", path, "\(other)"]).code == 0)
    let after = try Command.run(["gc", path, "--older-than", "0"])
    #expect(!after.text.contains("removed  0 changesets"))
  }

  @Test func `gc tells what deleted objects still cost, and is right within a fifth`() throws {
    let file = try folder.makeCities(at: "a.atoll")
    let path = folder.path("a.atoll")
    let city = try #require(try file.classes.first { $0.name == "City" })
    func bytes() throws -> Int {
      let connection = try Connection(path: path, access: .readWrite)
      defer { connection.close() }
      return Int(
        try connection.integer(
          "SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%atoll_dead%'") ?? 0)
    }
    for _ in 0..<2 {
      try file.beginWrite()
      for number in 0..<2000 {
        let key = PersistedValue.string("a city that is number \(number)")
        if let known = try file.find(city.id, key: key) {
          try file.delete(city.id, id: known)
        } else {
          _ = try file.create(city.id, key: key, fields: [])
        }
      }
      _ = try file.commitWrite()
    }
    file.close()
    let text = try Command.run(["gc", path, "--explain"]).text
    let words = try #require(text.split(separator: "\n").first { $0.hasPrefix("deleted") })
      .split(separator: " ")
    #expect(words[1] == "2000")
    let told = try #require(words.dropLast().last.flatMap { Double($0) })
    let found = Double(try bytes())
    #expect(abs(told - found) < found / 5, "\(told) bytes told, \(found) found")
  }
}
