import AtollSQLite
import AtollVocabulary

// Elements, members and entries that lie in nothing: no merge leaves any, and nothing shows them.
extension ObjectTables {
  /// One sentence for each table with rows whose owner is gone.
  ///
  /// An owner is a row, and every slot on the way from there to the collection that is filled.
  func orphans() throws -> [String] {
    let stored = Set(try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'"))
    var findings: [String] = []
    for table in catalog.tables where table.isElements && stored.contains(table.name) {
      guard let owned = Self.ownership(of: table, as: "e") else { continue }
      let count = try connection.integer(
        "SELECT count(*) FROM \(table.sql) e WHERE NOT (\(owned))")
      guard let count, count > 0 else { continue }
      findings.append(
        "\(count) \(count == 1 ? "row" : "rows") of \(table.name) lie in nothing: the object, "
          + "element or slot that held them is gone")
    }
    for entry in objectClasses where stored.contains(entry.table.name) {
      findings += try needlessPlaceholders(of: entry)
    }
    return findings
  }

  /// Placeholders of objects that are here: a link that holds one of these never finds its object.
  private func needlessPlaceholders(of entry: ClassEntry) throws -> [String] {
    let statement = try connection.prepare(
      """
      SELECT o.\(entry.table.keySQL) FROM atoll_ghost g JOIN \(entry.table.sql) o
      ON o.\(entry.table.keySQL) IS g.key AND o._life = g.life WHERE g.class = \(entry.id.rawValue)
      LIMIT \(Self.placeholdersNamed)
      """)
    var findings: [String] = []
    while try statement.step() {
      findings.append(
        "links to \(entry.name) \(statement.value(entry.keyType, at: 0)) do not lead there, "
          + "though the object is here: a placeholder stands for it")
    }
    return findings
  }

  /// Placeholders of a class that one verification names.
  private static let placeholdersNamed = 10

  /// The condition that a row of a collection has an owner.
  private static func ownership(of table: CellTable, as row: String) -> String? {
    guard let holder = table.holder else { return nil }
    let outer = exists(holder, "\(row)._owner")
    guard table.kind == .nested, let value = table.value else { return outer }
    return "CASE WHEN \(row)._owner < 0 THEN \(exists(value, "-\(row)._owner")) ELSE \(outer) END"
  }

  /// The condition that a row is there and has a list, set or map at a node.
  private static func exists(_ node: FieldNode, _ id: String) -> String {
    var conditions = ["o._id = \(id)"]
    if node.table.isElements { conditions.append("o._removed = 0") }
    for slot in node.way where slot.isSlot { conditions.append("o.\(slot.sql) IS NOT NULL") }
    if node.isAny { conditions.append("o.\(node.typeSQL) >= \(ValueTag.firstCollection)") }
    return
      "EXISTS (SELECT 1 FROM \(node.table.sql) o WHERE \(conditions.joined(separator: " AND ")))"
  }
}
