import AtollChanges
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation
import Synchronization
import Testing

@Suite struct `copies of a store` {
  // MARK: Backup

  @Test func `a backup holds everything, is its owner's only, and never overwrites`() throws {
    let store = try filled("original")
    let path = TestFolder.path("backup")
    try store.file.backUp(to: path)
    #expect(FileFacts.permissions(path: path) == 0o600)
    #expect(FileFacts(path: path + "-partial") == nil)
    #expect(try readOnly(path) { try exported($0) } == store.exported())
    let again = refusal { try store.file.backUp(to: path) }
    #expect(again?.description.contains("there is something at \(path) already") ?? false)
    #expect(try readOnly(path) { try exported($0) } == store.exported())
  }

  @Test func `a backup that was cut off leaves no file under its name, and is named`() throws {
    let store = try filled("original")
    let path = TestFolder.path("backup")
    try "half".write(toFile: path + "-partial", atomically: true, encoding: .utf8)
    let refused = refusal { try store.file.backUp(to: path) }
    #expect(refused?.description.contains("\(path)-partial already") ?? false)
    #expect(FileFacts(path: path) == nil)
    try FileFacts.remove(path: path + "-partial")
    try store.file.backUp(to: path)
  }

  @Test func `a backup of a store that is not what its log says is refused`() throws {
    let store = try filled("modified")
    try store.write { try $0.increment("n", by: 1) }
    let connection = try Connection(path: store.path, access: .readWrite)
    try connection.execute("UPDATE Document SET n = 99")
    connection.close()
    let path = TestFolder.path("backup")
    guard case .unsound? = refusal({ try store.file.backUp(to: path) }) else {
      Issue.record("an unsound copy was kept")
      return
    }
    #expect(FileFacts(path: path) == nil)
    #expect(FileFacts(path: path + "-partial") == nil)
    try store.file.backUp(to: path, isQuick: true)
  }

  @Test func `backups made while another thread writes are each one moment of the store`() throws {
    let store = try filled("busy")
    let path = store.path
    let isDone = Mutex(false)
    let writer = Thread {
      guard let file = try? StoreFile.open(path, options: StoreOptions(durability: .normal)),
        let document = file.adopted("Document")
      else { return }
      while !isDone.withLock({ $0 }) { try? file.stepBoth(document) }
    }
    writer.start()
    defer { isDone.withLock { $0 = true } }
    var counts: [Int64] = []
    for _ in 0..<5 {
      let backup = TestFolder.path("moment")
      try store.file.backUp(to: backup)
      try readOnly(backup) { file in
        let document = try #require(file.adopted("Document"))
        let row = try #require(try file.row(of: document.id, key: .int(1)))
        let (n, m) = (row.int(document, "n"), row.int(document, "m"))
        #expect(n == m, "a backup shows a transaction in part")
        counts.append(n)
      }
    }
    #expect(counts == counts.sorted())
  }

  // MARK: Clone

  @Test func `a clone is another replica at home in its file, and both go on`() throws {
    let store = try filled("original")
    let path = TestFolder.path("clone")
    let author = try store.file.clone(to: path)
    #expect(author.replica != store.file.author.replica)
    let copy = try StoreFile.open(path)
    #expect(copy.author == author, "its first opening must not take it for a copy")
    #expect(copy.storeID == store.file.storeID)
    try expectBothGoOn(store, copy)
  }

  // MARK: Restore

  @Test
  func `scenario 43 a restored store starts a new incarnation, and gets the rest back`()
    throws
  {
    let store = try filled("original")
    let former = store.file.author
    let backup = TestFolder.path("backup")
    try store.file.backUp(to: backup)
    let peer = try empty("peer")
    try store.write { try $0.increment("n", by: 1) }
    try store.send(to: peer)
    let latest = try store.exported()
    store.file.close()

    let done = try StoreFile.restore(backup, to: store.path)
    #expect(done.author.replica == former.replica)
    #expect(done.author.incarnation != former.incarnation)
    let replaced = try #require(done.replaced)
    #expect(try readOnly(replaced) { try exported($0) } == latest)
    let restored = try StoreFile.open(store.path)
    #expect(restored.author == done.author)
    try restored.stepBoth(try #require(restored.adopted("Document")))
    #expect(try restored.appliedVector()[done.author] == .first)
    try exchange(peer.file, restored)
    #expect(try exported(restored) == peer.exported())
    #expect(try restored.verify() == [])
  }

  @Test func `a restore is refused while anybody has the store open, and changes nothing`() throws {
    let store = try filled("open")
    let backup = TestFolder.path("backup")
    try store.file.backUp(to: backup)
    try store.write { try $0.increment("n", by: 1) }
    let before = try store.exported()
    let refused = refusal { _ = try StoreFile.restore(backup, to: store.path) }
    #expect(refused == .inUse(path: store.path, doing: "restoring a backup"))
    #expect(try store.exported() == before)
    #expect(FileFacts(path: store.path + "-partial") == nil)
    #expect(FileFacts(path: store.path + "-replaced-1") == nil)
    try store.write { try $0.increment("n", by: 1) }
    store.file.close()
    #expect(try StoreFile.restore(backup, to: store.path).replaced == store.path + "-replaced-1")
  }

  @Test func `a restore takes the place of a damaged file, whose log is kept with it`() throws {
    let store = try filled("damaged")
    let backup = TestFolder.path("backup")
    try store.file.backUp(to: backup)
    store.file.close(movingLog: false)
    #expect(FileFacts(path: store.path + "-wal") != nil)
    for suffix in ["", "-wal"] {
      let handle = try #require(FileHandle(forWritingAtPath: store.path + suffix))
      try handle.write(contentsOf: Data(repeating: 7, count: 4096))
      try handle.close()
    }
    #expect(throws: StorageError.notADatabase(path: store.path)) {
      try StoreFile.open(store.path)
    }
    let done = try StoreFile.restore(backup, to: store.path)
    let replaced = try #require(done.replaced)
    #expect(FileFacts(path: replaced + "-wal") != nil)
    #expect(FileFacts(path: store.path + "-wal") == nil)
    let restored = try StoreFile.open(store.path)
    #expect(try exported(restored) == readOnly(backup) { try exported($0) })
  }

  @Test func `a restore refuses another store's place, and makes a file where there is none`()
    throws
  {
    let store = try filled("original")
    let backup = TestFolder.path("backup")
    try store.file.backUp(to: backup)
    let other = try TestStore("other", storeID: StoreID(high: 9, low: 9))
    other.file.close()
    guard case .otherStore? = refusal({ _ = try StoreFile.restore(backup, to: other.path) }) else {
      Issue.record("another store was replaced")
      return
    }
    let fresh = TestFolder.path("fresh")
    #expect(try StoreFile.restore(backup, to: fresh).replaced == nil)
    #expect(try readOnly(fresh) { try exported($0) } == store.exported())
  }

  // MARK: Copies made by other means

  @Test(arguments: [
    "device = device + 1", "inode = inode + 1", "birth = birth + 1", "machine = 'x'",
  ])
  func `a file that differs in one of four ways writes under a new incarnation`(
    _ difference: String
  ) throws {
    let store = try filled("moved")
    let former = store.file.author
    store.file.close()
    let connection = try Connection(path: store.path, access: .readWrite)
    try connection.execute("UPDATE atoll_store SET \(difference)")
    connection.close()
    let reader = try StoreFile.open(store.path, options: StoreOptions(isReadOnly: true))
    #expect(reader.author == former, "reading changes nothing")
    reader.close()
    let moved = try StoreFile.open(store.path)
    #expect(moved.author.replica == former.replica)
    #expect(moved.author.incarnation != former.incarnation)
    try moved.stepBoth(try #require(moved.adopted("Document")))
    #expect(try moved.appliedVector()[former] == SequenceNumber(1))
    #expect(try moved.appliedVector()[moved.author] == .first)
    #expect(try StoreFile.open(store.path).author == moved.author, "only once")
  }

  @Test(
    arguments: [true, false],
    [[], ["-wal"], ["-wal", "-shm"], ["-shm"]])
  func `scenario 44 a naive copy of a live or closed store, with or without its companions`(
    isLive: Bool, suffixes: [String]
  ) throws {
    let store = try filled("cp")
    if !isLive { store.file.close() }
    let copyPath = TestFolder.path("copy")
    for suffix in [""] + suffixes where FileFacts(path: store.path + suffix) != nil {
      try FileManager.default.copyItem(atPath: store.path + suffix, toPath: copyPath + suffix)
    }
    guard !isLive || suffixes.contains("-wal") else {
      // Nothing was moved from the log into the file yet: the copy is an empty database. A file that
      // was closed has no log any more.
      return try expectEmpty(copyPath)
    }
    let copy = try StoreFile.open(copyPath)
    let original = isLive ? store.file : try StoreFile.open(store.path)
    #expect(copy.author.replica == original.author.replica)
    #expect(copy.author.incarnation != original.author.incarnation)
    try expectBothGoOn(original, copy)
  }

  @Test func `scenario 44 a copy without the log ends well, what it lacks comes back`() throws {
    let store = try filled("cp")
    store.file.close()
    let connection = try Connection(path: store.path, access: .readWrite)
    _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
    try connection.checkpoint()
    connection.close()
    let original = try StoreFile.open(store.path)
    try original.stepBoth(try #require(original.adopted("Document")))
    let copyPath = TestFolder.path("copy")
    try FileManager.default.copyItem(atPath: store.path, toPath: copyPath)
    let copy = try StoreFile.open(copyPath)
    #expect(try copy.appliedVector()[original.author] == SequenceNumber(1))
    #expect(copy.author != original.author)
    try expectBothGoOn(original, copy)
  }

  // MARK: Steps

  private func empty(_ name: String) throws -> TestStore {
    let clock = TestClock()
    clock.now = SystemClock.wallTime()
    return try TestStore(name, clock: clock)
  }

  private func filled(_ name: String) throws -> TestStore {
    let store = try empty(name)
    try store.write {
      let document = $0["Document"]
      _ = try $0.file.create(document.id, key: .int(1), fields: [])
    }
    return store
  }

  /// Without its log a young store is an empty database: it becomes another store, and says so.
  private func expectEmpty(_ path: String) throws {
    let file = try StoreFile.open(path)
    #expect(try file.appliedVector().isEmpty)
    let refused = refusal {
      _ = try StoreFile.open(
        path, options: StoreOptions(storeID: StoreID(high: 1, low: 1)))
    }
    guard case .otherStore? = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
  }

  private func expectBothGoOn(_ original: TestStore, _ copy: StoreFile) throws {
    try expectBothGoOn(original.file, copy)
  }

  /// Both write, meet directly and over a third, and hold all that either wrote.
  private func expectBothGoOn(_ original: StoreFile, _ copy: StoreFile) throws {
    for file in [original, copy, original] {
      try file.stepBoth(try #require(file.adopted("Document")))
    }
    let third = try empty("third").file
    try exchange(original, third)
    try exchange(third, copy)
    try exchange(copy, original)
    try exchange(third, copy)
    let text = try exported(original)
    #expect(text.contains("\"n\":3") || text.contains("\"n\":4"))
    for file in [copy, third] { #expect(try exported(file) == text) }
    for file in [original, copy, third] { #expect(try file.verify() == []) }
    #expect(try original.digest() == copy.digest())
  }

  private func exchange(_ a: StoreFile, _ b: StoreFile) throws {
    for (from, to) in [(a, b), (b, a)] {
      let batch = try from.entries(
        lackedBy: try to.appliedVector(), after: .start, limitBytes: 1 << 20, isForPeer: true)
      for outcome in try to.apply(batch.entries.map(\.fromPeer)) {
        guard case .applied = outcome else { throw TestFailure("not applied: \(outcome)") }
      }
    }
  }

  private func exported(_ file: StoreFile) throws -> String {
    var text = ""
    try file.export { text += $0 }
    return text
  }

  private func readOnly<Result>(
    _ path: String, _ body: (StoreFile) throws -> Result
  ) throws -> Result {
    let file = try StoreFile.open(path, options: StoreOptions(isReadOnly: true, mayCreate: false))
    defer { file.close() }
    return try body(file)
  }

  private func refusal(_ body: () throws -> Void) -> StorageError? {
    do {
      try body()
      return nil
    } catch {
      return error as? StorageError
    }
  }
}

extension StoreFile {
  fileprivate func adopted(_ name: String) -> StoredClass? {
    try? classes.first { $0.name == name }
  }

  /// One transaction that adds 1 to `n` and to `m` of document 1.
  fileprivate func stepBoth(_ document: StoredClass) throws {
    guard let row = try find(document.id, key: .int(1)) else { throw TestFailure("no document") }
    try beginWrite()
    for name in ["n", "m"] {
      guard let property = document.property(named: name) else { continue }
      try increment(document.id, id: row, FieldPath(property), by: 1)
    }
    try commitWrite()
  }
}

extension ObjectRow {
  fileprivate func int(_ owner: StoredClass, _ name: String) -> Int64 {
    let column = owner.columns.firstIndex { $0.path == [name] }
    guard let column, case .int(let value) = columns[column] else { return -1 }
    return value
  }
}

extension TestStore {
  fileprivate func increment(_ name: String, by amount: Int64) throws {
    let document = self["Document"]
    guard let row = try file.find(document.id, key: .int(1)),
      let property = document.property(named: name)
    else { throw TestFailure("no document") }
    try file.increment(document.id, id: row, FieldPath(property), by: amount)
  }
}
