import AtollChanges
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation
import Testing

/// The write-ahead log when a file is closed, and one that is not the file's own.
@Suite struct `the write-ahead log beside a file` {
  // MARK: Closing

  @Test func `issue 28.8: after the last close the one file is the whole store`() throws {
    let store = try filled("one")
    let text = try store.exported()
    store.file.close()
    #expect(FileFacts(path: store.path + "-wal") == nil)
    let copy = TestFolder.path("copy")
    try FileManager.default.copyItem(atPath: store.path, toPath: copy)
    #expect(try exported(copy) == text)
    store.file.close()
  }

  @Test func `issue 28.8: whoever closes last moves the log, not who is closed before`() throws {
    let store = try filled("two")
    let second = try StoreFile.open(store.path)
    let reader = try StoreFile.open(store.path, options: StoreOptions(isReadOnly: true))
    store.file.close()
    #expect(FileFacts.size(path: store.path + "-wal") ?? 0 > 0)
    try second.step(try #require(second.adopted("Document")))
    second.close()
    #expect(FileFacts.size(path: store.path + "-wal") ?? 0 > 0, "a reader shows it")
    #expect(try reader.counts().first?.objects == 1)
    reader.close()
    #expect(FileFacts.size(path: store.path + "-wal") ?? 0 > 0, "a reader changes nothing")
    try StoreFile.open(store.path).close()
    #expect(FileFacts(path: store.path + "-wal") == nil)
    let file = try StoreFile.open(store.path)
    #expect(try file.verify() == [])
    file.close()
  }

  @Test func `issue 28.8: closing waits for a writer, and not for long`() throws {
    let store = try filled("busy")
    let other = try StoreFile.open(store.path)
    try other.beginWrite()
    let start = ContinuousClock.now
    store.file.close()
    let taken = ContinuousClock.now - start
    #expect(taken >= Limits.closingLockTimeout && taken < .seconds(10))
    _ = try other.commitWrite()
    other.close()
    #expect(FileFacts(path: store.path + "-wal") == nil)
  }

  @Test func `issue 28.8: a close in the middle of a transaction undoes it and moves the rest`()
    throws
  {
    let store = try filled("undone")
    let text = try store.exported()
    try store.file.beginWrite()
    _ = try store.file.create(store["Document"].id, key: .int(99), fields: [])
    store.file.close()
    #expect(FileFacts(path: store.path + "-wal") == nil)
    #expect(try exported(store.path) == text)
  }

  @Test func `issue 28.8: what a killed process leaves is read, and moved at the next close`()
    throws
  {
    let store = try filled("killed")
    let text = try store.exported()
    store.file.close(movingLog: false)
    #expect(FileFacts.size(path: store.path + "-wal") ?? 0 > 0)
    #expect(try exported(store.path) == text)
    try StoreFile.open(store.path).close()
    #expect(FileFacts(path: store.path + "-wal") == nil)
    #expect(try exported(store.path) == text)
  }

  @Test func `issue 28.8: closing a file without a log is cheap`() throws {
    let store = try filled("cheap")
    store.file.close()
    let start = ContinuousClock.now
    for _ in 0..<20 { try StoreFile.open(store.path).close() }
    #expect(ContinuousClock.now - start < .seconds(5))
  }

  // MARK: A log of another file

  @Test func `issue 28.8: a log that another store has left is refused, and nothing is changed`()
    throws
  {
    let (store, other) = (try filled("own"), try filled("other"))
    store.file.close()
    other.file.close(movingLog: false)
    let bytes = try Data(contentsOf: URL(filePath: store.path))
    try copyLog(from: other.path, to: store.path)
    let log = try Data(contentsOf: URL(filePath: store.path + "-wal"))
    for isReadOnly in [false, true] {
      let refused = refusal {
        try StoreFile.open(store.path, options: StoreOptions(isReadOnly: isReadOnly)).close()
      }
      #expect(refused == .foreignLog(path: store.path, detail: "it was written for another file"))
      #expect(refused?.description.contains("move \(store.path)-wal and") == true)
      #expect(try Data(contentsOf: URL(filePath: store.path)) == bytes)
      #expect(try Data(contentsOf: URL(filePath: store.path + "-wal")) == log)
    }
    try FileFacts.remove(path: store.path + "-wal")
    try? FileFacts.remove(path: store.path + "-shm")
    #expect(try exported(store.path).contains("\"key\":1"))
  }

  @Test func `issue 28.8: a backup put over the file of a killed process is refused with its log`()
    throws
  {
    let store = try filled("killed")
    let backup = TestFolder.path("backup")
    try store.file.backUp(to: backup)
    try store.write { try $0.increment("n", by: 1) }
    try store.file.checkpoint()
    try store.write { try $0.increment("n", by: 1) }
    store.file.close(movingLog: false)
    try overwrite(store.path, with: backup)
    let refused = refusal { try StoreFile.open(store.path).close() }
    #expect(refused == .foreignLog(path: store.path, detail: "it was written for another file"))
    // The remedy that is offered works.
    let done = try StoreFile.restore(backup, to: store.path)
    #expect(done.replaced != nil)
    #expect(try exported(store.path) == exported(backup))
  }

  @Test func `issue 28.8: an old copy of the file itself is refused with a newer log`() throws {
    let store = try filled("older")
    try store.file.checkpoint()
    let old = try Data(contentsOf: URL(filePath: store.path))
    for _ in 0..<3 { try store.write { try $0.increment("n", by: 1) } }
    store.file.close()
    let file = try StoreFile.open(store.path)
    try file.step(try #require(file.adopted("Document")))
    file.close(movingLog: false)
    try overwrite(store.path, with: old)
    guard case .foreignLog(_, let detail)? = refusal({ try StoreFile.open(store.path).close() })
    else {
      Issue.record("an old file was opened with a newer log")
      return
    }
    #expect(detail.hasPrefix("it begins with commit"))
  }

  @Test func `issue 28.8: an old log is refused beside a newer file`() throws {
    let store = try filled("newer")
    try store.write { try $0.increment("n", by: 1) }
    let log = try Data(contentsOf: URL(filePath: store.path + "-wal"))
    store.file.close()
    let file = try StoreFile.open(store.path)
    for _ in 0..<3 { try file.step(try #require(file.adopted("Document"))) }
    file.close()
    try log.write(to: URL(filePath: store.path + "-wal"))
    guard case .foreignLog(_, let detail)? = refusal({ try StoreFile.open(store.path).close() })
    else {
      Issue.record("an old log was taken")
      return
    }
    #expect(detail.hasPrefix("it ends with commit"))
  }

  @Test func `issue 28.8: a log without its file is not given to a new store`() throws {
    let store = try filled("gone")
    store.file.close(movingLog: false)
    try FileFacts.remove(path: store.path)
    let refused = refusal { try StoreFile.open(store.path).close() }
    #expect(refused == .foreignLog(path: store.path, detail: "there is no file beside it"))
    #expect(FileFacts(path: store.path) == nil)
    #expect(FileFacts.size(path: store.path + "-wal") ?? 0 > 0)
  }

  @Test func `issue 28.8: a log of another file is refused beside a store without commits`() throws
  {
    let other = try filled("old")
    try other.file.checkpoint()
    for _ in 0..<2 { try other.write { try $0.increment("n", by: 1) } }
    other.file.close()
    let file = try StoreFile.open(other.path)
    try file.step(try #require(file.adopted("Document")))
    file.close(movingLog: false)
    let empty = TestFolder.path("without-commits")
    try StoreFile.open(empty).close()
    try copyLog(from: other.path, to: empty)
    guard case .foreignLog(_, let detail)? = refusal({ try StoreFile.open(empty).close() }) else {
      Issue.record("a log was taken")
      return
    }
    #expect(detail.hasSuffix("and the file has no commits"))
  }

  @Test func `issue 28.8: a log copied together with its file is its own`() throws {
    let store = try filled("both")
    try store.file.checkpoint()
    try store.write { try $0.increment("n", by: 1) }
    let text = try store.exported()
    store.file.close(movingLog: false)
    let copy = TestFolder.path("copy")
    try FileManager.default.copyItem(atPath: store.path, toPath: copy)
    try copyLog(from: store.path, to: copy)
    let file = try StoreFile.open(copy)
    file.close(movingLog: false)
    #expect(try exported(copy) == text)
    // Under its new incarnation too, and after its checkpoint.
    let again = try StoreFile.open(copy)
    try again.step(try #require(again.adopted("Document")))
    try again.checkpoint()
    try again.step(try #require(again.adopted("Document")))
    again.close(movingLog: false)
    try StoreFile.open(copy).close()
    #expect(try exported(copy).contains("\"n\":"))
  }

  @Test func `issue 28.8: values that look like marks do not speak against the log`() throws {
    let store = try filled("forged")
    try store.file.checkpoint()
    let fake: [UInt8] =
      [0xFF, 0xA7, 0x6F, 0x6C, 0x6C, 0x6C, 0x6F, 0x67] + Array(repeating: 0x7E, count: 16)
    try store.write {
      let document = $0["Document"]
      let text = try #require(document.properties.first { $0.type == .data || $0.type == .any })
      let value: NewValue = .scalar(.data(fake + fake))
      _ = try $0.file.create(document.id, key: .int(77), fields: [NewField(text, value)])
    }
    store.file.close(movingLog: false)
    let file = try StoreFile.open(store.path)
    #expect(try file.verify() == [])
    file.close()
  }

  // MARK: A file that is replaced while it is open

  @Test func `issue 28.21: a backup copied over an open file is noticed at the next write`() throws
  {
    let store = try filled("over")
    let backup = TestFolder.path("backup")
    try store.file.backUp(to: backup)
    try store.write { try $0.increment("n", by: 1) }
    try store.file.checkpoint()
    try store.write { try $0.increment("n", by: 1) }
    try overwrite(store.path, with: backup)
    let bytes = try Data(contentsOf: URL(filePath: store.path))
    let refused = refusal { try store.file.beginWrite() }
    #expect(
      refused == .replaced(path: store.path, detail: "something else was written over it"))
    #expect(refused?.description.contains("atoll restore") == true)
    #expect(
      refusal { try store.file.checkReplacement() }
        == .replaced(path: store.path, detail: "something else was written over it"))
    store.file.close()
    #expect(
      try Data(contentsOf: URL(filePath: store.path)) == bytes, "the log is not moved into it")
  }

  @Test func `issue 28.21: an older state copied over an open file is noticed`() throws {
    let store = try filled("back")
    try store.file.checkpoint()
    let old = try Data(contentsOf: URL(filePath: store.path))
    try store.write { try $0.increment("n", by: 1) }
    try store.file.checkpoint()
    try store.write { try $0.increment("n", by: 1) }
    try overwrite(store.path, with: old)
    #expect(
      refusal { try store.file.beginWrite() }
        == .replaced(path: store.path, detail: "something else was written over it"))
  }

  @Test func `issue 28.21: a file that is moved away or replaced by name is noticed`() throws {
    let store = try filled("moved")
    try store.file.checkReplacement()
    try FileManager.default.moveItem(atPath: store.path, toPath: store.path + ".old")
    #expect(
      refusal { try store.file.beginWrite() }
        == .replaced(path: store.path, detail: "there is no file any more"))
    try FileManager.default.copyItem(atPath: store.path + ".old", toPath: store.path)
    #expect(
      refusal { try store.file.beginWrite() }
        == .replaced(path: store.path, detail: "another file has its name"))
    let log = FileFacts.size(path: store.path + "-wal")
    store.file.close()
    #expect(FileFacts.size(path: store.path + "-wal") == log)
  }

  @Test func `issue 28.21: checkpoints of others are no replacement`() throws {
    let store = try filled("checkpointed")
    let other = try StoreFile.open(store.path)
    for _ in 0..<5 {
      try other.step(try #require(other.adopted("Document")))
      try other.checkpoint()
      try store.write { try $0.increment("n", by: 1) }
      try store.file.checkReplacement()
      try store.file.checkpoint()
    }
    _ = try store.file.compact()
    try other.step(try #require(other.adopted("Document")))
    other.close()
    store.file.close()
  }

  // MARK: Steps

  private func filled(_ name: String) throws -> TestStore {
    let clock = TestClock()
    clock.now = SystemClock.wallTime()
    let store = try TestStore(name, clock: clock)
    try store.write {
      _ = try $0.file.create($0["Document"].id, key: .int(1), fields: [])
    }
    return store
  }

  private func exported(_ path: String) throws -> String {
    let file = try StoreFile.open(path, options: StoreOptions(isReadOnly: true, mayCreate: false))
    defer { file.close() }
    var text = ""
    try file.export { text += $0 }
    return text
  }

  private func copyLog(from source: String, to destination: String) throws {
    try FileManager.default.copyItem(atPath: source + "-wal", toPath: destination + "-wal")
  }

  /// As `cp` does it: the file stays, with other bytes.
  private func overwrite(_ path: String, with source: String) throws {
    try overwrite(path, with: try Data(contentsOf: URL(filePath: source)))
  }

  private func overwrite(_ path: String, with bytes: Data) throws {
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.write(contentsOf: bytes)
    try handle.truncate(atOffset: UInt64(bytes.count))
    try handle.close()
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

  /// One transaction that adds 1 to `n` of document 1.
  fileprivate func step(_ document: StoredClass) throws {
    guard let row = try find(document.id, key: .int(1)),
      let property = document.property(named: "n")
    else { throw TestFailure("no document") }
    try beginWrite()
    try increment(document.id, id: row, FieldPath(property), by: 1)
    try commitWrite()
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
