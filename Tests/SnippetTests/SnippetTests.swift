import Foundation
import TestKit
import Testing

@testable import AtollCluster

// The programs in `Snippets/`, whose code the documentation shows, run as they are.
@Suite struct SnippetTests {
  @Test func `the program of the front page prints what it says`() throws {
    #expect(try lines(of: "FrontPage") == ["[\"Kloten\"] flughafen-zuerich.ch"])
  }

  @Test func `projecting your own types works as its page says`() throws {
    #expect(
      try lines(of: "ProjectingYourOwnTypes") == [
        "[\"Kunsthaus\"]",
        "[30.0, 40.0]",
        "Museum with name Broken: timeZone is 'Mars/Olympus'",
        "Mars/Olympus false",
      ])
  }

  @Test func `simulating your own models works as its page says`() throws {
    // A hundred seeds without optimisation are some twenty seconds of work for a core of its own.
    #expect(
      try lines(of: "SimulatingYourOwnModels", within: .seconds(300)) == ["100 seeds"])
  }

  @Test func `knowing what is safe works as its page says`() throws {
    #expect(
      try lines(of: "KnowingWhatIsSafe") == [
        "no replica is called backup; `atoll peers` lists those that exist",
        "unnamed connected", "paused", "1 true",
      ])
  }

  @Test func `observing changes works as its page says`() throws {
    #expect(
      try lines(of: "ObservingChanges") == [
        "there are 1",
        "now [\"Engadin\"]: -[] +[] ~[0]",
        "main actor: 1",
        "renamed: [0]",
        "[279, 1708] m: sections +1 -0, +0",
        "at 279 m: [\"Lugano\"]",
        "now [\"Agno\"]",
        "nobody at 279 m any more",
        "elevation: 1708 → 1707",
        "by this process",
        "from 0 to 2",
        "by this process",
        "loop: 1",
        "the name changed",
      ])
  }

  @Test func `concurrency works as its page says`() throws {
    #expect(
      try lines(of: "Concurrency") == [
        "1", "Samedan CH", "Engadin", "another thread: Engadin", "frozen: [\"Engadin\"]",
        "live: Samedan Airport", "Engadin CH", "invalidObject",
      ])
  }

  @Test func `migrations work as their page says`() throws {
    #expect(
      try lines(of: "Migrations") == [
        "[\"Ada Lovelace, 36.0\"]",
        "version 2",
        "[\"Ada Lovelace\"]",
        "[\"Ada Lovelace, 36.0\"]",
        "36.0 90.0 seconds",
        "36.5 36 60.0",
        "37.0",
        "0",
      ])
  }

  @Test func `models and objects work as their page says`() throws {
    #expect(
      try lines(of: "Models") == [
        "Emma: A Novel 100 paperback true",
        "Walden [\"Walden\"]",
        "Emma by Jane Austen",
        "Emma. 512",
        "there is one already",
        "true 1",
      ])
  }

  @Test func `lists, sets and maps work as their page says`() throws {
    #expect(
      try lines(of: "ListsSetsAndMaps") == [
        "[\"Station\", \"Harbour\", \"Museum\"]",
        "[5, 7] 12",
        "false [\"accessible\", \"tram\"]",
        "1.75 [\"adult\", \"senior\"]",
        "1", "1", "1",
        "[\"Station\"]",
        "[\"Harbour\", \"Market\", \"Museum\", \"Station\"]",
      ])
  }

  @Test func `any-typed values work as their page says`() throws {
    #expect(
      try lines(of: "AnyTypedValues") == ["an object Ada", "red 4.5", "4 3", "1", "1", "1"])
  }

  @Test func `counters and conflicts work as their page says`() throws {
    #expect(
      try lines(of: "CountersAndConflicts") == [
        "13 [\"linux\", \"swift\"] Of islands",
        "Post title laterTime",
        "lost: \"On islands\", kept: \"Of islands\"",
        "On islands 0",
      ])
  }

  @Test func `models and JSON work as their page says`() throws {
    #expect(
      try lines(of: "CodableModels") == [
        "[\"Ada Main Street 1\", \"Bo -\"]",
        #"{"address":null,"full_name":"Bo","id":2,"phones":[],"since":"2021-05-01T00:00:00Z"}"#,
        #"["Ada","Bo"]"#,
      ])
  }

  @Test func `class projections work as their page says`() throws {
    #expect(
      try lines(of: "ClassProjections") == [
        "LSZH Kloten nowhere 0", "LSZS Samedan Switzerland 1", "Engadin", "changed: name",
        "Engadin Airport",
      ])
  }

  @Test func `using Atoll in a server works as its page says`() throws {
    #expect(try lines(of: "UsingAtollInAServer") == ["[\"/ 200\", \"/about 100\"]", "[\"/\"]"])
  }

  @Test func `errors are caught as their page says`() throws {
    let printed = try lines(of: "Troubleshooting")
    #expect(printed.first == "put a backup in its place" && printed.last == "true 1")
    #expect(printed[1].contains("there is one with the key 1 already"))
    #expect(printed[2] == "added 2" && printed[3].contains("perhaps \"name\""), "\(printed)")
  }

  @Test func `coming from Realm brings data along as its page says`() throws {
    let folder = TemporaryFolder()
    #expect(try lines(of: "ComingFromRealm", [folder.url.path]) == ["3 objects"])
    let (old, new) = (folder.path("old.atoll"), folder.path("new.atoll"))
    let schema = folder.path("schema.json")
    try lines(of: "atoll", ["schema", old, "--json"]).joined(separator: "\n")
      .write(toFile: schema, atomically: true, encoding: .utf8)
    #expect(try lines(of: "atoll", ["init", new]).isEmpty == false)
    let done = try lines(
      of: "atoll", ["import", new, "--realm-json", folder.path("zoo.json"), "--schema", schema])
    #expect(done == ["3 objects made, 0 changed"])
    // Objects without a primary key are other objects of the other replica; what is null may be left out.
    func export(_ store: String) throws -> [String] {
      try lines(of: "atoll", ["export", store]).map {
        $0.replacing(#/"identity":"[^"]*"/#, with: "").replacing(#/"\w+":null,/#, with: "")
      }
    }
    #expect(try export(new) == export(old))
  }

  /// Returns the output of a program; it must end by itself, without an error.
  private func lines(
    of name: String, _ arguments: [String] = [], within bound: Duration = .seconds(60)
  ) throws -> [String] {
    let program = try Program(Program.sibling(name), arguments, name: name, cleanUp: CleanUp())
    let (code, lines) = try program.end(within: bound)
    #expect(code == 0, "\(lines)")
    return lines
  }
}
