import AtollSQLite
import AtollVocabulary

/// The objects of a file's schema that no build of Atoll made.
///
/// A view, a virtual table or a computed column runs SQL of its maker's choice as soon as something is
/// read: a view over itself never ends. A file that has one is refused before anything is read from it.
/// Tables named `atoll_…` pass, because a build of the same format may have some that this one lacks.
struct ForeignObjects {
  let connection: Connection

  private struct SchemaObject {
    let type: String
    let name: String
    let table: String
    let sql: String
  }

  /// - Throws: ``StorageError/foreignObject(path:what:name:remedy:)`` for the first one, by its name.
  func refuse() throws {
    let objects = try read()
    for object in objects where object.type == "view" { throw refusal(of: object) }
    let own = try ownTables()
    for object in objects where object.type == "table" {
      guard isOwn(object, among: own) else { throw refusal(of: object) }
    }
    let tables = Set(objects.lazy.filter { $0.type == "table" }.map { $0.name })
    for object in objects where object.type == "index" || object.type == "trigger" {
      guard tables.contains(object.table), isOwnPart(object) else { throw refusal(of: object) }
    }
    try refuseComputedColumns()
  }

  private func read() throws -> [SchemaObject] {
    let statement = try connection.prepare(
      "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY name, type")
    defer { statement.finalize() }
    var objects: [SchemaObject] = []
    while try statement.step() {
      objects.append(
        SchemaObject(
          type: statement.string(at: 0), name: statement.string(at: 1),
          table: statement.string(at: 2), sql: statement.string(at: 3)))
    }
    return objects
  }

  /// The tables of classes and of what their collections hold.
  private func ownTables() throws -> Set<String> {
    Set(try connection.texts("SELECT name FROM atoll_table"))
  }

  private func isOwn(_ table: SchemaObject, among own: Set<String>) -> Bool {
    if table.name.hasPrefix("sqlite_") { return true }
    guard table.sql.uppercased().hasPrefix("CREATE VIRTUAL") else {
      return table.name.hasPrefix("atoll_") || own.contains(table.name)
    }
    guard let (kind, id) = Self.searchIndex(table.name) else { return false }
    return table.sql == SearchIndex.creation(of: kind, named: table.name) && id > 0
  }

  /// The kind and the property of a virtual table of ours, by its name.
  private static func searchIndex(_ name: String) -> (kind: IndexKind, property: Int32)? {
    for (prefix, kind) in [("atoll_spatial_", IndexKind.spatial), ("atoll_text_", .fullText)]
    where name.hasPrefix(prefix) {
      return Int32(name.dropFirst(prefix.count)).map { (kind, $0) }
    }
    return nil
  }

  /// Tells whether an index or a trigger is one that ``Catalog`` makes for its table.
  private func isOwnPart(_ part: SchemaObject) -> Bool {
    if part.type == "trigger" {
      return TableGuards.triggers(of: part.table).contains { $0.sql == part.sql }
    }
    if part.name.hasPrefix("atoll_") || part.name.hasPrefix("sqlite_") { return true }
    return ["index ", "links ", "order ", "identity ", "names "].contains {
      part.name == "\($0)\(part.table)" || part.name.hasPrefix("\($0)\(part.table).")
    }
  }

  /// Columns that are computed when they are read; the one of ours is another name of the key.
  private func refuseComputedColumns() throws {
    let statement = try connection.prepare(
      """
      SELECT m.name, x.name, m.sql FROM sqlite_schema m, pragma_table_xinfo(m.name) x
      WHERE m.type = 'table' AND m.sql LIKE 'CREATE TABLE%' AND x.hidden IN (2, 3)
      ORDER BY m.name, x.cid
      """)
    defer { statement.finalize() }
    while try statement.step() {
      let (table, column) = (statement.string(at: 0), statement.string(at: 1))
      let own = "\(StoreLayout.quoted(column)) AS (\(StoreLayout.quoted("_key"))) VIRTUAL"
      guard statement.string(at: 2).contains(own) else {
        throw StorageError.foreignObject(
          path: connection.path, what: "the computed column", name: "\(table).\(column)",
          remedy:
            "ALTER TABLE \(StoreLayout.quoted(table)) DROP COLUMN \(StoreLayout.quoted(column))"
        )
      }
    }
  }

  private func refusal(of object: SchemaObject) -> StorageError {
    let isVirtual = object.sql.uppercased().hasPrefix("CREATE VIRTUAL")
    return StorageError.foreignObject(
      path: connection.path, what: "the \(isVirtual ? "virtual " : "")\(object.type)",
      name: object.name,
      remedy: "DROP \(object.type.uppercased()) \(StoreLayout.quoted(object.name))")
  }
}
