import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// The local clocks stand at 1,000 s, but a's, which stood at 9,000 s for a while.
@Suite struct `releasing and repairing` {
  private let a: TestStore
  private let b: TestStore
  private let c: TestStore

  init() throws {
    a = try TestStore("a")
    b = try TestStore("b")
    c = try TestStore("c")
  }

  private func create(_ key: Int64, on store: TestStore, at time: Int64? = nil) throws {
    try store.write(at: time) { store in
      let items = store.property("Document", "items")[0]
      _ = try store.file.create(
        store["Document"].id, key: .int(key),
        fields: [NewField(items, .list([.scalar(.int(key)), .scalar(.int(key + 1))]))])
    }
  }

  private func set(_ key: Int64, _ value: Int64, on store: TestStore, at time: Int64? = nil) throws
  {
    let n = FieldPath(store.property("Document", "n")[0])
    try store.write(at: time) { store in
      let id = try #require(try store.file.find(store["Document"].id, key: .int(key)))
      try store.file.assign(store["Document"].id, id: id, n, .scalar(.int(value)))
    }
  }

  private func add(_ key: Int64, _ amount: Int64, on store: TestStore) throws {
    let m = FieldPath(store.property("Document", "m")[0])
    try store.write { store in
      let id = try #require(try store.file.find(store["Document"].id, key: .int(key)))
      try store.file.increment(store["Document"].id, id: id, m, by: amount)
    }
  }

  /// All have document 1; then a writes at 9,000 s, and its clock is mended.
  private func writeAhead() throws {
    try create(1, on: a, at: 1_000_000)
    try a.send(to: b)
    try create(2, on: a, at: 9_000_000)
    try set(1, 7, on: a)
    try add(1, 5, on: a)
    try a.write { a in
      let note = a.property("Note", "text")[0]
      let id = try a.file.create(
        a["Note"].id, key: nil, fields: [NewField(note, .scalar(.string("first")))])
      try a.file.assign(a["Note"].id, id: id, FieldPath(note), .scalar(.string("second")))
    }
    a.clock.now = WallTime(milliseconds: 1_000_500)
  }

  private func expectEqual(_ stores: [TestStore]) throws {
    for store in stores {
      #expect(try store.exported() == stores[0].exported())
      #expect(try store.file.digest() == stores[0].file.digest())
      #expect(try store.file.holdings() == stores[0].file.holdings())
      #expect(try store.file.verify() == [])
    }
  }

  private func exchange(_ stores: [TestStore]) throws {
    for _ in 0..<3 {
      for one in stores {
        for other in stores where other !== one { try one.send(to: other) }
      }
    }
  }

  // MARK: What others wrote upon it

  /// A is 61 s ahead, and B 30 s, so that it takes what A writes; C takes it a little later.
  @Test(arguments: [false, true])
  func `what was written upon what is reissued comes after it everywhere`(
    comesFirst: Bool
  ) throws {
    let d = try TestStore("d")
    let all = [a, b, c, d]
    try create(1, on: a, at: 1_000_000)
    try exchange(all)
    try create(2, on: a, at: 1_061_000)
    try set(1, 3, on: a)
    b.clock.now = WallTime(milliseconds: 1_030_000)
    try a.send(to: b)
    try set(2, 9, on: b)
    try add(2, 1, on: b)
    c.clock.now = WallTime(milliseconds: 1_002_000)
    try b.send(to: c)
    try set(1, 4, on: c)
    try add(2, 4, on: c)
    a.clock.now = WallTime(milliseconds: 1_000_500)
    if comesFirst {
      // It has what B wrote upon it, too.
      a.clock.now = WallTime(milliseconds: 1_000_999)
      try b.send(to: a)
    }
    #expect(try a.file.repairClock(isForced: true)?.changesets == 2)
    d.clock.now = WallTime(milliseconds: 1_002_000)
    for store in [a, b, c] { try store.send(to: d) }
    for store in all { store.clock.now = WallTime(milliseconds: 1_005_000) }
    try exchange(all)
    try expectEqual(all)
    for store in all {
      let text = try store.exported()
      #expect(text.contains(#""n":9"#) && text.contains(#""m":5"#) && text.contains(#""n":4"#))
      #expect(try store.file.deferredChangesets().isEmpty)
    }
  }

  /// A and B are both 100 s ahead, and A has written upon what B wrote.
  @Test(arguments: [false, true])
  func `what was written upon what is not there any more is left out, everywhere`(
    isBehind: Bool
  ) throws {
    let all = [a, b, c]
    try create(1, on: a, at: 1_000_000)
    try exchange(all)
    b.clock.now = WallTime(milliseconds: 1_100_000)
    let m = FieldPath(b.property("Document", "m")[0])
    try b.write { b in
      let id = try #require(try b.file.find(b["Document"].id, key: .int(1)))
      try b.file.assign(b["Document"].id, id: id, m, .scalar(.int(100)))
    }
    try create(3, on: b)
    a.clock.now = WallTime(milliseconds: 1_100_100)
    try b.send(to: a)
    try add(1, 2, on: a)
    try set(3, 8, on: a)
    try create(4, on: a)
    // One of them repairs its clock with the other's repair, the other without.
    let (first, second) = isBehind ? (a, b) : (b, a)
    first.clock.now = WallTime(milliseconds: 1_001_000)
    #expect(try first.file.repairClock(isForced: true) != nil)
    second.clock.now = WallTime(milliseconds: 1_001_500)
    if !isBehind { try first.send(to: second) }
    #expect(try second.file.repairClock(isForced: true) != nil)
    for store in all { store.clock.now = WallTime(milliseconds: 1_005_000) }
    try exchange(all)
    try expectEqual(all)
    for store in all {
      let text = try store.exported()
      for expected in [#""m":100"#, #""key":3"#, #""key":4"#] { #expect(text.contains(expected)) }
      #expect(try store.file.deferredChangesets().isEmpty)
    }
  }

  // MARK: Releasing

  @Test func `a release is a changeset that applies what is held wherever it comes`() throws {
    try writeAhead()
    try a.send(to: b)
    try b.send(to: c)
    #expect(try b.file.release(a.file.author) == SequenceNumber(5))
    #expect(try b.file.deferredChangesets().isEmpty)
    try exchange([a, b, c])
    try expectEqual([a, b, c])
    #expect(try c.exported().contains(#""n":7"#))
  }

  @Test func `what is written on what was released wins, and nobody holds it`() throws {
    try writeAhead()
    try a.send(to: b)
    try b.file.release(a.file.author)
    try set(1, 8, on: b)
    try exchange([a, b, c])
    try expectEqual([a, b, c])
    #expect(try c.exported().contains(#""n":8"#))
    // That is all: what is further ahead than the release waits.
    try create(9, on: c, at: 20_000_000)
    try c.send(to: b)
    #expect(try b.file.deferredChangesets().map(\.author) == [c.file.author])
  }

  @Test func `a release up to a number leaves the rest held`() throws {
    try writeAhead()
    try a.send(to: b)
    #expect(try b.file.release(a.file.author, through: SequenceNumber(2)) == SequenceNumber(2))
    #expect(try b.file.deferredChangesets().map(\.count) == [3])
    try b.send(to: c)
    #expect(try c.exported() == b.exported())
  }

  @Test func `a release that comes before what it releases counts`() throws {
    try writeAhead()
    try a.send(to: b)
    try b.file.release(a.file.author)
    let log = try b.file.entries(lackedBy: VersionVector(), after: .start, limitBytes: 1 << 20)
    let (first, rest) = (log.entries[0], log.entries.dropFirst())
    let release = try #require(rest.last)
    let outcomes = try c.file.apply(
      ([first, release] + rest.dropLast()).map(IncomingChangeset.init))
    #expect(outcomes.allSatisfy { if case .applied = $0 { true } else { false } })
    #expect(try c.exported() == b.exported())
  }

  @Test func `of whom nothing is held nothing is released`() throws {
    #expect(throws: StorageError.nothingDeferred(a.file.author)) {
      try b.file.release(a.file.author)
    }
    try create(1, on: b)
  }

  // MARK: Repairing

  @Test func `scenario 46 a repair reissues what others hold with present stamps, once`()
    throws
  {
    try writeAhead()
    try a.send(to: b)
    let (former, before) = (a.file.author, try a.exported())
    #expect(try a.file.ownTimeAhead() == .milliseconds(9_000_000 - 1_060_500))
    let repair = try #require(try a.file.repairClock())
    #expect(
      repair
        == ClockRepair(
          former: former, author: a.file.author, changesets: 4, deferredAgain: 0))
    #expect(try a.file.ownTimeAhead() == nil)
    #expect(try a.exported().count == before.count)
    try exchange([a, b, c])
    try expectEqual([a, b, c])
    #expect(try c.exported().contains(#""m":5,"n":7"#))
    #expect(try c.file.deferredChangesets().isEmpty)
    // From now on its writes are like everyone's.
    try create(3, on: a)
    try exchange([a, b, c])
    try expectEqual([a, b, c])
    #expect(try a.file.repairClock() == nil)
  }

  @Test func `what was applied elsewhere before it was superseded is taken back`() throws {
    try writeAhead()
    // c's clock was as wrong as a's.
    c.clock.now = WallTime(milliseconds: 9_000_000)
    try a.send(to: c)
    try a.send(to: b)
    #expect(try c.exported() == a.exported())
    try a.file.repairClock()
    c.clock.now = WallTime(milliseconds: 1_000_500)
    var commits: [Commit] = []
    c.file.onCommit = { commits.append($0) }
    try exchange([a, b, c])
    try expectEqual([a, b, c])
    #expect(try c.exported().contains(#""m":5,"n":7"#))
    #expect(commits.contains { !$0.changes.isEmpty })
  }

  @Test func `a release and a repair of the same changesets come out alike in either order`() throws
  {
    try writeAhead()
    try a.send(to: b)
    try b.file.release(a.file.author)
    try a.file.repairClock()
    try exchange([a, b, c])
    try expectEqual([a, b, c])
    #expect(try c.exported().contains(#""m":5,"n":7"#))
  }

  @Test func `the old changesets are kept and forwarded, and survive a restart`() throws {
    try writeAhead()
    try a.file.repairClock()
    let clock = a.clock
    let reopened = try StoreFile.open(a.path, options: StoreOptions(wallClock: { clock.now }))
    #expect(try reopened.digest() == a.file.digest())
    #expect(reopened.author == a.file.author)
    let log = try reopened.entries(lackedBy: VersionVector(), after: .start, limitBytes: 1 << 20)
    #expect(log.entries.count == 10)
    #expect(try b.file.apply(log.entries.map(IncomingChangeset.init)).count == 10)
    #expect(try b.exported() == a.exported())
    #expect(try reopened.verify() == [])
  }

  @Test func `a clock that is behind is not taken for one that was ahead`() throws {
    try create(1, on: b, at: 1_000_000)
    try b.send(to: a)
    try create(2, on: a)
    let before = try a.exported()
    a.clock.now = WallTime(milliseconds: 1000)
    #expect(
      throws: StorageError.doubtfulClock(path: a.path, now: a.clock.now, others: 1)
    ) { try a.file.repairClock() }
    #expect(try a.exported() == before)
    a.clock.now = WallTime(milliseconds: 1_000_000)
    try exchange([a, b])
    try expectEqual([a, b])
  }

  @Test func `two replicas whose clocks were wrong together are repaired one after the other`()
    throws
  {
    try writeAhead()
    a.clock.now = WallTime(milliseconds: 9_000_000)
    b.clock.now = WallTime(milliseconds: 9_000_000)
    try a.send(to: b)
    try set(1, 8, on: b)
    try b.send(to: a)
    for store in [a, b] { store.clock.now = WallTime(milliseconds: 1_000_500) }
    #expect(throws: StorageError.doubtfulClock(path: a.path, now: a.clock.now, others: 1)) {
      try a.file.repairClock()
    }
    #expect(try a.file.repairClock(isForced: true)?.deferredAgain == 1)
    #expect(try a.file.deferredChangesets().map(\.author) == [b.file.author])
    try a.send(to: b)
    try b.file.repairClock(isForced: true)
    try exchange([a, b, c])
    try expectEqual([a, b, c])
    #expect(try c.exported().contains(#""m":5,"n":8"#))
  }

  @Test(arguments: [1, 2, 3, 100])
  func `issue 28.4: a repair of what was repaired is taken in any number of batches`(
    _ count: Int
  ) throws {
    try create(1, on: a, at: 1_000_000)
    try a.send(to: b)
    try create(2, on: a, at: 9_000_000)
    try set(1, 7, on: a)
    for time: Int64 in [6_000_000, 1_000_500] {
      a.clock.now = WallTime(milliseconds: time)
      try #require(try a.file.repairClock() != nil)
      try set(1, time, on: a)
    }
    let log = try a.log().map(IncomingChangeset.init)
    for start in stride(from: 0, to: log.count, by: count) {
      _ = try b.file.apply(Array(log[start..<min(start + count, log.count)]))
    }
    #expect(try b.file.holdings() == a.file.holdings())
    try expectEqual([a, b])
    #expect(try b.file.verify() == [])
    #expect(try b.exported().contains(#""n":1000500"#))
  }
}
