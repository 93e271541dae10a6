import CBenchmarkSQLite
import Foundation

let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

struct RawSQLiteError: Error, CustomStringConvertible {
  var description: String
}

/// The C API with as little between as possible: what Atoll is compared with.
final class RawSQLite {
  let handle: OpaquePointer

  init(_ url: URL, isFullSync: Bool = true) throws {
    var handle: OpaquePointer?
    let code = sqlite3_open(url.path, &handle)
    guard code == SQLITE_OK, let handle else {
      throw RawSQLiteError(description: "opening \(url.path): code \(code)")
    }
    self.handle = handle
    try execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=\(isFullSync ? "FULL" : "NORMAL")")
  }

  deinit { sqlite3_close_v2(handle) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw RawSQLiteError(description: "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
    }
  }

  func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    guard
      sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        == SQLITE_OK, let statement
    else { throw RawSQLiteError(description: "\(sql): \(String(cString: sqlite3_errmsg(handle)))") }
    return statement
  }

  /// Runs a statement that gives no row, and makes it ready to run again.
  func run(_ statement: OpaquePointer) throws {
    defer { sqlite3_reset(statement) }
    guard sqlite3_step(statement) == SQLITE_DONE else {
      throw RawSQLiteError(description: String(cString: sqlite3_errmsg(handle)))
    }
  }

  /// The first column of every row as text.
  func texts(_ sql: String) throws -> [String] {
    let statement = try prepare(sql)
    defer { sqlite3_finalize(statement) }
    var texts: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW { texts.append(text(statement, 0)) }
    return texts
  }

  /// Makes the club table: the same columns as Atoll's, with a key index of its own.
  func createClubs() throws {
    try execute(
      """
      CREATE TABLE club (id INTEGER PRIMARY KEY, pk INTEGER UNIQUE, name TEXT, url TEXT,
        latitude REAL, longitude REAL, count INTEGER)
      """)
    try execute("CREATE INDEX club_name ON club (name)")
  }

  func insert(_ clubs: some Sequence<ClubValues>, perTransaction: Int) throws {
    let statement = try prepare(
      "INSERT INTO club (pk, name, url, latitude, longitude, count) VALUES (?, ?, ?, ?, ?, ?)")
    defer { sqlite3_finalize(statement) }
    var open = 0
    for club in clubs {
      if open == 0 { try execute("BEGIN IMMEDIATE") }
      sqlite3_bind_int64(statement, 1, Int64(club.pk))
      sqlite3_bind_text(statement, 2, club.name, -1, transient)
      sqlite3_bind_text(statement, 3, club.url, -1, transient)
      sqlite3_bind_double(statement, 4, club.latitude)
      sqlite3_bind_double(statement, 5, club.longitude)
      sqlite3_bind_int64(statement, 6, Int64(club.count))
      guard sqlite3_step(statement) == SQLITE_DONE else {
        throw RawSQLiteError(description: String(cString: sqlite3_errmsg(handle)))
      }
      sqlite3_reset(statement)
      open += 1
      if open == perTransaction {
        try execute("COMMIT")
        open = 0
      }
    }
    if open > 0 { try execute("COMMIT") }
  }
}

/// Reads the text of a column as a Swift string.
func text(_ statement: OpaquePointer, _ column: Int32) -> String {
  sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
}
