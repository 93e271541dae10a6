import AtollChanges
import AtollSQLite
import AtollVocabulary
import Foundation
import Testing

@testable import AtollStorage

/// Each error of the modules below, and states of a file that lead to one.
@Suite struct `errors of the storage` {
  private static let path = "/folder/a.atoll"
  private static let doing = "creating an object"

  // MARK: Each error by its own case

  @Test(arguments: [
    (sqlite(.notADatabase), StorageError.notADatabase(path: path)),
    (sqlite(.corrupt), .damaged(path: path, detail: "words")),
    (sqlite(.full), .diskFull(path: path, doing: doing)),
    (sqlite(.inputOutput, ENOSPC), .diskFull(path: path, doing: doing)),
    (sqlite(.cantOpen, EDQUOT), .diskFull(path: path, doing: doing)),
    (sqlite(.readOnly), .notWritable(path: path, doing: doing, detail: "words")),
    (sqlite(.readOnly, kind: 6), .notWritable(path: path, doing: doing, detail: "words")),
    (sqlite(.permission), .notWritable(path: path, doing: doing, detail: "words")),
    (
      sqlite(.cantOpen, EACCES),
      .notWritable(path: path, doing: doing, detail: "Permission denied")
    ),
    (sqlite(.readOnly, kind: 4), .replaced(path: path, detail: "it was moved or removed")),
    (sqlite(.cantOpen, EMFILE), .systemCall(failure("open", EMFILE), doing: doing)),
    (sqlite(.memory), .outOfMemory(doing: doing)),
    (sqlite(.inputOutput, kind: 12, ENOENT), .outOfMemory(doing: doing)),
  ])
  func `an error of SQLite has the case of its cause`(error: SQLiteError, expected: StorageError) {
    #expect(StorageError(error as any Error, path: Self.path, doing: Self.doing) == expected)
  }

  /// A file that does not open for no reason that the system gives, and SQLite's `ERROR` and `INTERRUPT`.
  @Test(arguments: [.cantOpen, .constraint, SQLiteError.Code(1), SQLiteError.Code(9)])
  func `an error that only SQLite can explain keeps its words`(code: SQLiteError.Code) {
    let error = Self.sqlite(code)
    #expect(
      StorageError(error as any Error, path: Self.path, doing: Self.doing)
        == .sqlite(error, doing: Self.doing))
  }

  /// SQLite tries to read what it could not make, so that the number is that of a file which is missing.
  @Test func `a file beside the store that cannot be made is not said to be missing`() throws {
    let path = TestFolder.path("beside")
    try StoreFile.open(path).close()
    let error = Self.sqlite(.cantOpen, ENOENT)
    #expect(
      StorageError(error as any Error, path: path, doing: Self.doing)
        == .sqlite(error, doing: Self.doing))
    #expect(
      StorageError(error as any Error, path: path + "-none", doing: Self.doing)
        == .systemCall(
          FileFailure("open", path: path + "-none", number: ENOENT), doing: Self.doing))
  }

  @Test func `an error of the disk keeps the number of SQLite and that of the system`() {
    let error = Self.sqlite(.inputOutput, kind: 1, EIO)
    let found = StorageError(error as any Error, path: Self.path, doing: Self.doing)
    #expect(found == .diskFailed(error, path: Self.path, doing: Self.doing))
    #expect(found.description.contains("SQLite error 266"))
    #expect(found.description.contains("Input/output error (error 5)"))
  }

  @Test(arguments: [
    (failure("fsync", EIO), StorageError.systemCall(failure("fsync", EIO), doing: doing)),
    (failure("link", EXDEV), .systemCall(failure("link", EXDEV), doing: doing)),
    (failure("open", EROFS), .notWritable(path: path, doing: doing, detail: readOnlyWords)),
    (failure("unlink", EPERM), .notWritable(path: path, doing: doing, detail: forbiddenWords)),
    (failure("fsync", EDQUOT), .diskFull(path: path, doing: doing)),
  ])
  func `a call of the system has the case of its cause`(
    error: FileFailure, expected: StorageError
  ) {
    #expect(StorageError(error as any Error, path: "/other", doing: Self.doing) == expected)
    let ofLock = WriteLock.Failure.system(error)
    #expect(StorageError(ofLock, path: "/other", doing: Self.doing) == expected)
  }

  @Test func `a lock that another process holds is named with the holder and the time`() {
    let error = WriteLock.Failure.timedOut(holder: "importer", waited: .seconds(3))
    #expect(
      StorageError(error, path: Self.path, doing: Self.doing)
        == .locked(path: Self.path, holder: "importer", waited: .seconds(3)))
  }

  @Test(
    arguments: [
      ChangesetError(.truncated, at: .byte(7), "a key", found: "nothing", expected: "a byte"),
      MalformedChangeset(detail: "class 7 is not declared"),
      SnapshotRefusal(reason: "it ends early"),
    ] as [any Error & Sendable])
  func `bytes in the file that cannot be decoded are damage`(error: any Error & Sendable) {
    let found = StorageError(error, path: Self.path, doing: Self.doing)
    guard case .damaged(Self.path, let detail) = found else {
      Issue.record("\(found)")
      return
    }
    #expect(detail.hasPrefix(Self.doing))
    #expect(!detail.contains("detail:") && !detail.contains("reason:"))
  }

  @Test func `an error that nobody expects is neither damage nor a lack of permission`() {
    let found = StorageError(CancellationError(), path: Self.path, doing: Self.doing)
    #expect(found == .unexpected(detail: "CancellationError()", doing: Self.doing))
  }

  @Test func `an error of the storage itself stays what it is`() {
    let error = StorageError.noSuchClass(ClassID(4))
    #expect(StorageError(error as any Error, path: Self.path, doing: Self.doing) == error)
  }

  // MARK: States that lead to one

  @Test func `a name that the system refuses is a failed call`() {
    let path = TestFolder.path(String(repeating: "n", count: 300))
    let error = #expect(throws: StorageError.self) { try StoreFile.open(path) }
    let expected = FileFailure("open", path: path, number: ENAMETOOLONG)
    #expect(error == .systemCall(expected, doing: "opening \(path)"))
    #expect(error?.description.contains("open of \(path): ") == true)
  }

  #if os(Linux)
  @Test func `a folder that nobody may write to is a lack of permission`() {
    let path = "/sys/store.atoll"
    let error = #expect(throws: StorageError.self) { try StoreFile.open(path) }
    guard case .notWritable(path, doing: "opening \(path)", _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains("Check the permissions") == true)
  }
  #endif

  @Test(arguments: [false, true])
  func `a file without one of its tables is damaged`(isReadOnly: Bool) throws {
    let path = TestFolder.path("lacking")
    try StoreFile.open(path).close()
    let connection = try Connection(path: path, access: .readWrite)
    try connection.execute("DROP TABLE atoll_held")
    connection.close()
    let error = #expect(throws: StorageError.self) {
      try StoreFile.open(path, options: StoreOptions(isReadOnly: isReadOnly))
    }
    #expect(error == .damaged(path: path, detail: "it has no table atoll_held"))
  }

  @Test func `a changeset in the log that cannot be decoded is damage`() throws {
    let store = try TestStore("undecodable")
    try store.create(1)
    let connection = try Connection(path: store.path, access: .readWrite)
    try connection.execute("UPDATE atoll_log SET bytes = x'ff'")
    connection.close()
    let error = #expect(throws: StorageError.self) {
      try store.file.explain(store["Document"].id, key: .int(1), path: ["n"])
    }
    guard case .damaged(store.path, let detail)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(detail.contains("changeset refused at byte"))
  }

  @Test func `a disk that does not answer is no damage of the file`() throws {
    let path = TestFolder.path("no-answer")
    try StoreFile.open(path).close()
    let disk = try FaultDisk()
    let file = try StoreFile.open(path, options: StoreOptions(disk: disk))
    defer { file.close() }
    disk.plan(FaultDisk.Plan(.inputOutput, at: [.write], isLasting: true))
    let error = #expect(throws: StorageError.self) { try file.adopt(TestModel.all) }
    disk.plan(nil)
    guard case .diskFailed(_, path, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  // MARK: Values

  /// An error of a code, or of an extended one of its kinds.
  private static func sqlite(
    _ code: SQLiteError.Code, kind: Int32 = 0, _ system: Int32 = 0
  ) -> SQLiteError {
    SQLiteError(
      code: SQLiteError.Code(code.rawValue | kind << 8), message: "words", sql: nil,
      systemCode: system)
  }

  private static func failure(_ call: String, _ number: Int32) -> FileFailure {
    FileFailure(call, path: path, number: number)
  }

  private static let readOnlyWords = String(cString: strerror(EROFS))
  private static let forbiddenWords = String(cString: strerror(EPERM))
}
