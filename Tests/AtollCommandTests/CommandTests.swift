import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

@testable import AtollCluster

/// `atoll` as a process of its own: what it prints, and how it ends.
@Suite struct CommandTests {
  private let folder = TemporaryFolder()

  // MARK: status

  @Test func `status names the daemon that serves the store`() throws {
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let node = try DaemonNode(
      name: "A", in: folder.url, storeID: .test, cleanUp: cleanUp)
    try node.start(peers: [])
    let served = try atoll("status", node.storePath)
    let process = try #require(node.processID)
    #expect(
      served.lines.contains(
        "served   by atolld, process \(process), listening at 127.0.0.1:\(node.port)"))
    #expect(served.lines.last?.hasPrefix("identity ") == true)
    #expect(node.terminate())
    #expect(try atoll("status", node.storePath).lines.last == "served   by nobody")
  }

  @Test func `status counts objects, and digests them when asked`() throws {
    let file = try folder.makeCities(at: "a.atoll")
    let digest = try file.digest()
    let text = try atoll("status", folder.path("a.atoll"), "--digest")
    #expect(text.lines.contains("objects  3 City"))
    #expect(text.lines.contains("objects  1 Country"))
    #expect(text.lines.contains("digest   \(digest)"))
    let json = try atoll("status", folder.path("a.atoll"), "--json")
    #expect(
      json.text == """
        {"applied":{"\(file.author)":2},"health":"ok","objects":{"City":3,"Country":1},\
        "replica":"\(file.author)","store":"\(StoreID.test)"}
        """)
  }

  // MARK: init and join

  @Test func `init makes an empty store that status shows`() throws {
    let made = try atoll("init", folder.path("a.atoll"), "--id", StoreID.test.description)
    #expect(made.code == 0)
    #expect(made.lines.first == "store    \(StoreID.test)")
    let status = try atoll("status", folder.path("a.atoll"))
    #expect(status.code == 0)
    #expect(status.lines.first == "store    \(StoreID.test)")
    #expect(status.lines.contains("applied  {}"))
    #expect(status.lines.contains("served   by nobody"))
  }

  @Test func `init refuses a file that is there, and says what to do`() throws {
    let path = folder.path("a.atoll")
    #expect(try atoll("init", path).code == 0)
    let again = try atoll("init", path)
    #expect(again.code == 1)
    #expect(again.text.contains("there is something at \(path) already"))
    #expect(again.text.contains("atoll status"))
  }

  @Test func `arguments that make no sense end with code 64`() throws {
    #expect(try atoll("init", folder.path("a.atoll"), "--id", "12").code == 64)
    #expect(try atoll("objects", folder.path("a.atoll"), "City", "--limit", "-1").code == 64)
    #expect(try atoll("sing").code == 64)
  }

  @Test func `join takes over an id, given as such or by a file that has it`() throws {
    #expect(try atoll("init", folder.path("a.atoll")).code == 0)
    #expect(try atoll("init", folder.path("b.atoll")).code == 0)
    let byID = try atoll("join", folder.path("a.atoll"), StoreID.test.description)
    #expect(byID.code == 0)
    #expect(byID.text.hasPrefix("store \(StoreID.test), formerly "))
    let byFile = try atoll("join", folder.path("b.atoll"), folder.path("a.atoll"))
    #expect(byFile.code == 0)
    #expect(byFile.text.hasPrefix("store \(StoreID.test), formerly "))
    let again = try atoll("join", folder.path("b.atoll"), folder.path("a.atoll"))
    #expect(again.text == "store \(StoreID.test) already")
  }

  @Test func `join refuses what is neither an id nor a store`() throws {
    #expect(try atoll("init", folder.path("a.atoll")).code == 0)
    let joined = try atoll("join", folder.path("a.atoll"), "neither")
    #expect(joined.code == 1)
    #expect(joined.text.contains("\"neither\" is neither a store's id"))
  }

  @Test func `join refuses a store that has exchanged`() throws {
    try folder.makeCities(at: "a.atoll")
    try folder.copyLog(from: "a.atoll", to: "b.atoll")
    let joined = try atoll("join", folder.path("b.atoll"), String(repeating: "7", count: 32))
    #expect(joined.code == 1)
    #expect(try atoll("status", folder.path("b.atoll")).lines.first == "store    \(StoreID.test)")
  }

  // MARK: Files that are no stores

  @Test(arguments: ["status", "export", "log", "verify"])
  func `a file that is not there is named`(command: String) throws {
    let ended = try atoll(command, folder.path("none.atoll"))
    #expect(ended.code == 1)
    #expect(ended.text.contains(folder.path("none.atoll")))
    #expect(!FileManager.default.fileExists(atPath: folder.path("none.atoll")))
  }

  @Test(arguments: ["status", "export", "log", "verify"])
  func `a file that is no database is named and left as it is`(command: String) throws {
    let text = String(repeating: "This is not a database. ", count: 100)
    try text.write(toFile: folder.path("a.atoll"), atomically: true, encoding: .utf8)
    let ended = try atoll(command, folder.path("a.atoll"))
    #expect(ended.code == (command == "verify" ? 2 : 1))
    #expect(ended.text.contains(folder.path("a.atoll")))
    #expect(try String(contentsOfFile: folder.path("a.atoll"), encoding: .utf8) == text)
  }

  // MARK: objects

  @Test func `objects shows aligned columns, and links by their keys`() throws {
    try folder.makeCities(at: "a.atoll")
    let shown = try atoll("objects", folder.path("a.atoll"), "City")
    #expect(shown.code == 0)
    #expect(
      shown.lines == [
        "name        inhabitants  height  place    place.latitude  place.longitude  country  rivers",
        "\"Bern\"      134000       540.0   present  46.9            7.4              \"CH\"     1 element",
        "\"Basel\"     173000       260.0   present  47.5            7.6              \"CH\"     2 elements",
        "\"Atlantis\"  nil          nil     nil      nil             nil              nil      0 elements",
      ])
  }

  @Test func `objects takes a predicate and a limit`() throws {
    try folder.makeCities(at: "a.atoll")
    let path = folder.path("a.atoll")
    let swiss = "country.code == \"CH\" AND inhabitants > 150000"
    #expect(try names("objects", path, "City", "--where", swiss) == ["\"Basel\""])
    #expect(try names("objects", path, "City", "--where", "place.latitude < 47") == ["\"Bern\""])
    #expect(try names("objects", path, "City", "--where", "country == nil") == ["\"Atlantis\""])
    #expect(
      try names("objects", path, "City", "--where", "country == obj('Country', 'CH')")
        == ["\"Bern\"", "\"Basel\""])
    #expect(try names("objects", path, "City", "--where", "height * 2 > 600") == ["\"Bern\""])
    #expect(try names("objects", path, "City", "--limit", "1") == ["\"Bern\""])
    #expect(try names("objects", path, "City", "--limit", "0") == [])
  }

  @Test func `objects as JSON shows what is embedded, linked and listed`() throws {
    try folder.makeCities(at: "a.atoll")
    let shown = try atoll(
      "objects", folder.path("a.atoll"), "City", "--json", "--where", "name == 'Basel'")
    #expect(
      shown.lines == [
        #"{"class":"City","key":"Basel","country":{"class":"Country","key":"CH"},"#
          + #""height":260.0,"inhabitants":173000,"#
          + #""place":{"latitude":47.5,"longitude":7.6},"rivers":["Rhein","Birs"]}"#
      ])
    let export = try atoll("export", folder.path("a.atoll"))
    #expect(export.lines.contains(shown.text))
  }

  @Test func `objects as CSV leaves nil empty and quotes what needs it`() throws {
    try folder.makeCities(at: "a.atoll")
    let shown = try atoll(
      "objects", folder.path("a.atoll"), "City", "--format", "csv", "--where",
      "TRUEPREDICATE SORT(name ASC) LIMIT(2)")
    #expect(
      shown.lines == [
        "name,inhabitants,height,place,place.latitude,place.longitude,country,rivers",
        "Atlantis,,,,,,,0", "Basel,173000,260.0,present,47.5,7.6,CH,2",
      ])
    #expect(
      try atoll("objects", folder.path("a.atoll"), "City", "--format", "csv", "--json").code == 64)
  }

  @Test func `objects explains how its query is run`() throws {
    try folder.makeCities(at: "a.atoll")
    let shown = try atoll(
      "objects", folder.path("a.atoll"), "City", "--explain", "--where", "country.code == 'CH'")
    #expect(shown.code == 0)
    #expect(shown.lines.first?.hasPrefix("SELECT ") == true)
    #expect(shown.text.contains("INTEGER PRIMARY KEY (rowid=?)"))
  }

  @Test func `a class that is not there is answered with those that are`() throws {
    try folder.makeCities(at: "a.atoll")
    let shown = try atoll("objects", folder.path("a.atoll"), "Town")
    #expect(shown.code == 1)
    #expect(shown.text.contains("it holds no class \"Town\"; it holds "))
    #expect(shown.text.contains("City"))
  }

  @Test func `a predicate that cannot be read is marked at its place`() throws {
    try folder.makeCities(at: "a.atoll")
    let shown = try atoll("objects", folder.path("a.atoll"), "City", "--where", "height >> 3")
    #expect(shown.code == 1)
    #expect(shown.text.contains("at character 9: found \">\", expected a property, a string"))
    #expect(shown.lines.last == "          ^")
  }

  // MARK: export, log and verify

  @Test func `export is equal on replicas that hold the same changesets`() throws {
    try folder.makeCities(at: "a.atoll")
    try folder.copyLog(from: "a.atoll", to: "b.atoll")
    let a = try atoll("export", folder.path("a.atoll"))
    let b = try atoll("export", folder.path("b.atoll"))
    #expect(a.code == 0)
    #expect(a.lines == b.lines)
    #expect(a.lines.contains { $0.contains("Atlantis") })
  }

  @Test func `export to a place that cannot be written says so`() throws {
    try folder.makeCities(at: "a.atoll")
    let ended = try atoll(
      "export", folder.path("a.atoll"), "--output", folder.path("no/such/folder"))
    #expect(ended.code == 1)
    #expect(ended.text.contains("the file cannot be made"))
  }

  @Test func `log shows each changeset once, as columns or as JSON`() throws {
    try folder.makeCities(at: "a.atoll")
    let columns = try atoll("log", folder.path("a.atoll"))
    #expect(columns.lines.count == 2)
    #expect(columns.lines.first?.split(separator: "\t").count == 7)
    let json = try atoll("log", folder.path("a.atoll"), "--json", "--after", "1")
    #expect(json.lines.count == 1)
    #expect(json.lines.first?.contains("\"sequence\":2,") ?? false)
    #expect(try atoll("log", folder.path("a.atoll"), "--limit", "1").lines.count == 1)
  }

  @Test func `verify says that a sound store is sound`() throws {
    try folder.makeCities(at: "a.atoll")
    let verified = try atoll("verify", folder.path("a.atoll"))
    #expect(verified.code == 0)
    #expect(verified.text == "sound: 4 objects, 2 changesets")
  }

  @Test func `verify finds what was modified externally, and ends with code 2`() throws {
    try folder.makeCities(at: "a.atoll")
    try folder.modifyExternally(
      "UPDATE City SET inhabitants = 1 WHERE name = 'Bern'", at: "a.atoll")
    let verified = try atoll("verify", folder.path("a.atoll"))
    #expect(verified.code == 2)
    #expect(verified.text.contains("City"))
  }

  @Test func `commands work while another process writes`() throws {
    let file = try folder.makeCities(at: "a.atoll")
    try file.beginWrite()
    defer { file.rollback() }
    #expect(try atoll("status", folder.path("a.atoll")).code == 0)
    #expect(try atoll("objects", folder.path("a.atoll"), "City").lines.count == 4)
  }

  // MARK: backup, clone and restore

  @Test func `backup, restore and clone of a store that a daemon serves`() throws {
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let nodes = try ["A", "B"].map {
      try DaemonNode(name: $0, in: folder.url, storeID: .test, cleanUp: cleanUp)
    }
    let (a, b) = (nodes[0], nodes[1])
    try b.start(peers: [])
    try a.start(peers: [b.port])
    try folder.makeCountry("CH", at: a.storePath)
    let backup = folder.path("backup.atoll")
    #expect(try atoll("backup", a.storePath, backup).lines == ["backup   \(backup)"])
    #expect(try atoll("backup", a.storePath, backup).text.contains("something at \(backup)"))
    try folder.makeCountry("FR", at: a.storePath)
    try waitFor("FR", at: b)
    let refused = try atoll("restore", backup, a.storePath)
    #expect(refused.code == 1)
    #expect(refused.text.contains("has \(a.storePath) open. Stop it first"))

    #expect(a.terminate())
    let restored = try atoll("restore", backup, a.storePath)
    #expect(restored.code == 0)
    #expect(restored.lines.last == "replaced \(a.storePath)-replaced-1")
    try folder.makeCountry("IT", at: a.storePath)
    try a.restart()
    try waitFor("IT", at: b)
    try waitFor("FR", at: a)

    // The replaced file and the restored one are two copies; so is a clone, of another replica.
    let former = try DaemonNode(
      name: "C", in: folder.url, storeID: .test, cleanUp: cleanUp)
    try FileManager.default.removeItem(atPath: former.storePath)
    try FileManager.default.copyItem(
      atPath: a.storePath + "-replaced-1", toPath: former.storePath)
    let clone = try DaemonNode(name: "D", in: folder.url, storeID: .test, cleanUp: cleanUp)
    try FileManager.default.removeItem(atPath: clone.storePath)
    #expect(try atoll("clone", b.storePath, clone.storePath).code == 0)
    try folder.makeCountry("AT", at: former.storePath)
    try folder.makeCountry("LI", at: clone.storePath)
    try former.start(peers: [b.port])
    try clone.start(peers: [b.port])
    for node in [a, b, former, clone] { for code in ["AT", "LI"] { try waitFor(code, at: node) } }
    let exports = try [a, b, former, clone].map { try atoll("export", $0.storePath).lines }
    for export in exports { #expect(export == exports[0]) }
    // Besides, each replica has said that it exists.
    #expect(exports[0].count { !$0.contains("\"class\":\"atoll.Replica\"") } == 5)
    for node in [a, b, former, clone] { #expect(try atoll("verify", node.storePath).code == 0) }
  }

  // MARK: why and conflicts

  @Test func `why and conflicts tell what was lost between two daemons, and by whom it came`()
    throws
  {
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let (a, b) = (
      try DaemonNode(name: "A", in: folder.url, storeID: .test, cleanUp: cleanUp),
      try DaemonNode(name: "B", in: folder.url, storeID: .test, cleanUp: cleanUp)
    )
    try b.start(peers: [])
    try a.start(peers: [b.port])
    try folder.makeCities(at: "A/airports.atoll").close()
    try waitFor("Atlantis", at: b)
    #expect(a.terminate())
    let first = try folder.setInhabitants(1, of: "Bern", at: a.storePath)
    let second = try folder.setInhabitants(2, of: "Bern", at: b.storePath)
    try a.restart()
    for node in [a, b] {
      let found = try Bounded.wait(.seconds(20)) {
        let lines = try atoll("conflicts", node.storePath).lines
        return lines.count == 4 ? lines : nil
      }
      let lines = try #require(found, "no conflict at \(node.name)")
      #expect(lines[0].hasSuffix("City \"Bern\" inhabitants"))
      #expect(lines[1].contains("lost   1 by \(first.shortDescription) at "))
      #expect(lines[2].contains("to     2 by \(second.shortDescription) at "))
      #expect(lines[3].contains("the later time holds"))
    }
    let json = try atoll("conflicts", a.storePath, "City", "Bern", "--json")
    #expect(json.text.contains("\"losing\":{\"author\":\"\(first)\""))
    #expect(try atoll("conflicts", a.storePath, "City", "Basel").text == "")

    let why = try atoll("why", a.storePath, "City", "Bern", "inhabitants")
    #expect(why.code == 0)
    #expect(why.lines[0] == "City \"Bern\" inhabitants is 2")
    #expect(why.lines[1] == "written  2")
    #expect(why.lines[2].hasSuffix("by \(second), came by \(second.shortDescription)"))
    // Its first changeset says that the replica exists.
    #expect(why.lines[3].contains("changeset \(second.shortDescription):2 "))
    #expect(why.text.contains("overwrote 134000"))
    #expect(why.text.contains("lost     1: the later time holds"))
    #expect(why.text.contains("ledger    "))
    let place = try atoll("why", a.storePath, "City", "Bern", "place.latitude")
    #expect(place.lines.first == "City \"Bern\" place.latitude is 46.9")
    let never = try atoll("why", a.storePath, "City", "Nowhere", "inhabitants")
    #expect(never.code == 1)
    #expect(never.text.contains("has written it"))
    #expect(try atoll("why", a.storePath, "City", "Bern", "mayor").code == 1)
    try restoreAndDismiss(a, b, second)
  }

  /// Restores what was lost at one node, from the ledger and from the log, and dismisses it at the other.
  private func restoreAndDismiss(_ a: DaemonNode, _ b: DaemonNode, _ second: Author) throws {
    let number = try numberOfConflict(at: a)
    let unknown = try atoll("conflicts", a.storePath, "--restore", number, "999")
    #expect(unknown.code == 1)
    #expect(unknown.text.contains("reading entry 999 of the conflict ledger"))
    #expect(try atoll("conflicts", a.storePath).lines.count == 4)
    let restored = try atoll("conflicts", a.storePath, "--restore", number)
    #expect(restored.text == "restored 1 of the ledger")
    #expect(try atoll("conflicts", a.storePath).text == "")
    let now = try atoll("why", a.storePath, "City", "Bern", "inhabitants")
    #expect(now.lines.first == "City \"Bern\" inhabitants is 1")
    let lost = try #require(
      now.lines.first { $0.contains("changeset \(second.shortDescription):2 ") }
    ).suffix(16)
    let again = try atoll(
      "why", a.storePath, "City", "Bern", "inhabitants", "--restore", String(lost))
    #expect(again.lines.first == "City \"Bern\" inhabitants is 2")
    let nothing = try atoll(
      "why", a.storePath, "City", "Bern", "inhabitants", "--restore", String(lost.dropLast()))
    #expect(nothing.code == 1)
    #expect(nothing.text.contains("see its history"))
    let dismissed = try atoll("conflicts", b.storePath, "--dismiss", try numberOfConflict(at: b))
    #expect(dismissed.text == "dismissed 1 of the ledger")
    #expect(try atoll("conflicts", b.storePath).text == "")
    for wrong in [["--restore", "1", "--dismiss", "2"], ["City", "--restore", "1"]] {
      #expect(try Command.run(["conflicts", a.storePath] + wrong).code == 64)
    }
  }

  /// The number of the first entry of a node's ledger.
  private func numberOfConflict(at node: DaemonNode) throws -> String {
    String(try #require(try atoll("conflicts", node.storePath).lines.first).prefix { $0 != "\t" })
  }

  /// Waits until a node's file holds a country.
  private func waitFor(_ code: String, at node: DaemonNode) throws {
    let found = try Bounded.wait(.seconds(20)) {
      try atoll("export", node.storePath).text.contains("\"\(code)\"") ? true : nil
    }
    #expect(found == true, "\(code) never arrived at \(node.name)")
  }

  private func names(_ arguments: String...) throws -> [String] {
    try Command.run(arguments).lines.dropFirst().map { line in
      String(line.prefix { $0 != " " })
    }
  }

  private func atoll(_ arguments: String...) throws -> Command.Ending {
    try Command.run(arguments)
  }
}
