import CBenchmarkSQLite
import Foundation

/// SQLite's session extension: records changesets on one file and applies them to another.
struct SessionExtension {
  private let changesets: [Data]

  /// Records one changeset for every `creates` clubs.
  init(_ clubs: [ClubValues], creates: Int) throws {
    let scratch = try Scratch()
    let source = try RawSQLite(scratch.file("source.sqlite"))
    try Self.createClubs(source)
    changesets = try stride(from: 0, to: clubs.count, by: creates).map { start in
      try Self.record(source) {
        try source.insert(clubs[start..<min(start + creates, clubs.count)], perTransaction: creates)
      }
    }
  }

  /// Milliseconds to apply all of them to a fresh file, one durable transaction each.
  func apply() throws -> Double {
    let scratch = try Scratch()
    let target = try RawSQLite(scratch.file("target.sqlite"))
    try Self.createClubs(target)
    return try milliseconds {
      for var changeset in changesets {
        let count = Int32(changeset.count)
        let code = changeset.withUnsafeMutableBytes {
          sqlite3changeset_apply(
            target.handle, count, $0.baseAddress, nil, { _, _, _ in SQLITE_CHANGESET_ABORT }, nil)
        }
        guard code == SQLITE_OK else {
          throw RawSQLiteError(description: "applying a session changeset: code \(code)")
        }
      }
    }
  }

  /// The session extension identifies rows by the declared key, so the key is the row id here.
  private static func createClubs(_ database: RawSQLite) throws {
    try database.execute(
      """
      CREATE TABLE club (pk INTEGER PRIMARY KEY, name TEXT, url TEXT, latitude REAL,
        longitude REAL, count INTEGER)
      """)
    try database.execute("CREATE INDEX club_name ON club (name)")
  }

  private static func record(_ database: RawSQLite, _ body: () throws -> Void) throws -> Data {
    var session: OpaquePointer?
    guard sqlite3session_create(database.handle, "main", &session) == SQLITE_OK,
      sqlite3session_attach(session, "club") == SQLITE_OK
    else { throw RawSQLiteError(description: "starting a session") }
    defer { sqlite3session_delete(session) }
    try body()
    var count: Int32 = 0
    var bytes: UnsafeMutableRawPointer?
    guard sqlite3session_changeset(session, &count, &bytes) == SQLITE_OK, let bytes else {
      throw RawSQLiteError(description: "reading a session's changeset")
    }
    defer { sqlite3_free(bytes) }
    return Data(bytes: bytes, count: Int(count))
  }
}
