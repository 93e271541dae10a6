import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// A large transaction is several changesets; nobody ever sees some of it.
@Suite struct `a transaction of several changesets` {
  private let a: TestStore
  private let b: TestStore
  private let c: TestStore

  init() throws {
    a = try TestStore("a", partBytes: 200)
    b = try TestStore("b", partBytes: 200)
    c = try TestStore("c")
  }

  /// Documents with names in one transaction: some twenty bytes of operations each.
  private func write(_ keys: Range<Int64>, to store: TestStore) throws {
    let document = store["Document"]
    let name = store.property("Document", "name")[0]
    try store.write { store in
      for key in keys {
        _ = try store.file.create(
          document.id, key: .int(key),
          fields: [NewField(name, .scalar(.string("document number \(key)")))])
      }
    }
  }

  private func isContinued(_ entry: LogEntry) throws -> Bool {
    try ChangesetReader(entry.bytes, author: entry.id.author).isContinued
  }

  @Test func `is in the log as its changesets, all but the last continued, close in time`() throws {
    try write(0..<40, to: a)
    let log = try a.log()
    #expect(log.count > 3)
    #expect(try log.map(isContinued) == Array(repeating: true, count: log.count - 1) + [false])
    #expect(log.dropLast().allSatisfy { $0.bytes.count >= 200 && $0.bytes.count < 400 })
    let times = try log.map { try ChangesetReader($0.bytes, author: $0.id.author).time.rawValue }
    #expect(times == (0..<UInt64(log.count)).map { times[0] + $0 })
    #expect(try a.file.verify() == [])
  }

  @Test func `the last is not continued though nothing was written after the cut`() throws {
    let name = a.property("Document", "name")[0]
    try a.write { store in
      _ = try store.file.create(
        store["Document"].id, key: .int(1),
        fields: [NewField(name, .scalar(.string(String(repeating: "x", count: 300))))])
    }
    let log = try a.log()
    #expect(try log.map(isContinued) == [false])
    try a.send(to: b)
    #expect(try b.exported() == a.exported())
  }

  @Test func `arrives whole: before the last nothing of it is seen, and it is passed on`() throws {
    try write(0..<40, to: a)
    let log = try a.sealedLog()
    for entry in log.dropLast() {
      #expect(
        try b.file.apply([entry.fromPeer]) == [.deferred(entry.id, ahead: nil)])
      #expect(try b.exported() == "")
    }
    #expect(try b.file.holdings().applied == VersionVector())
    // Deferred changesets go on to others, as they are.
    try b.send(to: c)
    #expect(try c.exported() == "")
    var commits: [Commit] = []
    b.file.onCommit = { commits.append($0) }
    guard let last = log.last else { return }
    _ = try b.file.apply([last.fromPeer])
    #expect(commits.filter { !$0.changes.isEmpty }.count == 1)
    #expect(try b.exported() == a.exported())
    #expect(try b.file.deferredChangesets() == [])
    #expect(try b.file.verify() == [])
    try b.send(to: c)
    #expect(try c.file.digest() == a.file.digest())
    #expect(try c.file.holdings() == a.file.holdings())
  }

  @Test func `what was taken back leaves nothing`() throws {
    try write(0..<2, to: a)
    let before = try (a.exported(), a.log().count)
    #expect(throws: TestFailure.self) {
      try a.write { store in
        for key in 10..<60 {
          _ = try store.file.create(store["Document"].id, key: .int(Int64(key)), fields: [])
        }
        throw TestFailure("taken back")
      }
    }
    #expect(try a.exported() == before.0)
    #expect(try a.log().count == before.1)
    try write(2..<40, to: a)
    try a.send(to: b)
    #expect(try b.exported() == a.exported())
  }

  @Test func `half of it survives the end of the process, and the rest makes it whole`() throws {
    try write(0..<40, to: a)
    let log = try a.log()
    let half = log.count / 2
    _ = try b.file.apply(log[..<half].map(IncomingChangeset.init))
    b.file.close()
    let reopened = try StoreFile.open(
      b.path, options: StoreOptions(wallClock: { [clock = b.clock] in clock.now }))
    defer { reopened.close() }
    _ = try reopened.apply([IncomingChangeset(log[half])])
    #expect(try reopened.heads() == [])
    _ = try reopened.apply(log[(half + 1)...].map(IncomingChangeset.init))
    #expect(try reopened.digest() == a.file.digest())
    #expect(try reopened.verify() == [])
  }

  @Test func `too far ahead, all of it waits for the clock and is applied at once`() throws {
    a.clock.now = WallTime(milliseconds: 2_000_000)
    try write(0..<40, to: a)
    try a.send(to: b)
    #expect(try b.exported() == "")
    b.clock.now = WallTime(milliseconds: 1_939_999)
    #expect(try b.file.applyDeferred() != nil)
    b.clock.now = WallTime(milliseconds: 2_000_000)
    #expect(try b.file.applyDeferred() == nil)
    #expect(try b.exported() == a.exported())
  }

  @Test func `reissued with present stamps, it still is one transaction`() throws {
    a.clock.now = WallTime(milliseconds: 9_000_000)
    try write(0..<40, to: a)
    try a.send(to: b)
    a.clock.now = WallTime(milliseconds: 1_000_000)
    let changesets = try a.log().count
    #expect(try a.file.repairClock()?.changesets == changesets)
    let again = try a.log().suffix(changesets)
    #expect(
      try again.map(isContinued) == Array(repeating: true, count: changesets - 1) + [false])
    for entry in try a.log().dropLast() { _ = try c.file.apply([IncomingChangeset(entry)]) }
    #expect(try c.exported() == "")
    try a.send(to: c)
    try a.send(to: b)
    #expect(try c.exported() == a.exported())
    #expect(try b.exported() == a.exported())
    #expect(try b.file.verify() == [])
  }

  @Test func `status says of half of it what it waits for`() throws {
    try write(0..<40, to: a)
    _ = try b.file.apply(try a.log().prefix(2).map(IncomingChangeset.init))
    #expect(try b.file.deferredChangesets().map(\.awaitsRest) == [true])
    #expect(try b.file.deferredChangesets().map(\.count) == [2])
    try a.send(to: b)
    #expect(try b.file.deferredChangesets() == [])
  }

  /// Some of the failing operation may be in the rows; what it is that finds no room differs.
  @Test(arguments: [9_000, 13_000, 21_000, 34_000, 55_000], [8_000, Limits.partBytes])
  func `a transaction in which the disk was full is not committed, though its writer goes on`(
    length: Int, partBytes: Int
  ) throws {
    let file = try StoreFile.open(
      TestFolder.path("full"),
      options: StoreOptions(partBytes: partBytes, maximumPageCount: 200))
    defer { file.close() }
    let note = try file.adopt(TestModel.all)[3]
    let text = try #require(note.property(named: "text"))
    try file.beginWrite()
    var errors = 0
    for place in 0..<80 where file.isWriting {
      let long = String(repeating: "x", count: place < 70 ? length : 10)
      do {
        _ = try file.create(note.id, key: nil, fields: [NewField(text, .scalar(.string(long)))])
      } catch {
        errors += 1
      }
    }
    #expect(errors > 0)
    #expect(throws: StorageError.self) { try file.commitWrite() }
    file.rollback()
    #expect(try file.verify() == [])
    #expect(try file.counts().allSatisfy { $0.objects == 0 })
    try file.beginWrite()
    _ = try file.create(note.id, key: nil, fields: [])
    try file.commitWrite()
  }

  @Test func `what comes after it, and what depends on it, waits for the last of it`() throws {
    try write(0..<40, to: a)
    try a.send(to: b)
    try write(40..<42, to: b)
    try write(50..<51, to: a)
    let all = try a.log()
    let withoutLast = all.dropLast(2)
    _ = try c.file.apply(withoutLast.map(IncomingChangeset.init))
    let after = try b.log().last.map { [IncomingChangeset($0)] } ?? []
    let outcomes = try c.file.apply(after)
    guard case .missing? = outcomes.first else {
      Issue.record("what depends on all of it was taken: \(outcomes)")
      return
    }
    _ = try c.file.apply(all.suffix(2).map(IncomingChangeset.init))
    _ = try c.file.apply(after)
    try a.send(to: b)
    #expect(try c.exported() == b.exported())
  }

  @Test func `a later one that names dependencies is refused`() throws {
    try write(0..<40, to: a)
    let log = try a.log()
    _ = try b.file.apply([IncomingChangeset(log[0])])
    try c.create(100)
    let other = try c.log()[0]
    _ = try b.file.apply([IncomingChangeset(other)])
    var forged = try Changeset(decoding: log[1].bytes, author: log[1].id.author)
    forged.declarations.append(.author(other.id.author))
    forged.dependencies = [
      Dependency(
        author: AuthorNumber(1), sequence: other.id.sequence, hash: other.id.hash)
    ]
    let outcomes = try b.file.apply([
      IncomingChangeset(
        author: log[1].id.author, sequence: log[1].id.sequence, bytes: forged.encoded())
    ])
    guard case .refused(let reason)? = outcomes.first else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(reason.contains("dependencies of its own"))
  }

  @Test func `a long list is cut too, and every element is in its place`() throws {
    let items = a.property("Document", "items")[0]
    try a.create(1)
    try a.write { store in
      guard let row = try store.file.row(of: store["Document"].id, key: .int(1)) else {
        throw TestFailure("no document")
      }
      try store.file.assign(
        store["Document"].id, id: row.id, FieldPath(items),
        .list((0..<20_000).map { .scalar(.int($0)) }))
    }
    #expect(try a.log().count > 4)
    try a.send(to: b)
    #expect(try b.exported() == a.exported())
    #expect(try b.file.verify() == [])
  }

  @Test(arguments: (1...10).map { UInt64($0) })
  func `random transactions of many changesets, exchanged and cut off, agree`(seed: UInt64) throws {
    let stores = [a, b]
    var writer = RandomWriter(random: SeededGenerator(seed: seed))
    for _ in 0..<3 {
      for _ in 0..<12 { try writer.write(stores[Int.random(in: 0..<2, using: &writer.random)]) }
      try write(Int64(seed) * 1000..<Int64(seed) * 1000 + 20, to: stores[0], if: seed)
      for (from, to) in [(a, b), (b, a), (a, b)] { try from.send(to: to) }
      #expect(try a.exported() == b.exported(), "seed \(seed)")
      for store in stores { #expect(try store.file.verify() == [], "seed \(seed)") }
    }
  }

  private func write(_ keys: Range<Int64>, to store: TestStore, if seed: UInt64) throws {
    guard try !store.exported().contains("document number \(keys.lowerBound)") else { return }
    try write(keys, to: store)
  }
}
