import AtollSQLite
import AtollVocabulary

/// Reads objects in canonical form, page by page.
///
/// Statements are read to their end within one walk over the file, so that it sees one snapshot.
struct CanonicalReader {
  let tables: ObjectTables

  /// Classes in canonical order; two of one name differ by key type.
  var classes: [ClassEntry] {
    tables.catalog.entries.filter { !$0.isEmbedded }.sorted {
      let names = (Array($0.name.utf8), Array($1.name.utf8))
      return names.0 == names.1
        ? $0.keyType.rawValue < $1.keyType.rawValue
        : names.0.lexicographicallyPrecedes(names.1)
    }
  }

  /// Every live object of a class, ascending by key.
  func forEach(of entry: ClassEntry, _ body: (CanonicalObject) throws -> Void) throws {
    let table = entry.table
    let statement = try tables.walks.take(
      "SELECT _id FROM \(table.sql) ORDER BY \(table.keySQL)")
    defer { tables.walks.give(statement) }
    try forEach(of: entry, listedBy: statement, body)
  }

  /// Returns the content of one cell of a row; nil for a collection of which nothing is known.
  func content(of node: FieldNode, row id: Int64) throws -> CanonicalObject.Content? {
    let page = try CanonicalPage(
      of: [id], in: node.table, nodes: node.subtree, of: tables, bound: .max)
    return try page?.content(of: node, row: id)
  }

  /// The even number of every object of a class that was deleted, ascending by key.
  func forEachTombstone(
    of entry: ClassEntry, _ body: (PersistedValue, Generation) throws -> Void
  ) throws {
    let statement = try tables.walks.take(
      """
      SELECT nullif(key, \(entry.nilKeySQL)), life FROM atoll_dead
      WHERE class = ? ORDER BY atoll_dead.key
      """)
    defer { tables.walks.give(statement) }
    statement.bind(Int64(entry.id.rawValue), at: 1)
    while try statement.step() {
      try body(
        statement.value(entry.keyType, at: 0),
        Generation(UInt32(truncatingIfNeeded: statement.int64(at: 1))))
    }
  }

  // MARK: Pages

  /// The objects whose row ids a statement lists, in its order.
  func forEach(
    of entry: ClassEntry, listedBy statement: Statement,
    _ body: (CanonicalObject) throws -> Void
  ) throws {
    var list = RowList(statement)
    while true {
      let ids = try list.next()
      if ids.isEmpty { return }
      guard
        let page = try CanonicalPage(
          of: ids, in: entry.table, nodes: entry.table.nodes, of: tables,
          bound: ids.count == 1 ? .max : Limits.canonicalPageBytes)
      else {
        list.shrink()
        continue
      }
      for id in ids {
        if let object = try page.object(id, of: entry) { try body(object) }
      }
      list.advance(past: ids.count, byteCount: page.byteCount)
    }
  }
}

/// Row ids as a statement lists them, in portions that are small where objects are large.
private struct RowList {
  private let statement: Statement
  private var waiting: ArraySlice<Int64> = []
  private var isAtEnd = false
  private var portion = CellTable.rowsTogether
  /// By which portions shrink and grow: few steps, since a page that was too large was read in vain.
  private static let step = 8

  init(_ statement: Statement) { self.statement = statement }

  /// The ids that are looked at next; none at the end.
  mutating func next() throws -> ArraySlice<Int64> {
    while !isAtEnd, waiting.count < portion {
      if try statement.step() {
        waiting.append(statement.int64(at: 0))
      } else {
        isAtEnd = true
      }
    }
    return waiting.prefix(portion)
  }

  /// Goes on behind what ``next()`` gave, of which so many bytes were read.
  mutating func advance(past count: Int, byteCount: Int) {
    waiting = waiting.dropFirst(count)
    guard byteCount < Limits.canonicalPageBytes / (2 * Self.step) else { return }
    portion = min(portion * Self.step, CellTable.rowsTogether)
  }

  /// Has ``next()`` give fewer of the same, which were too large together.
  mutating func shrink() { portion = max(portion / Self.step, 1) }
}
