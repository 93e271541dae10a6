import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

// From indices to rows and positions.
extension StoreFile {
  /// The view of a list, with its rows counted.
  func countedView(of container: Container) throws -> ListView {
    let view = tables.views.view(of: container)
    if view.rows == nil { view.rows = ChunkedArray(try visibleRows(of: container)) }
    return view
  }

  /// The rows of visible elements, in the order of their positions.
  private func visibleRows(of container: Container) throws -> [Int64] {
    let table = container.table
    let statement = try table.statement(
      """
      SELECT e._id, e._position FROM \(table.sql) e
      WHERE e._owner = ? AND e._removed = 0\(table.visibility("e")) ORDER BY e._position
      """)
    statement.bind(container.owner, at: 1)
    var rows: [Int64] = []
    var previous: [UInt8] = []
    var hasEqual = false
    while try statement.step() {
      rows.append(statement.int64(at: 0))
      let position = statement.bytes(at: 1)
      if position == previous { hasEqual = true }
      previous = position
    }
    return hasEqual ? try sorted(rows, in: table) : rows
  }

  /// Rows by position and identity, for a list in which two positions are equal.
  func sorted(_ rows: [Int64], in table: CellTable) throws -> [Int64] {
    let statement = try table.statement(
      "SELECT _position, _mark, _sequence FROM \(table.sql) WHERE _id = ?")
    var places: [(position: PositionKey, identity: ChangeIdentity, row: Int64)] = []
    for row in rows {
      statement.bind(row, at: 1)
      guard try statement.step() else { continue }
      defer { statement.reset() }
      let stamp = LocalStamp(time: 0, mark: statement.uint64(at: 1))
      guard let author = try authors[stamp.author] ?? lateAuthor(stamp.author) else {
        throw StorageError.damaged(path: path, detail: "a stamp names author \(stamp.author)")
      }
      let identity = ChangeIdentity(
        author: author.author, sequence: SequenceNumber(statement.uint64(at: 2)),
        index: stamp.index)
      places.append((PositionKey(bytes: statement.bytes(at: 0)), identity, row))
    }
    return places.sorted { ($0.position, $0.identity) < ($1.position, $1.identity) }.map(\.row)
  }

  /// An author that another connection has added since this one last wrote.
  func lateAuthor(_ number: Int64) throws -> AuthorRecord? {
    try connection.inOneSnapshot {
      _ = try lookAtState()
      try refreshAuthors()
    }
    return authors[number]
  }

  // MARK: Positions

  /// The place of an element that is inserted before the one at `index`, at the end if nil.
  struct Gap {
    var leftRow: Int64?
    var left: PositionKey?
    var right: PositionKey?
    var isLast: Bool
  }

  /// The gap before an index: right after the visible left neighbour, before the next one held, hidden
  /// and removed ones included.
  func gap(in view: ListView, before index: Int?) throws -> Gap {
    let count = view.rows?.count
    let isLast = index == nil || index == count
    let leftRow: Int64?
    if let rows = view.rows {
      let index = index ?? rows.count
      leftRow = index > 0 ? rows[index - 1] : nil
    } else if let last = view.last, last.isLast {
      leftRow = last.row
    } else {
      leftRow = try lastRow(of: view.container)
    }
    if let last = view.last {
      if last.row == leftRow {
        return Gap(leftRow: leftRow, left: last.position, right: last.right, isLast: isLast)
      }
      if last.leftRow == leftRow {
        return Gap(leftRow: leftRow, left: last.left, right: last.position, isLast: isLast)
      }
    }
    let left = try leftRow.map { try position(of: $0, in: view.container.table) }
    let right = try nextPosition(after: left, in: view.container)
    return Gap(leftRow: leftRow, left: left, right: right, isLast: isLast)
  }

  /// A key inside a gap.
  func position(in gap: Gap) throws -> PositionKey {
    try checked(.between(gap.left, gap.right, name: ownName))
  }

  /// A key that peers will take.
  func checked(_ key: PositionKey) throws -> PositionKey {
    guard key.bytes.count <= Limits.positionKeyBytes else {
      throw StorageError.tooLarge(
        what: "a list position", size: key.bytes.count, limit: Limits.positionKeyBytes)
    }
    return key
  }

  private func position(of row: Int64, in table: CellTable) throws -> PositionKey {
    let statement = try table.statement("SELECT _position FROM \(table.sql) WHERE _id = ?")
    statement.bind(row, at: 1)
    defer { statement.reset() }
    guard try statement.step() else {
      throw StorageError.damaged(path: path, detail: "an element of \(table.name) has no row")
    }
    return PositionKey(bytes: statement.bytes(at: 0))
  }

  private func nextPosition(
    after left: PositionKey?, in container: Container
  ) throws -> PositionKey? {
    let table = container.table
    let statement = try table.statement(
      """
      SELECT _position FROM \(table.sql) WHERE _owner = ? AND _position > ?
      ORDER BY _position LIMIT 1
      """)
    statement.bind(container.owner, at: 1)
    statement.bind(left?.bytes ?? [], at: 2)
    defer { statement.reset() }
    return try statement.step() ? PositionKey(bytes: statement.bytes(at: 0)) : nil
  }

  private func lastRow(of container: Container) throws -> Int64? {
    let table = container.table
    let statement = try table.statement(
      """
      SELECT e._id FROM \(table.sql) e
      WHERE e._owner = ? AND e._removed = 0\(table.visibility("e"))
      ORDER BY e._position DESC LIMIT 1
      """)
    statement.bind(container.owner, at: 1)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(at: 0) : nil
  }

  /// The name of this file's author in position keys.
  var ownName: PositionName {
    if let named = caches.positionName, named.author == author { return named.name }
    let name = PositionName(author)
    caches.positionName = (author, name)
    return name
  }
}
