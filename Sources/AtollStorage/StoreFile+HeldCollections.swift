import AtollSQLite
package import AtollVocabulary

/// A list or map that an any-typed slot holds.
package struct HeldCollection {
  package var kind: CollectionKind
  /// As ``StoreFile/heldInstance(_:of:id:at:)`` has it.
  package var instance: Int64?
  /// Of a map, the values.
  package var elements: [StoredElement] = []
  /// Of a map.
  package var keys: [String] = []
}

extension StoreFile {
  /// The lists and maps that several rows have in one any-typed slot, by row.
  ///
  /// Rows are objects, or elements if `path.nested` goes through some; which ones does not matter, the
  /// slot is the same for all at one depth. Left out are rows without a list or map, and those whose
  /// elements would have been too many to be read with the others.
  package func heldCollections(
    of classID: ClassID, in rows: some Collection<Int64>, at path: FieldPath
  ) throws(StorageError) -> [Int64: HeldCollection] {
    try doing("reading what \(path.property.name) holds") {
      guard let node = try sharedSlot(classID, path) else { return [:] }
      var held = try heldInstances(in: node, of: rows)
      if !held.isEmpty { try readElements(of: node, into: &held) }
      return held
    }
  }

  /// The any-typed slot at a path; nil unless it is the same for all rows.
  private func sharedSlot(_ classID: ClassID, _ path: FieldPath) throws -> FieldNode? {
    guard var node = try sharedNode(classID, path), let nested = path.nested else { return nil }
    for _ in nested {
      guard let value = node.elements?.value else { return nil }
      node = value
    }
    return node.isAny ? node : nil
  }

  private func heldInstances(
    in node: FieldNode, of rows: some Collection<Int64>
  ) throws -> [Int64: HeldCollection] {
    let table = node.table
    let statement = try table.statement(
      """
      SELECT \(table.stateColumns) FROM \(table.sql)
      WHERE _id IN \(RowNumbers.list) AND \(node.typeSQL) >= \(ValueTag.firstCollection)
      """)
    defer { statement.reset() }
    statement.bind(rows: rows)
    var held: [Int64: HeldCollection] = [:]
    while try statement.step() {
      let row = LoadedRow(statement, of: table, StateColumns(of: table))
      guard let kind = row.nested[node.ordinal] else { continue }
      held[row.id] = HeldCollection(kind: kind, instance: row.state.order(of: node)?.instance)
    }
    return held
  }

  private func readElements(
    of node: FieldNode, into held: inout [Int64: HeldCollection]
  ) throws {
    guard let table = node.elements, let layout = table.elementLayout() else { return held = [:] }
    let rows = Dictionary(uniqueKeysWithValues: held.keys.map { (node.owner(of: $0), $0) })
    let statement = try table.statement(
      """
      SELECT e._owner, e._key, e._id, e._position, \(layout.columns) FROM \(table.sql) e
      WHERE e._owner IN \(RowNumbers.list) AND e._removed = 0
      ORDER BY e._owner, e._position, e._key
      """)
    defer { statement.reset() }
    statement.bind(rows: rows.keys)
    var runs: [Int64: ElementRun] = [:]
    var count = 0
    while try statement.step() {
      let owner = statement.int64(at: 0)
      count += 1
      if count > Self.elementsTogether {
        // The rest of this row, and the rows after it, are not known.
        for (known, row) in rows where known >= owner { held[row] = nil }
        break
      }
      guard let row = rows[owner] else { continue }
      runs[row, default: ElementRun()].append(statement, layout, at: 2)
      if held[row]?.kind == .map { held[row]?.keys.append(statement.string(at: 1)) }
    }
    for (row, run) in runs {
      let isMap = held[row]?.kind == .map
      held[row]?.elements = isMap ? run.elements : try elements(of: run, in: table)
    }
  }
}
