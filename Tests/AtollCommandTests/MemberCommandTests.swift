import AtollChanges
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

/// Commands that tell and change who may write to a store with owners.
@Suite struct MemberCommandTests {
  private let folder = TemporaryFolder()

  @Test func `issue 32: a store with owners is made, cloned and joined by commands`() throws {
    let (path, clone, third) = (folder.path("a"), folder.path("b"), folder.path("c"))
    let made = try Command.run(["init", path, "--name", "kitchen"])
    #expect(made.code == 0)
    #expect(made.lines.contains { $0.hasPrefix("member   founder: `atoll recovery new`") })
    let founder = try Command.run(["members", path]).lines
    #expect(founder.count == 1)
    #expect(founder.first?.hasSuffix("  kitchen  founder, this one") == true)
    let cloned = try Command.run(["clone", path, clone]).lines
    #expect(cloned.contains("member   writer"))
    #expect(try Command.run(["members", path]).lines.count == 2)
    // Whoever is no owner says whom to ask.
    let again = try Command.run(["clone", clone, third]).lines
    let line = try #require(again.first { $0.hasPrefix("member   not yet: owners are asked; ") })
    let replica = String(line.suffix(32))
    let refused = try Command.run(["admit", clone, replica])
    #expect(refused.code == 1)
    let id = String(try #require(founder.first).prefix(32))
    #expect(refused.text.contains(id), "\(refused.text)")
    #expect(try Command.run(["admit", path, replica]).text == "writer   \(replica)")
    #expect(try Command.run(["admit", path, replica]).text == "writer   \(replica), as before")
    #expect(try Command.run(["admit", path, replica, "--owner"]).code == 0)
    #expect(try Command.run(["status", path]).lines.contains("member   founder"))
    #expect(try Command.run(["status", clone]).lines.contains("member   writer"))
    let status = try Command.run(["status", third])
    #expect(status.lines.contains { $0.hasPrefix("member   no: ") && $0.contains("atoll admit") })
    #expect(
      try Command.run(["status", third, "--json"]).text.contains("\"admittedAs\":\"nothing\""))
    let json = try Command.run(["members", path, "--json"]).lines
    #expect(json.count == 3)
    #expect(json.filter { $0.contains("\"admittedAs\":\"owner\"") }.count == 1)
    #expect(try Command.run(["verify", path]).code == 0)
  }

  @Test func `issue 32: an owner removes a replica by a command`() throws {
    let (path, clone) = (folder.path("a"), folder.path("b"))
    for arguments in [["init", path], ["clone", path, clone]] {
      #expect(try Command.run(arguments).code == 0)
    }
    let members = try Command.run(["members", clone]).lines
    let replica = try #require(members.first { $0.hasSuffix("  writer, this one") }).prefix(32)
    let founder = try #require(members.first { $0.hasSuffix("  founder") }).prefix(32)
    #expect(try Command.run(["remove", path, String(replica)]).text == "removed  \(replica)")
    #expect(
      try Command.run(["remove", path, String(replica.prefix(8))]).text
        == "removed  \(replica), as before")
    #expect(try Command.run(["members", path]).lines.contains("\(replica)  removed"))
    // It is for good, an owner stays, and only an owner removes.
    let again = try Command.run(["admit", path, String(replica)])
    #expect(again.code == 1 && again.text.contains("for good"), "\(again.text)")
    let own = try Command.run(["remove", path, String(founder)])
    #expect(own.code == 1 && own.text.contains("owners stay"), "\(own.text)")
    let refused = try Command.run(["remove", clone, String(founder)])
    #expect(refused.code == 1 && refused.text.contains("of no owner"), "\(refused.text)")
    // The removed one hears of it.
    try Self.exchange(from: path, to: clone)
    let status = try Command.run(["status", clone])
    #expect(status.lines.contains { $0.hasPrefix("member   removed") }, "\(status.text)")
    let named = try Command.run(["name", clone, "attic"])
    #expect(named.code == 1 && named.text.contains("has removed replica"), "\(named.text)")
    #expect(try Command.run(["verify", clone]).code == 0)
  }

  @Test func `issue 32: an owner takes back what a replica wrote from a moment on, by a command`()
    throws
  {
    let (path, clone) = (folder.path("a"), folder.path("b"))
    for arguments in [["init", path], ["clone", path, clone], ["name", clone, "attic"]] {
      #expect(try Command.run(arguments).code == 0)
    }
    try Self.exchange(from: clone, to: path)
    #expect(try Command.run(["status", path]).text.contains("attic"))
    for wrong in ["yesterday", "2024-02-30T12:00:00Z"] {
      let refused = try Command.run(["remove", path, "attic", "--undo-since", wrong])
      #expect(refused.code != 0 && refused.text.contains("--undo-since"), "\(refused.text)")
    }
    let kept = try Command.run(["remove", path, "attic", "--undo-since", "2999-01-01T00:00:00Z"])
    #expect(kept.lines.contains("undone   0 changesets"), "\(kept.text)")
    #expect(try Command.run(["status", path]).text.contains("attic"))
    let undone = try Command.run(["remove", path, "attic", "--undo-since", "2024-02-29T12:30:00Z"])
    #expect(undone.lines.first?.hasSuffix(", as before") == true, "\(undone.text)")
    #expect(undone.lines.contains("undone   1 changeset"), "\(undone.text)")
    #expect(try !Command.run(["status", path]).text.contains("attic"))
    try Self.exchange(from: path, to: clone)
    for store in [path, clone] { #expect(try Command.run(["verify", store]).code == 0) }
  }

  @Test func `issue 32: a store without owners admits nobody`() throws {
    let path = folder.path("open")
    #expect(try Command.run(["init", path, "--no-owners"]).code == 0)
    let listed = try Command.run(["members", path])
    #expect(listed.text == "the store has no owners: whoever may connect may write")
    #expect(try Command.run(["members", path, "--json"]).text == "")
    let refused = try Command.run(["admit", path, String(repeating: "0", count: 32)])
    #expect(refused.code == 1)
    #expect(refused.text.contains("has no owners"))
    // An id of somebody's choice is none that a founder's key makes.
    let chosen = folder.path("chosen")
    let made = try Command.run(["init", chosen, "--id", StoreID.test.description])
    #expect(!made.text.contains("member"))
    #expect(try Command.run(["members", chosen]).text == listed.text)
  }

  @Test func `issue 32: a member asks for its clone, and an owner sees and answers`() throws {
    let (path, clone, third) = (folder.path("a"), folder.path("b"), folder.path("c"))
    for arguments in [["init", path], ["clone", path, clone], ["clone", clone, third]] {
      #expect(try Command.run(arguments).code == 0)
    }
    try Self.exchange(from: clone, to: path)
    let listed = try Command.run(["members", path]).lines
    let waiting = try #require(listed.first { $0.contains("  requested, by ") })
    let replica = String(waiting.prefix(32))
    #expect(
      try Command.run(["status", path]).lines
        .contains("requests 1 replica waits for an owner's admission: `atoll members`"))
    #expect(
      try Command.run(["peers", path]).lines
        .contains("\(replica)  not connected, waits for its admission"))
    #expect(try Command.run(["members", path, "--json"]).text.contains("\"askedBy\":\""))
    // The beginning of its id is enough.
    #expect(
      try Command.run(["admit", path, String(replica.prefix(6))]).text == "writer   \(replica)")
    #expect(try !Command.run(["status", path]).text.contains("requests"))
  }

  @Test func `issue 32: who joins the store of a file on this machine is admitted by it`() throws {
    let (path, second, third) = (folder.path("a"), folder.path("b"), folder.path("c"))
    for name in [path, second, third] { #expect(try Command.run(["init", name]).code == 0) }
    let joined = try Command.run(["join", second, path]).lines
    #expect(joined.count == 2 && joined.last == "member   writer")
    #expect(try Command.run(["members", path]).lines.contains { $0.hasSuffix("  writer") })
    // The joined file has not heard of that yet, and so asks nobody.
    let far = try Command.run(["join", third, second]).lines
    #expect(far.last?.hasPrefix("member   not yet: let an owner run `atoll admit`") == true)
    try Self.exchange(from: path, to: second)
    #expect(
      try Command.run(["join", third, second]).lines.last?.contains("owners are asked") == true)
  }

  @Test func `issue 32: a code on paper makes another replica an owner`() throws {
    let (path, clone) = (folder.path("a"), folder.path("b"))
    #expect(try Command.run(["init", path]).code == 0)
    let made = try Command.run(["recovery", "new", path])
    #expect(made.code == 0)
    let code = try #require(made.lines.first { $0.hasPrefix("code     ") }).dropFirst(9)
    #expect(try Command.run(["clone", path, clone]).code == 0)
    let wrong = try Command.run(["recovery", "use", clone], input: "\(code.dropLast())\n")
    #expect(wrong.code == 1 && wrong.text.contains("misplaced"), "\(wrong.text)")
    let used = try Command.run(["recovery", "use", clone], input: "\(code.lowercased())\n")
    #expect(used.code == 0 && used.text == "member   owner", "\(used.text)")
    #expect(try Command.run(["status", clone]).lines.contains("member   owner"))
    let refused = try Command.run(["recovery", "new", folder.path("none")])
    #expect(refused.code == 1)
    #expect(try Command.run(["verify", clone]).code == 0)
  }

  @Test func `issue 32: a replica gets another key by a command`() throws {
    let (path, clone) = (folder.path("a"), folder.path("b"))
    #expect(try Command.run(["init", path, "--name", "kitchen"]).code == 0)
    #expect(try Command.run(["clone", path, clone]).code == 0)
    let owner = try Command.run(["identity", "rotate", path])
    #expect(owner.code == 0 && owner.lines.count == 2, "\(owner.text)")
    #expect(owner.lines.first?.hasPrefix("replica  kitchen (") == true, "\(owner.text)")
    #expect(owner.lines.last?.hasSuffix(", retired") == true)
    #expect(try Command.run(["status", path]).lines.contains("member   owner"))
    try Self.exchange(from: path, to: clone)
    let writer = try Command.run(["identity", "rotate", clone])
    let replica = String(try #require(writer.lines.first).dropFirst(9))
    let former = String(try #require(writer.lines.dropFirst().first).dropFirst(9).prefix(32))
    #expect(writer.lines.last?.hasPrefix("member   not yet: owners are asked") == true)
    let again = try Command.run(["identity", "rotate", clone])
    #expect(again.code == 1 && again.text.contains("atoll admit"), "\(again.text)")
    try Self.exchange(from: clone, to: path)
    #expect(try Command.run(["members", path]).text.contains("\(replica)  requested, by"))
    #expect(try Command.run(["admit", path, replica]).text == "writer   \(replica)")
    #expect(try Command.run(["remove", path, former]).text == "removed  \(former)")
    for store in [path, clone] { #expect(try Command.run(["verify", store]).code == 0) }
    let missing = try Command.run(["identity", "rotate", folder.path("none")])
    #expect(missing.code == 1)
  }

  /// Gives one file what another one has.
  private static func exchange(from: String, to: String) throws {
    let (from, to) = (try StoreFile.open(from), try StoreFile.open(to))
    let batch = try from.entries(
      lackedBy: to.holdings().stored, after: .start, limitBytes: 1 << 20, isForPeer: true)
    _ = try to.apply(batch.entries.map(\.asIncoming))
    for file in [from, to] { file.close() }
  }
}
