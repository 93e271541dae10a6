import AtollChanges
import AtollQuery
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Dispatch
import Foundation
import Synchronization
import Testing

/// Several connections to one file, in one process or not.
@Suite struct `one file, several connections` {
  @Test func `a commit of one is an effect for the other`() throws {
    let a = try TestStore()
    let b = try StoreFile.open(a.path)
    let start = try b.commitNumber()
    let commit = try a.write { a in
      _ = try a.file.create(a["Document"].id, key: .int(1), fields: [])
    }
    #expect(try b.effects(after: start) == [try #require(commit)])
    #expect(try b.effects(after: try b.commitNumber()) == [])
    #expect(try b.find(a["Document"].id, key: .int(1)) == RowID(1))
  }

  @Test
  func `a version that is shared is read by many threads, and one has the file again after it`()
    throws
  {
    let a = try TestStore()
    try a.create(1)
    let document = a["Document"].id
    nonisolated(unsafe) let shared = try StoreFile.open(a.path)
    shared.letVersionsMove()
    try shared.beginRead()
    try shared.share()
    let cursor = try shared.rows(StoreQuery(document))
    try a.create(2)
    let counts = Mutex<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: 6) { _ in
      for _ in 0..<100 {
        let count = (try? shared.count(StoreQuery(document))) ?? -1
        counts.withLock { $0.append(count) }
      }
    }
    #expect(counts.withLock { Set($0) } == [1])
    #expect(try cursor.next() != nil)
    #expect(try cursor.next() == nil)
    #expect(!shared.hasEndedVersion)
    try shared.unshare()
    #expect(try shared.count(StoreQuery(document)) == 2)
    try shared.beginWrite()
    shared.rollback()
    shared.close()
  }

  @Test func `a reader behind pruned effects is told to ask again`() throws {
    let a = try TestStore()
    let connection = try Connection(path: a.path, access: .readWrite)
    try a.write { a in _ = try a.file.create(a["Document"].id, key: .int(1), fields: []) }
    try connection.execute("DELETE FROM atoll_effect WHERE number = 1")
    #expect(try a.file.effects(after: CommitNumber(0)) == nil)
  }

  @Test func `classes adopted by one are there for the other`() throws {
    let path = TestFolder.path("adopted")
    let first = try StoreFile.open(path)
    let second = try StoreFile.open(path)
    let classes = try first.adopt(TestModel.all)
    #expect(try second.adopt(TestModel.all) == classes)
    #expect(try second.commitNumber() == first.commitNumber())
  }

  @Test func `a write waits for the lock and then fails with the holder's name`() throws {
    let a = try TestStore()
    let b = try StoreFile.open(a.path)
    try a.file.beginWrite()
    let error = #expect(throws: StorageError.self) {
      try b.beginWrite(timeout: .milliseconds(2))
    }
    guard case .locked(_, let holder, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(holder?.contains("process \(ProcessInfo.processInfo.processIdentifier)") == true)
    a.file.rollback()
    try b.beginWrite(timeout: .seconds(5))
    b.rollback()
  }

  @Test func `one file has one lock, by whatever links it is named`() throws {
    let a = try TestStore()
    let link = TestFolder.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: a.path)
    let b = try StoreFile.open(link)
    try a.file.beginWrite()
    let error = #expect(throws: StorageError.self) {
      try b.beginWrite(timeout: .milliseconds(2))
    }
    guard case .locked(link, _?, .milliseconds(2))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    a.file.rollback()
    #expect(FileFacts(path: link + "-lock") == nil)
    a.file.close()
    b.close()
    #expect(try StoreFile.delete(link))
    #expect(FileFacts(path: a.path) == nil)
  }

  @Test func `a foreign program that keeps the file locked is named, and so is its process`() throws
  {
    let a = try TestStore()
    let marker = a.path + "-begun"
    let shell = try #require(popen("exec sqlite3 '\(a.path)'", "w"))
    fputs("BEGIN IMMEDIATE;\n.shell touch '\(marker)'\n", shell)
    fflush(shell)
    let deadline = ContinuousClock.now + .seconds(20)
    while FileFacts(path: marker) == nil, ContinuousClock.now < deadline { usleep(1000) }
    let error = #expect(throws: StorageError.self) { try a.file.beginWrite() }
    guard case .locked(_, let holder?, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(holder.firstMatch(of: /^sqlite3 \(process [0-9]+\)$/) != nil)
    pclose(shell)
    try a.create(1)
  }

  @Test func `opening waits while another connection has the whole file to itself`() throws {
    let path = TestFolder.path("exclusive")
    try StoreFile.open(path).close()
    let foreign = ExclusiveConnection(path: path)
    try foreign.lock()
    foreign.unlockSoon()
    try StoreFile.open(path, options: StoreOptions(isReadOnly: true)).close()
  }

  @Test func `two threads that write by turns lose nothing`() async throws {
    let a = try TestStore()
    let path = a.path
    let id = a["Note"].id
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          let file = try StoreFile.open(path)
          for _ in 0..<50 {
            try file.beginWrite()
            _ = try file.create(id, key: nil, fields: [])
            try file.commitWrite()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try a.file.count(StoreQuery(id)) == 100)
    #expect(try a.file.verify() == [])
    #expect(try a.file.appliedVector()[a.file.author] == SequenceNumber(100))
  }

  @Test func `a pinned snapshot does not see later commits until it is moved`() throws {
    let a = try TestStore()
    let b = try StoreFile.open(a.path)
    let id = a["Document"].id
    try b.beginRead()
    try a.write { a in _ = try a.file.create(id, key: .int(1), fields: []) }
    #expect(try b.find(id, key: .int(1)) == nil)
    try b.refresh()
    #expect(try b.find(id, key: .int(1)) != nil)
    try b.endRead()
  }

  @Test func `a cursor shows its own snapshot although a write begins`() throws {
    let a = try TestStore()
    let id = a["Document"].id
    try a.write { a in
      for key in 1...5 { _ = try a.file.create(id, key: .int(Int64(key)), fields: []) }
    }
    let cursor = try a.file.rows(StoreQuery(id))
    _ = try cursor.next()
    try a.write { a in
      for row in 1...5 { try a.file.delete(id, id: RowID(Int64(row))) }
    }
    var rest = 0
    while try cursor.next() != nil { rest += 1 }
    #expect(rest == 4)
    #expect(try a.file.count(StoreQuery(id)) == 0)
  }

  @Test func `the write-ahead log starts again when it has grown long`() throws {
    let a = try TestStore()
    let text = a.property("Note", "text")[0]
    let value = NewValue.scalar(.string(String(repeating: "x", count: 1 << 20)))
    var sizes: [Int] = []
    for _ in 0..<12 {
      try a.write { a in
        for _ in 0..<2 {
          _ = try a.file.create(a["Note"].id, key: nil, fields: [NewField(text, value)])
        }
      }
      let attributes = try FileManager.default.attributesOfItem(atPath: a.path + "-wal")
      sizes.append((attributes[.size] as? Int) ?? 0)
    }
    // Each commit writes rows and log, some 4 MiB; without a checkpoint the log would end at 48.
    #expect(sizes[3] > Limits.checkpointWALBytes * 3 / 4)
    #expect(sizes.allSatisfy { $0 < Limits.checkpointWALBytes * 3 / 2 })
    #expect(try a.file.count(StoreQuery(a["Note"].id)) == 24)
  }

  @Test(arguments: [
    "INSERT INTO Document (_id, id) VALUES (1, 1)", "DELETE FROM atoll_log",
    "UPDATE Target SET title = 'x'",
  ])
  func `SQL of other programs is refused by name`(sql: String) throws {
    let a = try TestStore()
    try a.write { a in _ = try a.file.create(a["Target"].id, key: .string("T"), fields: []) }
    let foreign = try Connection(path: a.path, access: .readWrite, firesTriggers: true)
    let error = #expect(throws: SQLiteError.self) { try foreign.execute(sql) }
    #expect(error?.message.contains(" belongs to Atoll: change it through") == true)
  }

  @Test func `what is modified past the triggers is found and named`() throws {
    let a = try TestStore()
    try a.write { a in
      for key in ["T1", "T2", "T3"] {
        _ = try a.file.create(a["Target"].id, key: .string(key), fields: [])
      }
    }
    let foreign = try Connection(path: a.path, access: .readWrite)
    try foreign.execute("UPDATE Target SET title = 'x', _recorded = 1 WHERE id = 'T1'")
    try foreign.execute("DELETE FROM Target WHERE id = 'T2'")
    let findings = try a.file.verify()
    #expect(
      findings.dropLast() == [
        "Target \"T1\" differs from what the log says: title",
        "Target \"T2\" is in the log and not in the file",
      ])
    #expect(findings.last?.hasPrefix("the rows of Target have the digest ") == true)
  }

  @Test func `each property that was modified externally is named, and only those`() throws {
    let a = try TestStore()
    let one = a.property("Document", "one", "v")
    let name = a.property("Document", "name")[0]
    for key: Int64 in 1...2 {
      try a.write { a in
        _ = try a.file.create(
          a["Document"].id, key: .int(key),
          fields: [
            NewField(name, .scalar(.string("seven"))),
            NewField(one[0], .embedded([NewField(one[1], .scalar(.int(9)))])),
          ])
      }
    }
    let foreign = try Connection(path: a.path, access: .readWrite)
    try foreign.execute(#"UPDATE Document SET name = 'eight', "one.v" = 8 WHERE id = 2"#)
    #expect(
      try a.file.verify().first == "Document 2 differs from what the log says: name, one.v")
    try foreign.execute("UPDATE Document SET _life = 3 WHERE id = 1")
    #expect(
      try a.file.verify().first
        == "Document 1 differs from what the log says: how often it was created and deleted")
  }

  @Test(arguments: [
    "INSERT INTO Document (id) VALUES (1)", "UPDATE Target SET title = 'x'",
    "DELETE FROM Target", "DELETE FROM atoll_log", #"UPDATE "Document.items" SET _owner = 7"#,
    "REPLACE INTO Target (_id, id, _life) VALUES (1, 'T', 1)",
  ])
  func `what a person types into the sqlite3 shell is refused, and says how to do it`(
    sql: String
  ) throws {
    let a = try TestStore()
    let items = a.property("Document", "items")[0]
    try a.write { a in
      _ = try a.file.create(a["Target"].id, key: .string("T"), fields: [])
      let id = try a.file.create(a["Document"].id, key: .int(7), fields: [])
      try a.file.listInsert(
        a["Document"].id, id: id, list: FieldPath(items), at: 0, .scalar(.int(1)))
    }
    let before = try a.exported()
    let ending = try Shell.run("sqlite3", a.path, sql)
    #expect(ending.code != 0)
    #expect(
      ending.text.contains(
        " belongs to Atoll: change it through an application or the atoll command, so that peers "
          + "hear of it"))
    #expect(try a.exported() == before)
    #expect(try a.file.verify() == [])
  }

  @Test(arguments: [TestModel.all, CollectionModel.all])
  func `every table of a file refuses foreign SQL`(model: [ClassSchema]) throws {
    let a = try TestStore(model: model)
    try a.file.record(SchemaRecord(version: 1, classes: [], properties: []))
    let connection = try Connection(path: a.path, access: .readOnly)
    let open = try connection.texts(
      """
      SELECT name FROM sqlite_schema t WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND 3 !=
      (SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = t.name)
      """)
    #expect(open == [])
  }

  @Test func `a log entry that was tampered with is found and named`() throws {
    let a = try TestStore()
    for key in 1...3 {
      try a.write { a in
        _ = try a.file.create(a["Document"].id, key: .int(Int64(key)), fields: [])
      }
    }
    let foreign = try Connection(path: a.path, access: .readWrite)
    try foreign.execute(
      "UPDATE atoll_log SET bytes = (SELECT bytes FROM atoll_log WHERE sequence = 3) "
        + "WHERE sequence = 2")
    let findings = try a.file.verify()
    #expect(findings.first?.contains("log entry 2, changeset 2 of") == true)
    #expect(findings.first?.contains("the chain is broken") == true)
  }

  @Test func `a person reads real columns`() throws {
    let a = try TestStore()
    let name = a.property("Document", "name")[0]
    let one = a.property("Document", "one", "v")
    try a.write { a in
      _ = try a.file.create(
        a["Document"].id, key: .int(7),
        fields: [
          NewField(name, .scalar(.string("seven"))),
          NewField(one[0], .embedded([NewField(one[1], .scalar(.int(9)))])),
        ])
    }
    let connection = try Connection(path: a.path, access: .readOnly)
    #expect(
      try connection.texts(#"SELECT id || ' ' || name || ' ' || "one.v" FROM Document"#)
        == ["7 seven 9"])
  }
}

/// A connection that shuts every other one out, as the repair of a log after a kill does.
private final class ExclusiveConnection: @unchecked Sendable {
  private let path: String
  /// The only place where ``connection`` is touched.
  private let queue = DispatchQueue(label: "exclusive connection")
  private var connection: Connection?

  init(path: String) { self.path = path }

  func lock() throws {
    try queue.sync {
      connection = try Connection(path: path, access: .readWrite)
      try connection?.execute(
        "PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE elsewhere (name); DROP TABLE elsewhere"
      )
    }
  }

  /// Lets the others in after they have found the file locked at least once.
  func unlockSoon() {
    queue.asyncAfter(deadline: .now() + .milliseconds(50)) { self.connection?.close() }
  }
}
