import AtollSQLite
import AtollVocabulary

/// A collection as it lies in the file: the rows of a table that one row, or one slot in it, owns.
struct Container {
  let table: CellTable
  /// The `_owner` of its elements.
  let owner: Int64
  let kind: CollectionKind

  func isSame(as other: Container) -> Bool { table === other.table && owner == other.owner }
}

/// The name of an element, in a collection whose elements have names of their own.
enum RegisterName {
  case member([UInt8])
  case key(String)

  var column: String {
    switch self {
    case .member: "_identity"
    case .key: "_key"
    }
  }

  var digestPlace: ElementPlace {
    switch self {
    case .member: .member
    case .key(let key): .entry(key)
    }
  }

  func bind(to statement: Statement, at index: Int32) {
    switch self {
    case .member(let bytes): statement.bind(bytes, at: index)
    case .key(let key): statement.bind(key, at: index)
    }
  }
}

extension FieldNode {
  /// The collection that a row has here; nil for an any-typed slot that holds none.
  func container(in row: LoadedRow) -> Container? {
    guard let elements else { return nil }
    if case .collection(let kind) = kind {
      return Container(table: elements, owner: row.id, kind: kind)
    }
    return row.nested[ordinal].map {
      Container(table: elements, owner: owner(of: row.id), kind: $0)
    }
  }
}

extension ObjectTables {
  /// A member or entry that is known, removed ones included: its row and its register's stamp.
  func known(
    _ name: RegisterName, in container: Container
  ) throws -> (id: Int64, stamp: LocalStamp, isRemoved: Bool)? {
    let table = container.table
    let statement = try table.statement(
      """
      SELECT _id, _time, _mark, _removed FROM \(table.sql) WHERE _owner = ? AND \(name.column) = ?
      """)
    statement.bind(container.owner, at: 1)
    name.bind(to: statement, at: 2)
    guard try statement.step() else { return nil }
    defer { statement.reset() }
    return (
      statement.int64(at: 0),
      LocalStamp(time: statement.uint64(at: 1), mark: statement.uint64(at: 2)),
      statement.int64(at: 3) != 0
    )
  }

  /// A member or entry that is held, with its row.
  func held(_ name: RegisterName, in container: Container) throws -> LoadedRow? {
    guard let known = try known(name, in: container), !known.isRemoved else { return nil }
    return try load(container.table, known.id)
  }

  /// The key of a map's entry.
  func key(ofEntry row: LoadedRow) throws -> String {
    let statement = try row.table.statement("SELECT _key FROM \(row.table.sql) WHERE _id = ?")
    statement.bind(row.id, at: 1)
    guard try statement.step() else {
      throw StorageError.damaged(path: path, detail: "an entry of \(row.table.name) has no row")
    }
    defer { statement.reset() }
    return statement.string(at: 0)
  }
}
