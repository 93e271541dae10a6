import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

/// The place of a lost value: an existing cell, or the path to one that does not exist.
struct LedgerPlace {
  /// A cell by its local address: table, row, and place in the row.
  struct Cell: Hashable {
    var table: Int32
    var row: Int64
    var ordinal: Int
  }

  /// Of the object that owns the cell.
  var entry: ClassEntry?
  var key: PersistedValue = .null
  /// For people; empty where it is yet to be found from ``cell``.
  var path = ""
  var cell: Cell?
}

extension CellTable {
  /// The node that a cell of the ledger is at; the value of an element also for where the element stands.
  func node(of cell: LedgerPlace.Cell) -> FieldNode? {
    if cell.ordinal == RowState.position { return value }
    return nodes.indices.contains(cell.ordinal) ? nodes[cell.ordinal] : nil
  }
}

extension LedgerPlace {
  init(_ row: LoadedRow, _ node: FieldNode) {
    cell = Cell(table: row.table.id, row: row.id, ordinal: node.ordinal)
    guard row.table.kind == .objects else { return }
    (entry, key) = (row.table.owner, row.key)
    path = node.way.map(\.property.name).joined(separator: ".")
  }
}

/// A write that is lost, and what it is lost to.
struct Loss {
  var rule: ConflictRule
  var losing: LedgerValue
  var losingStamp: LocalStamp
  var winning: LedgerValue
  /// Nil if the file does not know any more.
  var winningStamp: LocalStamp?
}

extension ObjectTables {
  // MARK: Values

  /// Returns the present value of a cell of a row.
  func ledgerValue(of node: FieldNode, in row: LoadedRow) throws -> LedgerValue {
    switch node.kind {
    case .scalar(let type) where type != .any:
      return try column(node, of: row) { .scalar($0.value(type, at: 0)) }
    case .link(let target):
      return try column(node, of: row) { statement in
        guard !statement.isNull(at: 0), let entry = catalog.entry(target),
          let found = try identity(of: statement.int64(at: 0), entry)
        else { return .scalar(.null) }
        return .link(class: entry.name, key: found.key)
      }
    case .scalar, .presence, .collection:
      let content = try CanonicalReader(tables: self).content(of: node, row: row.id)
      if let content { return LedgerValue(content) }
      // A collection of which nothing is known is not there; a single value is nil.
      if case .collection = node.kind { return .removed }
      return .scalar(.null)
    }
  }

  /// Reads one column by a statement that is compiled once; most values are no more than that.
  private func column(
    _ node: FieldNode, of row: LoadedRow, _ value: (Statement) throws -> LedgerValue
  ) throws -> LedgerValue {
    let statement = try row.table.value(node)
    statement.bind(row.id, at: 1)
    defer { statement.reset() }
    return try statement.step() ? value(statement) : .removed
  }

  /// Returns the value that an operation gives a cell.
  func ledgerValue(_ value: FieldValue, _ source: MergeSource) throws -> LedgerValue {
    switch value {
    case .scalar(let scalar): return .scalar(scalar)
    case .link(let target):
      let entry = try entry(try classID(target.class, of: source.author))
      return .link(class: entry.name, key: target.key)
    case .embedded(let fields):
      return .embedded(
        try fields.map {
          LedgerField(
            try property($0.property, of: source.author).name, try ledgerValue($0.value, source))
        }.sorted { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) })
    case .collection(.map): return .map([])
    case .collection(.list), .collection(.set), .collection(.none): return .list([])
    }
  }

  // MARK: Places

  /// The object that owns a cell, and the way to it for people.
  func describe(_ place: LedgerPlace) throws -> LedgerPlace {
    guard place.path.isEmpty, let cell = place.cell, let table = catalog.table(cell.table),
      let node = table.node(of: cell)
    else { return place }
    var described = place
    let (entry, key, prefix) = try owner(of: cell.row, in: table)
    described.entry = entry
    described.key = key
    let names = node.way.map(\.property.name)
    let inside = table.isElements ? names.dropFirst() : names[...]
    described.path = ([prefix].filter { !$0.isEmpty } + inside).joined(separator: ".")
    return described
  }

  /// The object that a row is or belongs to, and the way from there to the row.
  private func owner(
    of row: Int64, in table: CellTable, depth: Int = 0
  ) throws -> (ClassEntry, PersistedValue, String) {
    guard let holder = table.holder, table.isElements else {
      return (table.owner, try identity(of: row, table.owner)?.key ?? .null, "")
    }
    // Rows of a damaged file can own each other.
    guard depth <= Limits.nestingDepth * 2 else { return (table.owner, .null, "") }
    let statement = try connection.prepare(
      """
      SELECT _owner, _mark, _sequence\(table.placeColumns.map { ", " + $0 }.joined()) \
      FROM \(table.sql) WHERE _id = ?
      """)
    defer { statement.finalize() }
    statement.bind(row, at: 1)
    guard try statement.step() else { return (table.owner, .null, "") }
    let owner = statement.int64(at: 0)
    let label: String
    switch table.kind {
    case .elements(.map): label = statement.string(at: 3).debugDescription
    case .nested where !statement.isNull(at: 4): label = statement.string(at: 4).debugDescription
    case .elements(.set): label = try memberLabel(row, table)
    case .elements, .nested, .objects, .layout:
      label = elementLabel(
        LocalElement(
          mark: statement.uint64(at: 1), sequence: SequenceNumber(statement.uint64(at: 2))))
    }
    let isInside = owner < 0
    let (entry, key, prefix) = try self.owner(
      of: owner < 0 ? 0 &- owner : owner, in: isInside ? table : holder.table, depth: depth + 1)
    let names = isInside ? [] : holder.way.map(\.property.name)
    let inside = holder.table.isElements && !isInside ? Array(names.dropFirst()) : names
    let way = ([prefix].filter { !$0.isEmpty } + inside).joined(separator: ".")
    return (entry, key, "\(way)[\(label)]")
  }

  private func memberLabel(_ row: Int64, _ table: CellTable) throws -> String {
    guard let value = table.value,
      let content = try CanonicalReader(tables: self).content(of: value, row: row)
    else { return "" }
    return LedgerValue(content).description
  }

  func elementLabel(_ element: LocalElement) -> String {
    let stamp = LocalStamp(time: 0, mark: element.mark)
    let author = authors[stamp.author]?.author.shortDescription ?? "?"
    return "\(author):\(element.sequence)#\(stamp.index)"
  }
}
