import AtollSQLite
import AtollVocabulary

// The statements that rows are made, read and changed by, each compiled when it is first wanted.
extension CellTable {
  /// Nodes with a column.
  var columns: [FieldNode] { nodes.filter { !$0.isCollection } }

  /// The columns that order or name the elements of a collection: those from parameter 10 of
  /// ``insert()``.
  var placeColumns: [String] {
    switch kind {
    case .objects, .layout: []
    case .elements(.list), .elements(.none): ["_position"]
    case .elements(.set): ["_identity"]
    case .elements(.map): ["_key"]
    case .nested: ["_position", "_key"]
    }
  }

  /// Makes a row: `_id`, key, `_life`, `_time`, `_mark`, `_assigned`, `_recorded`, `_stamps`, columns;
  /// for an element: `_id`, `_owner`, `_sequence`, the same five, `_removed`, its place, columns.
  ///
  /// A set's member and a map's entry replace the one of their name, which is always the same row.
  func insert() throws(SQLiteError) -> Statement {
    if let insertStatement { return insertStatement }
    let names = insertedColumns()
    let statement = try connection.prepare(insertion(of: names, rows: 1))
    insertStatement = statement
    return statement
  }

  /// Makes several rows: the parameters of ``insert()`` again and again, see `Statement.offset`.
  ///
  /// If a constraint stands in the way of one, those before it are made: `Connection.changedRows`.
  func insertSeveral() throws(SQLiteError) -> (statement: Statement, width: Int32, rows: Int) {
    if let several { return several }
    let names = insertedColumns()
    let rows = max(1, Self.parametersAtOnce / names.count)
    let statement = try connection.prepare(insertion(of: names, rows: rows))
    let made = (statement: statement, width: Int32(names.count), rows: rows)
    several = made
    return made
  }

  /// SQLite takes ten times as many; more rows at once are hardly faster.
  private static let parametersAtOnce = 512

  private func insertion(of names: [String], rows: Int) -> String {
    let marks = "(" + Array(repeating: "?", count: names.count).joined(separator: ",") + ")"
    // SQLite keeps, page for page, the changes that an aborted statement would take back; a caller
    // that makes several rows at once takes care of those before the one that failed.
    let one = rows == 1 ? "INSERT" : "INSERT OR FAIL"
    let verb = kind == .objects || kind == .elements(.list) ? one : "INSERT OR REPLACE"
    return "\(verb) INTO \(sql) (\(names.joined(separator: ","))) VALUES "
      + Array(repeating: marks, count: rows).joined(separator: ",")
  }

  /// The columns that ``insert()`` binds, in the order of its parameters; tells each node its own.
  private func insertedColumns() -> [String] {
    let fixed =
      kind == .objects
      ? ["_id", keySQL, "_life", "_time", "_mark", "_assigned", "_recorded", "_stamps"]
      : [
        "_id", "_owner", "_sequence", "_time", "_mark", "_assigned", "_recorded", "_stamps",
        "_removed",
      ] + placeColumns
    var names = fixed
    for node in columns {
      names.append(node.sql)
      node.parameter = Int32(names.count)
      if node.isAny { names.append(node.typeSQL) }
    }
    return names
  }

  /// Returns the statement that reads the state of a row for a change, by `_id`; see
  /// ``StateColumns``.
  func state() throws(SQLiteError) -> Statement {
    if let stateStatement { return stateStatement }
    let statement = try connection.prepare("SELECT \(stateColumns) FROM \(sql) WHERE _id = ?")
    stateStatement = statement
    return statement
  }

  /// The same of an object by key.
  func stateByKey() throws(SQLiteError) -> Statement {
    if let stateByKeyStatement { return stateByKeyStatement }
    let statement = try connection.prepare(
      "SELECT \(stateColumns) FROM \(sql) WHERE \(keySQL) IS ?")
    stateByKeyStatement = statement
    return statement
  }

  /// `_id`, key and generation (owner and `_removed` of an element), slots, types of any-typed values, stamps.
  var stateColumns: String {
    let head = kind == .objects ? ["_id", keySQL, "_life"] : ["_id", "_owner", "_removed"]
    let all = head + slots.map(\.sql) + anyNodes.map(\.typeSQL) + Self.stampColumns
    return all.joined(separator: ", ")
  }

  private static let stampColumns = ["_time", "_mark", "_assigned", "_recorded", "_stamps"]

  /// Key, generation and every column of a live object by `_id`.
  func row() throws(SQLiteError) -> Statement {
    if let rowStatement { return rowStatement }
    let statement = try connection.prepare("SELECT \(rowColumns("t")) FROM \(sql) t WHERE _id = ?")
    rowStatement = statement
    return statement
  }

  /// The same by key.
  func rowByKey() throws(SQLiteError) -> Statement {
    if let rowByKeyStatement { return rowByKeyStatement }
    let statement = try connection.prepare(
      "SELECT \(rowColumns("t")) FROM \(sql) t WHERE \(keySQL) IS ?")
    rowByKeyStatement = statement
    return statement
  }

  /// The rows among ``rowsTogether`` of them.
  func rows() throws(SQLiteError) -> Statement {
    if let rowsStatement { return rowsStatement }
    let marks = Array(repeating: "?", count: Self.rowsTogether).joined(separator: ",")
    let statement = try connection.prepare(
      "SELECT \(rowColumns("t")) FROM \(sql) t WHERE _id IN (\(marks))")
    rowsStatement = statement
    return statement
  }

  /// ``row()`` with the stamps at its end, for a row that may be written to next.
  func stampedRow() throws(SQLiteError) -> Statement {
    if let stampedRowStatement { return stampedRowStatement }
    let statement = try connection.prepare("\(stampedRows) WHERE _id = ?")
    stampedRowStatement = statement
    return statement
  }

  /// The same by key.
  func stampedRowByKey() throws(SQLiteError) -> Statement {
    if let stampedRowByKeyStatement { return stampedRowByKeyStatement }
    let statement = try connection.prepare("\(stampedRows) WHERE \(keySQL) IS ?")
    stampedRowByKeyStatement = statement
    return statement
  }

  private var stampedRows: String {
    "SELECT \(rowColumns("t")), \(Self.stampColumns.joined(separator: ", ")) FROM \(sql) t"
  }

  /// `_id` and `_life` by key.
  func find() throws(SQLiteError) -> Statement {
    if let findStatement { return findStatement }
    let statement = try connection.prepare(
      "SELECT _id, _life FROM \(sql) WHERE \(keySQL) IS ?")
    findStatement = statement
    return statement
  }

  /// Gives a node and all inside it new values: the subtree's columns, each any-typed one followed by
  /// its type, the three of stamps, `_id`.
  ///
  /// The former value of a single value's column is kept, see ``FieldNode/isSingle``.
  func assign(_ node: FieldNode) throws(SQLiteError) -> Statement {
    if let statement = assignStatements[node.ordinal] { return statement }
    let columns = node.subtree.filter { !$0.isCollection }
      .flatMap { $0.isAny ? [$0.sql, $0.typeSQL] : [$0.sql] }
    let stamps = node.isSingle ? "\(ReplacedValue.function)(?, \(node.sql))" : "?"
    let all =
      (columns + ["_assigned", "_recorded"]).map { "\($0) = ?" } + ["_stamps = \(stamps)"]
    let statement = try connection.prepare(
      "UPDATE \(sql) SET \(all.joined(separator: ", ")) WHERE _id = ?")
    assignStatements[node.ordinal] = statement
    return statement
  }

  /// The bare value of one node, by `_id`.
  func value(_ node: FieldNode) throws(SQLiteError) -> Statement {
    if let statement = valueStatements[node.ordinal] { return statement }
    let statement = try connection.prepare("SELECT \(node.sql) FROM \(sql) WHERE _id = ?")
    valueStatements[node.ordinal] = statement
    return statement
  }

  /// Any other statement on this table, compiled once; `sql` must come from a fixed set.
  func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let statement = otherStatements[sql] { return statement }
    let statement = try connection.prepare(sql)
    otherStatements[sql] = statement
    return statement
  }

  var keySQL: String { StoreLayout.quoted(owner.keyColumn) }

  /// `_id`, key, generation, then every node, then the type of every any-typed one.
  ///
  /// A collection is NULL, and so is a link whose target is gone.
  func rowColumns(_ alias: String) -> String {
    if let knownRowColumns, knownRowColumns.alias == alias { return knownRowColumns.sql }
    let columns = makeRowColumns(alias)
    knownRowColumns = (alias, columns)
    return columns
  }

  private func makeRowColumns(_ alias: String) -> String {
    let values = nodes.map { columnValue($0, alias) }
    let types = anyNodes.map { "\(alias).\($0.typeSQL)" }
    return (["\(alias)._id", "\(alias).\(keySQL)", "\(alias)._life"] + values + types)
      .joined(separator: ", ")
  }

  func columnValue(_ node: FieldNode, _ alias: String) -> String {
    switch node.kind {
    case .scalar(.any): anyValue(node, alias)
    case .scalar, .presence: "\(alias).\(node.sql)"
    case .collection: "NULL"
    case .link(let target):
      owner.catalog.entry(target).map {
        "(SELECT _id FROM \($0.table.sql) WHERE _id = \(alias).\(node.sql))"
      } ?? "NULL"
    }
  }

  /// An any-typed value; a link, to whatever class, is NULL if its target is gone.
  private func anyValue(_ node: FieldNode, _ alias: String) -> String {
    let (value, type) = ("\(alias).\(node.sql)", "\(alias).\(node.typeSQL)")
    let targets = owner.catalog.entries.filter { !$0.isEmbedded }.map {
      "WHEN \(ValueTag.link($0.id)) THEN (SELECT _id FROM \($0.table.sql) WHERE _id = \(value))"
    }
    return "CASE WHEN \(type) < 0 THEN CASE \(type) \(targets.joined(separator: " ")) END "
      + "ELSE \(value) END"
  }

  /// Returns the further condition on a visible element: a link's target is alive.
  ///
  /// In a set, that is; in a list too if it holds nothing but links. Elsewhere such a link reads nil.
  func visibility(_ alias: String) -> String {
    guard let value else { return "" }
    switch (kind, value.kind) {
    case (.elements(.list), .presence): return " AND \(alias).\(value.sql) IS NOT NULL"
    case (.elements(.list), .link(let target)), (.elements(.set), .link(let target)):
      guard let entry = owner.catalog.entry(target) else { return " AND 0" }
      return " AND EXISTS (SELECT 1 FROM \(entry.table.sql) WHERE _id = \(alias).\(value.sql))"
    case (.elements(.set), .scalar(.any)):
      return " AND (ifnull(\(alias).\(value.typeSQL), 0) >= 0 "
        + "OR (\(anyValue(value, alias))) IS NOT NULL)"
    case (_, _): return ""
    }
  }
}
