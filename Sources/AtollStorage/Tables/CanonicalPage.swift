import AtollChanges
import AtollSQLite
import AtollVocabulary

/// Rows with all that they hold and what that links to: what canonical objects are made of.
///
/// Read level by level, each for all rows together, so that it takes as many statements for a hundred
/// objects as for one:
/// ```
///  the rows                    one
///   └ what they hold           one a table of elements
///      └ what elements hold    one a table inside; in any-typed slots, one a level
///  what all of it links to     one a class, one more if some of it is not alive
/// ```
final class CanonicalPage {
  /// A row, or where it lies inside its own table, as elements name it.
  private struct Owner: Hashable {
    let table: Int32
    let row: Int64
  }

  /// The object of a row id.
  struct Identity {
    let key: PersistedValue
    let generation: Generation
    let isAlive: Bool
  }

  let tables: ObjectTables
  private let table: CellTable
  private var rows: [Int64: CanonicalRow] = [:]
  private var held: [Owner: [CanonicalRow]] = [:]
  private var links: [ClassID: Set<Int64>] = [:]
  private var identities: [ClassID: [Int64: Identity]] = [:]
  /// The memory that the read rows take.
  private(set) var byteCount = 0

  /// Reads some rows of a table, with what `nodes` of them hold and link to.
  ///
  /// Nil if that takes more than `bound` bytes.
  init?(
    of ids: some Collection<Int64>, in table: CellTable, nodes: [FieldNode],
    of tables: ObjectTables,
    bound: Int
  ) throws {
    self.tables = tables
    self.table = table
    guard let rows = try read(table, .byID, ids, bound) else { return nil }
    for row in rows { self.rows[row.id] = row }
    guard try readHeld(by: nodes, of: rows, bound) else { return nil }
    for (target, ids) in links { try identify(ids, of: target) }
  }

  // MARK: What was read

  func row(_ id: Int64) -> CanonicalRow? { rows[id] }

  /// Returns the elements of an owner in a table, in the order of their positions.
  func elements(of owner: Int64, in table: CellTable) -> [CanonicalRow] {
    held[Owner(table: table.id, row: owner)] ?? []
  }

  /// Returns the object to which a link leads; nil if the file has never given its row id.
  func identity(of row: Int64, _ target: ClassID) -> Identity? { identities[target]?[row] }

  // MARK: Reading

  /// Reads what the collections at some nodes hold, and what that holds; false if it is too much.
  private func readHeld(
    by nodes: [FieldNode], of rows: [CanonicalRow], _ bound: Int
  ) throws -> Bool {
    var levels = [(nodes: nodes, rows: rows)]
    while let level = levels.popLast() {
      gatherLinks(of: level.nodes, in: level.rows)
      for node in level.nodes {
        guard let inner = node.elements else { continue }
        let owners = Self.owners(among: level.rows, of: node)
        if owners.isEmpty { continue }
        guard let elements = try read(inner, .byOwner, owners, bound) else { return false }
        keep(elements, of: inner)
        levels.append((inner.nodes, elements))
      }
    }
    return true
  }

  private enum Selection {
    case byID, byOwner
  }

  /// The rows with some ids or owners; nil if they are too many.
  private func read(
    _ table: CellTable, _ selection: Selection, _ ids: some Collection<Int64>, _ bound: Int
  ) throws -> [CanonicalRow]? {
    let rest =
      switch selection {
      case .byID: "_id IN \(RowNumbers.list)"
      case .byOwner:
        "_owner IN \(RowNumbers.list)\(table.canonicalElements.condition) "
          + "ORDER BY \(table.canonicalElements.order)"
      }
    let statement = try tables.walks.take(
      "SELECT \(table.canonicalColumns) FROM \(table.sql) WHERE \(rest)")
    defer { tables.walks.give(statement) }
    statement.bind(rows: ids)
    var rows: [CanonicalRow] = []
    while try statement.step() {
      let row = CanonicalRow(statement, of: table)
      byteCount += row.byteCount
      if byteCount > bound { return nil }
      rows.append(row)
    }
    return rows
  }

  /// Returns the owners that elements of the collection at a node name.
  private static func owners(among rows: [CanonicalRow], of node: FieldNode) -> [Int64] {
    if node.isCollection { return rows.map { node.owner(of: $0.id) } }
    return rows.compactMap { row in
      guard case .collection = row.values[node.ordinal] else { return nil }
      return node.owner(of: row.id)
    }
  }

  /// Keeps elements, which come owner by owner, by these.
  private func keep(_ elements: [CanonicalRow], of table: CellTable) {
    var rest = elements[...]
    while let owner = rest.first?.owner {
      let own = rest.prefix { $0.owner == owner }
      held[Owner(table: table.id, row: owner)] = Array(own)
      rest = rest.dropFirst(own.count)
    }
  }

  // MARK: Links

  private func gatherLinks(of nodes: [FieldNode], in rows: [CanonicalRow]) {
    for node in nodes where node.isAny || node.isSingle {
      for row in rows {
        guard case .link(let target, let id) = row.values[node.ordinal] else { continue }
        links[target, default: []].insert(id.rawValue)
      }
    }
  }

  private func identify(_ ids: Set<Int64>, of target: ClassID) throws {
    guard let entry = tables.catalog.entry(target), !entry.isEmbedded else { return }
    var found: [Int64: Identity] = [:]
    let alive = try tables.walks.take(
      """
      SELECT _id, \(entry.table.keySQL), _life FROM \(entry.table.sql) WHERE _id IN \(RowNumbers.list)
      """)
    try collect(alive, ids, of: entry, isAlive: true, into: &found)
    let others = ids.filter { found[$0] == nil }
    if !others.isEmpty {
      let placeholders = try tables.walks.take(
        "SELECT id, key, life FROM atoll_ghost WHERE class = ?2 AND id IN \(RowNumbers.list)")
      placeholders.bind(Int64(target.rawValue), at: 2)
      try collect(placeholders, others, of: entry, isAlive: false, into: &found)
    }
    identities[target] = found
  }

  private func collect(
    _ statement: Statement, _ ids: Set<Int64>, of entry: ClassEntry, isAlive: Bool,
    into found: inout [Int64: Identity]
  ) throws {
    defer { tables.walks.give(statement) }
    statement.bind(rows: ids)
    while try statement.step() {
      found[statement.int64(at: 0)] = Identity(
        key: statement.value(entry.keyType, at: 1),
        generation: Generation(UInt32(truncatingIfNeeded: statement.int64(at: 2))), isAlive: isAlive
      )
    }
  }
}
