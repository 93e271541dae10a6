import AtollStorage
import AtollVocabulary

/// The state of a loop over results, and the values that its objects read there.
///
/// A loop begins row by row, and reads values where the cursor stands. While it keeps no object, rows
/// are read ahead, a few at a time, with the values that rows before them were asked for: a step of
/// SQLite is quicker when nothing else ran since the one before. What else such a row is asked for is
/// read by its row id, from the same version.
final class RowReader {
  /// Rows that are read ahead at most.
  private static let limit = 16
  /// Bytes of texts and data after which no other row is read ahead.
  private static let room = 64 << 10

  private let table: Table
  private let cursor: RowCursor
  // Every row asks for these; confined like the store, and never accessed twice at once.
  /// The columns that the rows were asked for.
  @exclusivity(unchecked) private var asked = ColumnSet()
  /// The rows read ahead, none when the cursor stands at the present row.
  @exclusivity(unchecked) private var ids: [RowID] = []
  /// The index of the present row among them.
  @exclusivity(unchecked) private var place = 0
  /// The ``values`` of each of them, one row after the other.
  @exclusivity(unchecked) private var columns = ColumnSet()
  @exclusivity(unchecked) private var values: [PersistedValue] = []
  /// True if one of them was asked for more, and what was then read of the others.
  private var wasIncomplete = false
  private var complete: [RowID: ObjectRow] = [:]

  init(_ table: Table, _ cursor: RowCursor) {
    self.table = table
    self.cursor = cursor
  }

  /// Goes to the next row; false after the last.
  ///
  /// If none is left of those read ahead, up to `count` rows are read, or one if that is 0.
  func advance(readingAhead count: Int) throws(StorageError) -> Bool {
    if place + 1 < ids.count {
      place += 1
      return true
    }
    if !ids.isEmpty { forgetAhead() }
    if count < 2 || asked.isWhole { return try cursor.advance() }
    return try readAhead(min(count, Self.limit))
  }

  private func readAhead(_ count: Int) throws(StorageError) -> Bool {
    if ids.capacity < Self.limit {
      ids.reserveCapacity(Self.limit)
      values.reserveCapacity(Self.limit * asked.count)
    }
    columns = asked
    var room = Self.room
    while ids.count < count, room > 0, try cursor.advance() {
      ids.append(cursor.id)
      var rest = columns.bits
      while rest != 0 {
        let value = cursor.value(rest.trailingZeroBitCount)
        room -= value.length
        values.append(value)
        rest &= rest - 1
      }
      if columns.hasKey { values.append(cursor.key) }
    }
    return !ids.isEmpty
  }

  private func forgetAhead() {
    ids.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    place = 0
    if wasIncomplete {
      wasIncomplete = false
      complete = [:]
    }
  }

  // MARK: The present row

  var id: RowID { ids.isEmpty ? cursor.id : ids[place] }

  /// A value as ``ObjectRow/columns`` has it; nil if it has to be read with ``row()``.
  @inline(__always)
  func value(_ column: Int) -> PersistedValue? {
    if ids.isEmpty {
      asked.insert(column)
      return cursor.value(column)
    }
    guard let offset = columns.place(of: column) else {
      asked.insert(column)
      return nil
    }
    return values[place * columns.count + offset]
  }

  /// The object's key; nil if it has to be read with ``row()``.
  var key: PersistedValue? {
    asked.hasKey = true
    if ids.isEmpty { return cursor.key }
    return columns.hasKey ? values[(place + 1) * columns.count - 1] : nil
  }

  /// Notes that rows are asked for as a whole: those to come are not read ahead.
  func askForWhole() { asked.isWhole = true }

  /// All of the row.
  ///
  /// The second row that was read ahead and is asked for brings the others with it.
  func row() -> ObjectRow {
    if ids.isEmpty { return cursor.row() }
    let id = ids[place]
    return table.store.attempt(doing) { file throws(StorageError) -> ObjectRow in
      guard let row = try completeRow(id, file) else {
        throw StorageError.noSuchObject(class: table.model.name, id: id)
      }
      return row
    }
  }

  private func completeRow(_ id: RowID, _ file: StoreFile) throws(StorageError) -> ObjectRow? {
    guard wasIncomplete else {
      wasIncomplete = true
      return try file.row(of: table.classID, id: id)
    }
    if complete[id] == nil { complete = try rows(ids[place...], file) }
    return complete[id]
  }

  // MARK: Rows whose turn has not come

  /// The next row that nothing was read of, all of it; nil after the last.
  func next() throws(StorageError) -> ObjectRow? { try cursor.next() }

  /// Those read ahead.
  var idsLeft: ArraySlice<RowID> { ids.dropFirst(place + 1) }

  /// Reads all of those read ahead, which the reader then gives no more.
  func takeLeft() -> [ObjectRow] {
    let left = idsLeft
    if left.isEmpty { return [] }
    let rows = table.store.attempt(doing) { file throws(StorageError) in
      try self.rows(left, file)
    }
    ids.removeSubrange((place + 1)...)
    return left.compactMap { rows[$0] }
  }

  private func rows(
    _ ids: ArraySlice<RowID>, _ file: StoreFile
  ) throws(StorageError) -> [RowID: ObjectRow] {
    let rows = try file.rows(of: table.classID, ids: ids)
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
  }

  private var doing: String { "reading objects of class '\(table.model.name)'" }
}

extension PersistedValue {
  /// Bytes of what may be long.
  fileprivate var length: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let bytes): bytes.count
    default: 0
    }
  }
}

/// Some columns of a row, and perhaps its key.
private struct ColumnSet {
  private(set) var bits: UInt64 = 0
  private(set) var count = 0
  /// True if it is all columns, or one that has no bit.
  var isWhole = false
  var hasKey = false {
    didSet { if hasKey != oldValue { count += 1 } }
  }

  mutating func insert(_ column: Int) {
    guard column < UInt64.bitWidth else { return isWhole = true }
    let bit: UInt64 = 1 << column
    if bits & bit != 0 { return }
    bits |= bit
    count += 1
  }

  /// Returns the number of columns before it in the set; nil if it is not in the set itself.
  func place(of column: Int) -> Int? {
    guard column < UInt64.bitWidth else { return nil }
    let bit: UInt64 = 1 << column
    guard bits & bit != 0 else { return nil }
    return (bits & (bit - 1)).nonzeroBitCount
  }
}
