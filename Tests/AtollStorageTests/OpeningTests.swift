import AtollChanges
import AtollQuery
import AtollSQLite
import AtollStorage
import AtollVocabulary
import Foundation
import Synchronization
import Testing

@Suite struct `opening a store` {
  @Test func `a new file is readable by its owner only`() throws {
    let path = TestFolder.path("mode")
    try StoreFile.open(path).close()
    #expect(FileFacts.permissions(path: path) == 0o600)
    #expect(FileFacts.permissions(path: path + "-lock") == 0o600)
  }

  @Test func `a file keeps its store, its author and its objects`() throws {
    let path = TestFolder.path("keeps")
    let first = try StoreFile.open(path)
    let note = try first.adopt(TestModel.all)[3]
    try first.beginWrite()
    _ = try first.create(note.id, key: nil, fields: [])
    try first.commitWrite()
    let (storeID, author, text) = (first.storeID, first.author, try exported(first))
    first.close()
    let second = try StoreFile.open(path)
    #expect(second.storeID == storeID)
    #expect(second.author == author)
    #expect(try exported(second) == text)
  }

  @Test func `a file that many make at once is one store, and none of them fails`() {
    for round in 0..<20 {
      let path = TestFolder.path("made at once \(round)")
      let outcomes = Mutex<Set<String>>([])
      DispatchQueue.concurrentPerform(iterations: 12) { _ in
        let outcome: String
        do {
          let file = try StoreFile.open(path)
          outcome = "\(file.storeID)"
          file.close()
        } catch {
          outcome = "\(error)"
        }
        outcomes.withLock { _ = $0.insert(outcome) }
      }
      let all = outcomes.withLock { $0 }
      #expect(all.count == 1, "\(all)")
    }
  }

  @Test func `a file is read as it was at one moment, while others declare classes`()
    async throws
  {
    let path = TestFolder.path("moment")
    try StoreFile.open(path).close()
    try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask {
        let file = try StoreFile.open(path)
        defer { file.close() }
        for number in 1...150 { _ = try file.adopt([Self.declared(number)]) }
        return 150
      }
      group.addTask {
        let old = try StoreFile.open(path)
        defer { old.close() }
        var found = 0
        for _ in 0..<3000 where found < 150 {
          _ = try old.commitNumber()
          let new = try StoreFile.open(path)
          defer { new.close() }
          found = try new.classes.count {
            $0.name.hasPrefix("Declared") && $0.properties.count >= 3
          }
        }
        return found
      }
      for try await found in group { #expect(found == 150) }
    }
  }

  @Test func `peers take what is written by one who opened the file while others declared classes`()
    async throws
  {
    let path = TestFolder.path("declaring")
    try StoreFile.open(path).close()
    let end = End()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { end.isReached.withLock { $0 = true } }
        let file = try StoreFile.open(path)
        defer { file.close() }
        for number in 1...200 {
          let stored = try file.adopt([Self.declared(number)])[0]
          try file.beginWrite()
          _ = try file.create(stored.id, key: .int(0), fields: [])
          try file.commitWrite()
        }
      }
      group.addTask {
        var key: Int64 = 0
        while !end.isReached.withLock({ $0 }) {
          let file = try StoreFile.open(path)
          defer { file.close() }
          key += 1
          try file.beginWrite()
          for stored in try file.classes.suffix(2) {
            _ = try file.create(stored.id, key: .int(key), fields: [])
          }
          try file.commitWrite()
        }
      }
      try await group.waitForAll()
    }
    let file = try StoreFile.open(path)
    let peer = try StoreFile.open(
      TestFolder.path("declaring-peer"), options: StoreOptions(storeID: file.storeID))
    let entries = try file.entries(
      lackedBy: VersionVector(), after: .start, limitBytes: .max
    ).entries
    let outcomes = try peer.apply(entries.map { IncomingChangeset($0) })
    #expect(outcomes == entries.map { .applied($0.id) })
  }

  /// Told to one task by another.
  private final class End: Sendable {
    let isReached = Mutex(false)
  }

  private static func declared(_ number: Int) -> ClassSchema {
    ClassSchema(
      name: "Declared\(number)", primaryKey: "id",
      properties: ["id", "a", "b", "c"].map { PropertySchema(name: $0, type: .int) })
  }

  @Test func `the store id may be given, and must then be the file's`() throws {
    let path = TestFolder.path("id")
    let mine = StoreID(high: 7, low: 8)
    #expect(try StoreFile.open(path, options: StoreOptions(storeID: mine)).storeID == mine)
    let other = StoreID(high: 9, low: 9)
    let error = refusal(path, StoreOptions(storeID: other))
    #expect(error == .otherStore(path: path, found: mine, expected: other))
  }

  @Test func `a file that is not there is not made unless that was asked for`() {
    let path = TestFolder.path("missing")
    #expect(refusal(path, StoreOptions(mayCreate: false)) == .noSuchFile(path: path))
    #expect(FileFacts(path: path) == nil)
  }

  @Test func `a path of nothing is no store`() {
    let error = refusal("")
    #expect(
      error
        == .wrongPath(
          path: "", detail: "a store is a file, and has a path",
          remedy: "Give the path of the file"))
    #expect(
      error?.description
        == "opening a store without a path: a store is a file, and has a path. "
        + "Give the path of the file")
  }

  @Test func `a file that is not a database is refused and left alone`() throws {
    let path = TestFolder.path("text")
    let text = String(repeating: "not a database at all\n", count: 100)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(refusal(path) == .notADatabase(path: path))
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test func `another program's database is refused and left alone`() throws {
    let path = TestFolder.path("other")
    let connection = try Connection(path: path, access: .create)
    try connection.execute("CREATE TABLE t (v); PRAGMA application_id = 42")
    connection.close()
    #expect(refusal(path) == .notAStore(path: path, applicationID: 42))
  }

  @Test func `a file of a newer format is refused with both numbers`() throws {
    let path = TestFolder.path("newer")
    try StoreFile.open(path).close()
    let connection = try Connection(path: path, access: .readWrite)
    try connection.execute("PRAGMA user_version = 99")
    connection.close()
    let error = refusal(path)
    #expect(error == .otherFormat(path: path, found: 99, supported: 4))
    #expect(
      error?.description
        == "opening \(path): the file has format 99, this build reads format 4. "
        + "Update the program; the file was not changed")
  }

  @Test func `a path that leads to a folder, or into none, says so`() throws {
    let file = TestFolder.path("plain")
    try "".write(toFile: file, atomically: true, encoding: .utf8)
    for path in [file + "/store.atoll", file + "x/store.atoll"] {
      let folder = path.dropLast("store.atoll".count)
      #expect(
        refusal(path)?.description
          == "opening \(path): there is no folder \(folder). Make it first, or check the path")
      #expect(refusal(path, StoreOptions(mayCreate: false)) == .noSuchFile(path: path))
    }
    let path = TestFolder.path("folder")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    #expect(
      refusal(path)?.description
        == "opening \(path): there is a folder, and a store is one file. Name a file in the folder")
  }

  @Test func `a file opened for reading refuses to be written`() throws {
    let path = TestFolder.path("reading")
    let writer = try StoreFile.open(path)
    _ = try writer.adopt(TestModel.all)
    let reader = try StoreFile.open(path, options: StoreOptions(isReadOnly: true))
    #expect(try reader.classes.count == 4)
    let error = #expect(throws: StorageError.self) { try reader.beginWrite() }
    #expect(error == .openedForReading(path: path, doing: "beginning a write transaction"))
  }

  @Test func `a file that was closed is an error and not a trap`() throws {
    let store = try TestStore("closed")
    let cursor = try store.file.rows(StoreQuery(store["Document"].id))
    store.file.close()
    store.file.close()
    #expect(try cursor.next() == nil)
    #expect(throws: StorageError.self) { try store.file.commitNumber() }
    #expect(throws: StorageError.self) { try store.file.beginWrite() }
    #expect(throws: StorageError.self) {
      try store.file.find(store["Document"].id, key: .int(1))
    }
  }

  @Test func `a copied file starts a new incarnation of the same replica`() throws {
    let path = TestFolder.path("original")
    let original = try StoreFile.open(path)
    let author = original.author
    original.close()
    let copy = TestFolder.path("copy")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    for suffix in ["-wal", "-shm"] where FileFacts(path: path + suffix) != nil {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
    }
    let copied = try StoreFile.open(copy)
    #expect(copied.author.replica == author.replica)
    #expect(copied.author.incarnation != author.incarnation)
    #expect(try StoreFile.open(path).author == author)
    #expect(try StoreFile.open(copy).author == copied.author)
  }

  @Test func `a full disk fails the transaction and leaves the data as it was`() throws {
    let path = TestFolder.path("full")
    let store = try StoreFile.open(path, options: StoreOptions(maximumPageCount: 120))
    let note = try store.adopt(TestModel.all)[3]
    let text = try #require(note.property(named: "text"))
    try store.beginWrite()
    _ = try store.create(
      note.id, key: nil, fields: [NewField(text, .scalar(.string("kept")))])
    try store.commitWrite()
    let before = try exported(store)
    var failure: StorageError?
    do {
      try store.beginWrite()
      let long = String(repeating: "x", count: 100_000)
      for _ in 0..<20 {
        _ = try store.create(
          note.id, key: nil, fields: [NewField(text, .scalar(.string(long)))])
      }
      try store.commitWrite()
    } catch {
      failure = error
      store.rollback()
    }
    guard case .diskFull(path: path, _)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(failure?.description.contains("Make room and try again") == true)
    #expect(try exported(store) == before)
    #expect(try store.verify() == [])
    try store.beginWrite()
    _ = try store.create(note.id, key: nil, fields: [])
    try store.commitWrite()
    #expect(try store.count(StoreQuery(note.id)) == 2)
  }

  private func refusal(
    _ path: String, _ options: StoreOptions = StoreOptions()
  ) -> StorageError? {
    do {
      _ = try StoreFile.open(path, options: options)
      return nil
    } catch {
      return error
    }
  }

  private func exported(_ file: StoreFile) throws -> String {
    var text = ""
    try file.export { text += $0 }
    return text
  }
}
