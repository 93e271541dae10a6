import CSQLite

/// A compiled statement, run again and again with other values.
///
/// Parameters count from 1 and columns from 0, as in C. A failed bind is thrown by the next
/// ``step()``, so that binding a row is one check and not one a column.
package final class Statement {
  package let sql: String
  let handle: OpaquePointer
  private let connection: Connection
  private var isLive = true
  // Confined like the connection, and never accessed twice at once; looking whether they are took as
  // long as binding.
  @exclusivity(unchecked) private var bindCode = SQLITE_OK
  /// True if a parameter is bound that is too long to be kept until the next run.
  @exclusivity(unchecked) private var isHeavy = false
  @exclusivity(unchecked) private var kept = BoundBytes()
  private let parameterCount: Int32
  /// Added to the index of every parameter: what binds one row then binds any row of several.
  @exclusivity(unchecked) package var offset: Int32 = 0

  init(_ sql: String, on connection: Connection) throws(SQLiteError) {
    self.sql = sql
    self.connection = connection
    let compiled: OpaquePointer?
    do {
      compiled = try Self.compile(sql, on: connection)
    } catch {
      guard error.code.primary == .schema else { throw error }
      compiled = try connection.inOneSchema { () throws(SQLiteError) in
        try Self.compile(sql, on: connection)
      }
    }
    guard let handle = compiled else {
      throw SQLiteError(
        code: SQLiteError.Code(SQLITE_MISUSE), message: "the statement is empty", sql: sql)
    }
    self.handle = handle
    parameterCount = sqlite3_bind_parameter_count(handle)
    connection.enter(handle)
  }

  private static func compile(
    _ sql: String, on connection: Connection
  ) throws(SQLiteError) -> OpaquePointer? {
    var handle: OpaquePointer?
    var sql = sql
    let code = sql.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_prepare_v3(
          connection.handle, $0.baseAddress, Int32(clamping: $0.count),
          UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
      }
    }
    guard code == SQLITE_OK else { throw SQLiteError(code, of: connection.handle, sql: sql) }
    return handle
  }

  deinit { finalize() }

  /// Gives the statement back; the connection does so too when it closes.
  package func finalize() {
    guard isLive else { return }
    isLive = false
    connection.finalize(handle)
  }

  /// Advances to the next row; false when there is none, and then the statement is reset.
  package func step() throws(SQLiteError) -> Bool {
    if bindCode == SQLITE_OK {
      let code = sqlite3_step(handle)
      if code & 0xFF == SQLITE_SCHEMA, sqlite3_stmt_readonly(handle) != 0 {
        sqlite3_reset(handle)
        return try connection.inOneSchema { () throws(SQLiteError) in
          try hasRow(sqlite3_step(handle))
        }
      }
      return try hasRow(code)
    }
    return try hasRow(bindCode)
  }

  private func hasRow(_ code: Int32) throws(SQLiteError) -> Bool {
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      reset()
      return false
    default:
      let error = SQLiteError(code, of: connection.handle, sql: sql)
      bindCode = SQLITE_OK
      reset()
      throw error
    }
  }

  /// Runs to the end, rows ignored.
  package func run() throws(SQLiteError) {
    while try step() {}
  }

  /// Runs to the end; false if a constraint of the table stood in the way.
  package func runUnlessConstrained() throws(SQLiteError) -> Bool {
    do {
      try run()
      return true
    } catch {
      guard error.code.primary == .constraint else { throw error }
      return false
    }
  }

  /// Runs to the end with a blob that is not copied first.
  package func run(binding bytes: [UInt8], at index: Int32) throws(SQLiteError) {
    let result = bytes.withUnsafeBytes { pointer -> Result<Void, SQLiteError> in
      let code = sqlite3_bind_blob64(
        handle, offset + index, pointer.baseAddress, UInt64(pointer.count), nil)
      guard code == SQLITE_OK else {
        return .failure(SQLiteError(code, of: connection.handle, sql: sql))
      }
      defer { sqlite3_bind_null(handle, offset + index) }
      return Result { () throws(SQLiteError) in try run() }
    }
    try result.get()
  }

  /// Ends a run whose rows were not all read; parameters that take much memory are NULL then.
  package func reset() {
    sqlite3_reset(handle)
    guard isHeavy else { return }
    isHeavy = false
    clear()
  }

  /// Makes every parameter NULL.
  package func clear() { sqlite3_clear_bindings(handle) }

  package var columnCount: Int { Int(sqlite3_column_count(handle)) }
}

// MARK: - Parameters

extension Statement {
  package func bindNull(at index: Int32) { record(sqlite3_bind_null(handle, offset + index)) }

  package func bind(_ value: Int64, at index: Int32) {
    record(sqlite3_bind_int64(handle, offset + index, value))
  }

  /// Bit for bit, as the signed number SQLite has.
  package func bind(_ value: UInt64, at index: Int32) {
    bind(Int64(bitPattern: value), at: index)
  }

  /// NaN becomes the blob ``notANumber``, which SQLite would turn into NULL.
  package func bind(_ value: Double, at index: Int32) {
    if value.isNaN {
      bind(Self.notANumber, at: index)
    } else {
      record(sqlite3_bind_double(handle, offset + index, value))
    }
  }

  package func bind(_ value: String, at index: Int32) {
    var value = value
    value.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        let raw = UnsafeRawBufferPointer(characters)
        if let address = kept.keep(raw, at: offset + index, of: parameterCount) {
          let text = address.assumingMemoryBound(to: CChar.self)
          record(csqlite_bind_kept_text(handle, offset + index, text, UInt64(characters.count)))
          return
        }
        isHeavy = isHeavy || characters.count > Self.keptBytes
        record(
          withUnsafe(characters) { csqlite_bind_text(handle, offset + index, $0, UInt64($1)) })
      }
    }
  }

  package func bind(_ value: [UInt8], at index: Int32) {
    value.withUnsafeBytes { bytes in
      if let address = kept.keep(bytes, at: offset + index, of: parameterCount) {
        record(sqlite3_bind_blob64(handle, offset + index, address, UInt64(bytes.count), nil))
        return
      }
      isHeavy = isHeavy || bytes.count > Self.keptBytes
      // An empty array may have no address, which SQLite would take for NULL.
      record(
        bytes.baseAddress.map { csqlite_bind_blob(handle, offset + index, $0, UInt64(bytes.count)) }
          ?? sqlite3_bind_zeroblob(handle, offset + index, 0))
    }
  }

  /// The longest text or blob that SQLite's copy of is kept after the run.
  private static let keptBytes = 64 << 10

  /// The value that stands for NaN in a number's column; after every number in SQLite's order.
  package static let notANumber: [UInt8] = [0x7F, 0xF8, 0, 0, 0, 0, 0, 0]

  private func withUnsafe(
    _ characters: UnsafeBufferPointer<CChar>, _ body: (UnsafePointer<CChar>, Int) -> Int32
  ) -> Int32 {
    if let address = characters.baseAddress { return body(address, characters.count) }
    var empty: CChar = 0
    return body(&empty, 0)
  }

  private func record(_ code: Int32) {
    if code != SQLITE_OK, bindCode == SQLITE_OK { bindCode = code }
  }
}

// MARK: - Columns

extension Statement {
  package func isNull(at index: Int32) -> Bool {
    sqlite3_column_type(handle, index) == SQLITE_NULL
  }

  package func int64(at index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

  package func uint64(at index: Int32) -> UInt64 { UInt64(bitPattern: int64(at: index)) }

  /// A number, NaN for what stands for it.
  package func double(at index: Int32) -> Double {
    sqlite3_column_type(handle, index) == SQLITE_BLOB
      ? .nan : sqlite3_column_double(handle, index)
  }

  /// The text with every NUL in it; what is not UTF-8 is repaired.
  package func string(at index: Int32) -> String {
    guard let bytes = sqlite3_column_text(handle, index) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, index))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  package func bytes(at index: Int32) -> [UInt8] {
    let address = sqlite3_column_blob(handle, index)
    let count = Int(sqlite3_column_bytes(handle, index))
    return Array(UnsafeRawBufferPointer(start: address, count: count))
  }
}
