import AtollChanges
import AtollSQLite
import AtollVocabulary

// List elements as operations change them. A removed element keeps its row, empty, as a tombstone, until
// that is collected (`ObjectTables+TombstoneCollection.swift`): later operations on it are ignored, and its
// place still separates its neighbours.
extension ObjectTables {
  /// Merges an operation on a list.
  func mergeList(
    _ operation: DataOperation, _ place: Place, _ container: Container, _ stamp: LocalStamp,
    _ source: MergeSource
  ) throws {
    switch operation {
    case .insert(_, let position, let value):
      try mergeInsert(place, container, position, value, stamp, source)
    case .assignElement(_, let element, let value):
      guard let row = try heldElement(element, in: container, source),
        let node = row.table.value
      else { return try recordDropped(operation, stamp, source) }
      let order = CellStamp(isAssigned: true, stamp: stamp)
      if try setRegister(row, node, value, order, source) {
        recordChange(place, changed: container)
      }
    case .move(_, let element, let position):
      guard let row = try heldElement(element, in: container, source) else {
        return try recordDropped(operation, stamp, source)
      }
      let digest = try digestOfContainer(at: place)
      guard try mergeMove(row, in: digest, position, stamp, source) else { return }
      recordChange(place, changed: container)
    case .remove(_, let element):
      guard let row = try heldElement(element, in: container, source) else { return }
      try recordElementRemoval(row, stamp, source)
      try removeElement(row, in: try digestOfContainer(at: place))
      recordChange(place, changed: container)
    case .clear(_, let elements):
      let digest = try digestOfContainer(at: place)
      for element in elements {
        guard let row = try heldElement(element, in: container, source) else { continue }
        try recordElementRemoval(row, stamp, source)
        try removeElement(row, in: digest)
      }
      recordChange(place, changed: container)
    case .create, .delete, .assign, .increment, .insertMember, .removeMember, .assignEntry,
      .removeEntry:
      return
    }
  }

  private func mergeInsert(
    _ place: Place, _ container: Container, _ position: PositionKey, _ value: FieldValue,
    _ stamp: LocalStamp, _ source: MergeSource
  ) throws {
    guard let node = container.table.value else { return }
    try expandIfDeep(node, value, source)
    let statement = try node.table.insert()
    statement.clear()
    let digest = try bind(
      (position, value), at: node, of: container, digestOfContainer(at: place), stamp, source,
      to: statement)
    try statement.run()
    redigest(place.entry, plus: digest)
    transaction?.madeID = connection.lastInsertedRow
    recordChange(place, changed: container)
  }

  /// Merges inserts into one list as if one after the other, several rows to a statement, and says
  /// which rows; `first` is the index of the first in the changeset.
  func mergeInserts(
    _ elements: ArraySlice<(position: PositionKey, value: FieldValue)>, _ place: Place,
    _ container: Container, first: UInt32, _ source: MergeSource
  ) throws -> [Int64] {
    guard let node = container.table.value else { return [] }
    for element in elements { try expandIfDeep(node, element.value, source) }
    recordChange(place, changed: container)
    let holder = try digestOfContainer(at: place)
    var digest = StateDigest.zero
    var rest = elements
    var rows: [Int64] = []
    rows.reserveCapacity(elements.count)
    while !rest.isEmpty {
      let several = try node.table.insertSeveral()
      let isFull = rest.count >= several.rows
      let statement = isFull ? several.statement : try node.table.insert()
      let count = isFull ? several.rows : 1
      statement.clear()
      for (row, element) in rest.prefix(count).enumerated() {
        statement.offset = Int32(row) * several.width
        defer { statement.offset = 0 }
        let stamp = source.stamp(first + UInt32(rows.count + row))
        digest += try bind(
          element, at: node, of: container, holder, stamp, source, to: statement)
      }
      try statement.run()
      let last = connection.lastInsertedRow
      rows.append(contentsOf: last - Int64(count) + 1...last)
      rest = rest.dropFirst(count)
    }
    redigest(place.entry, plus: digest)
    return rows
  }

  /// One row of the row-making statement for a list's element; returns its digest.
  private func bind(
    _ element: (position: PositionKey, value: FieldValue), at node: FieldNode,
    of container: Container, _ holder: StateDigest, _ stamp: LocalStamp, _ source: MergeSource,
    to statement: Statement
  ) throws -> StateDigest {
    let cells = try bind(element.value, at: node, stamp, source, to: statement)
    statement.bind(container.owner, at: 2)
    statement.bind(element.position.bytes, at: 10)
    let listed = ElementPlace.listed(element.position, CellStamp(isAssigned: true, stamp: stamp))
    return try headDigest(
      of: try elementDigest(stamp), sequence: source.sequence, listed, isRemoved: false, in: holder)
      + cells
  }

  /// An element's value and stamps for the row-making statement; owner and place are left to bind.
  ///
  /// Returns the digest of the value's cells. `isReplaceable` says that the row may hold one element
  /// after the other.
  func bind(
    _ value: FieldValue?, at node: FieldNode, _ stamp: LocalStamp, _ source: MergeSource,
    to statement: Statement, isReplaceable: Bool = false
  ) throws -> StateDigest {
    var state = RowState(base: stamp)
    var digest = RowDigest(try elementDigest(stamp), in: self)
    if let value {
      let order = CellStamp(isAssigned: true, stamp: stamp)
      let instance = isReplaceable ? order.instance : CellStamp.firstInstance
      try place(
        value, at: node, order, instance: instance, statement, &state, &digest, source)
    }
    statement.bind(source.sequence.rawValue, at: 3)
    statement.bind(stamp.time, at: 4)
    statement.bind(stamp.mark, at: 5)
    statement.bind(state.assigned, at: 6)
    statement.bind(state.recorded, at: 7)
    if !state.exceptions.isEmpty { statement.bind(state.exceptionBytes, at: 8) }
    statement.bind(Int64(0), at: 9)
    return digest.sum
  }

  private func mergeMove(
    _ row: LoadedRow, in container: StateDigest, _ position: PositionKey, _ stamp: LocalStamp,
    _ source: MergeSource
  ) throws -> Bool {
    let new = CellStamp(isAssigned: true, stamp: stamp)
    let isLate = try order(new) <= order(row.state.positionOrder)
    try recordMove(row, to: position, stamp, isLate: isLate, source)
    if isLate { return false }
    let before = try digestOfElement(row.table, row.id, in: container)
    row.state.setOrder(new, at: RowState.position, steps: 0)
    let statement = try row.table.statement(
      "UPDATE \(row.table.sql) SET _position = ?, _stamps = ? WHERE _id = ?")
    statement.bind(position.bytes, at: 1)
    statement.bind(row.state.exceptionBytes, at: 2)
    statement.bind(row.id, at: 3)
    try statement.run()
    redigest(
      row.table.owner, minus: before,
      plus: try digestOfElement(row.table, row.id, in: container))
    return true
  }

  /// Empties an element for good, with the collections inside it.
  private func removeElement(_ row: LoadedRow, in container: StateDigest) throws {
    let before = try digestOfElement(row.table, row.id, in: container)
    try deleteContents(of: row)
    let values = row.table.columns.flatMap { $0.isAny ? [$0.sql, $0.typeSQL] : [$0.sql] }
      .map { "\($0) = NULL" }
    let statement = try row.table.statement(
      """
      UPDATE \(row.table.sql) SET _removed = 1, _stamps = NULL, _recorded = 0, _assigned = 0, \
      \(values.joined(separator: ", ")) WHERE _id = ?
      """)
    statement.bind(row.id, at: 1)
    try statement.run()
    redigest(
      row.table.owner, minus: before,
      plus: try digestOfElement(row.table, row.id, in: container))
    transaction?.loadedRow = nil
  }

  /// A collection as the digests of its elements name it.
  func digestOfContainer(at place: Place) throws -> StateDigest {
    DigestHasher.container(try digestIdentity(of: place.row), place.node)
  }

  // MARK: What is owned

  /// Takes away what the collections in a row hold.
  func deleteContents(of row: LoadedRow) throws {
    let held = row.table.nodes.filter { $0.isCollection || row.nested[$0.ordinal] != nil }
    guard !held.isEmpty else { return }
    let identity = try digestIdentity(of: row)
    for node in held { try deleteElements(of: node, owner: row.id, identity) }
  }

  /// Takes away what a collection holds whose owner, or whose instance around it, is gone.
  ///
  /// `identity` is that of the row.
  func deleteElements(
    of node: FieldNode, owner row: Int64, _ identity: StateDigest
  ) throws {
    guard let table = node.elements else { return }
    redigest(table.owner, minus: try contents(of: [node], in: row, identity))
    try deleteRows(of: node, owner: row)
  }

  private func deleteRows(of node: FieldNode, owner row: Int64) throws {
    guard let table = node.elements else { return }
    try deleteRows(in: table, owner: node.owner(of: row))
    views.drop(table)
    if transaction?.loadedRow?.table === table { transaction?.loadedRow = nil }
  }

  /// The rows first, then what they held, so that rows of a damaged file that own each other end too.
  private func deleteRows(in table: CellTable, owner: Int64) throws {
    var inside: [(node: FieldNode, rows: [Int64])] = []
    for node in table.nodes where node.elements != nil {
      inside.append((node, try rows(in: table, owner: owner, holding: node)))
    }
    let statement = try table.statement("DELETE FROM \(table.sql) WHERE _owner = ?")
    statement.bind(owner, at: 1)
    try statement.run()
    for (node, rows) in inside {
      for row in rows { try deleteRows(of: node, owner: row) }
    }
  }

  private func rows(
    in table: CellTable, owner: Int64, holding node: FieldNode
  ) throws -> [Int64] {
    let holds = node.isAny ? " AND \(node.typeSQL) >= \(ValueTag.firstCollection)" : ""
    let statement = try table.statement("SELECT _id FROM \(table.sql) WHERE _owner = ?\(holds)")
    statement.bind(owner, at: 1)
    var rows: [Int64] = []
    while try statement.step() { rows.append(statement.int64(at: 0)) }
    return rows
  }
}
