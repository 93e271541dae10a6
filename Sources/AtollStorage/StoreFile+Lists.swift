import AtollChanges
import AtollSQLite
import AtollVocabulary

// Local writes to lists: indices that a caller counts become element identities and positions.
extension StoreFile {
  /// Inserts before the visible element at `index`, at the end if nil.
  package func listInsert(
    _ classID: ClassID, id: RowID, list: FieldPath, at index: Int?, _ value: NewValue
  ) throws(StorageError) -> ElementID {
    try doing("inserting into \(list.property.name)") {
      ElementID(try insert(classID, id, list, at: index, value))
    }
  }

  /// Gives the visible element at `index` another value.
  package func listAssign(
    _ classID: ClassID, id: RowID, list: FieldPath, at index: Int, _ value: NewValue
  ) throws(StorageError) {
    try doing("assigning an element of \(list.property.name)") {
      let transaction = try current("assigning an element")
      let way = try walkToList(classID, id, list, transaction)
      let view = try view(way)
      let element = try self.element(index, view, list)
      let reference = try reference(
        mark: element.mark, sequence: element.sequence, transaction)
      let operand = try fieldValue(value, of: list.property, transaction)
      let listPath = way.path
      try perform(.assignElement(listPath, reference, operand), transaction)
      if case .link = operand {} else { transaction.view = view }
    }
  }

  /// Moves the visible element at `source` so that it ends up at `destination`.
  package func listMove(
    _ classID: ClassID, id: RowID, list: FieldPath, from source: Int, to destination: Int
  ) throws(StorageError) {
    try doing("moving an element of \(list.property.name)") {
      let transaction = try current("moving an element")
      let way = try walkToList(classID, id, list, transaction)
      var view = try view(way)
      var element = try self.element(source, view, list)
      _ = try self.element(destination, view, list)
      guard source != destination else { return }
      view.elements.remove(at: source)
      element.position = try position(in: view, before: destination)
      let reference = try reference(
        mark: element.mark, sequence: element.sequence, transaction)
      try perform(.move(way.path, reference, to: element.position), transaction)
      view.elements.insert(element, at: destination)
      transaction.view = view
    }
  }

  /// Removes the visible element at `index` for good.
  package func listRemove(
    _ classID: ClassID, id: RowID, list: FieldPath, at index: Int
  ) throws(StorageError) {
    try doing("removing an element of \(list.property.name)") {
      let transaction = try current("removing an element")
      let way = try walkToList(classID, id, list, transaction)
      var view = try view(way)
      let element = try self.element(index, view, list)
      let reference = try reference(
        mark: element.mark, sequence: element.sequence, transaction)
      try perform(.remove(way.path, reference), transaction)
      view.elements.remove(at: index)
      transaction.view = view
    }
  }

  /// Removes every element held, visible or not; what others insert meanwhile stays.
  package func listClear(
    _ classID: ClassID, id: RowID, list: FieldPath
  ) throws(StorageError) {
    try doing("clearing \(list.property.name)") { try clearList(classID, id, list) }
  }

  func clearList(_ classID: ClassID, _ id: RowID, _ list: FieldPath) throws {
    let transaction = try current("clearing a list")
    let way = try walkToList(classID, id, list, transaction)
    guard let table = way.node.list else { return }
    let statement = try table.statement(
      "SELECT _mark, _sequence FROM \(table.sql) WHERE _owner = ? AND _removed = 0")
    statement.bind(way.row.id, at: 1)
    var references: [ElementReference] = []
    while try statement.step() {
      references.append(
        try reference(
          mark: statement.uint64(at: 0), sequence: statement.uint64(at: 1), transaction))
    }
    references.sort { ($0.author, $0.sequence, $0.index) < ($1.author, $1.sequence, $1.index) }
    guard !references.isEmpty else { return }
    try perform(.clear(way.path, references), transaction)
  }

  func insert(
    _ classID: ClassID, _ id: RowID, _ list: FieldPath, at index: Int?, _ value: NewValue
  ) throws -> Int64 {
    let transaction = try current("inserting into a list")
    let way = try walkToList(classID, id, list, transaction)
    var view = try view(way)
    let index = index ?? view.elements.count
    guard index >= 0, index <= view.elements.count else {
      throw StorageError.noSuchElement(
        list: list.property.name, index: index, count: view.elements.count)
    }
    let position = try position(in: view, before: index)
    let operand = try fieldValue(value, of: list.property, transaction)
    // The transaction's copy is dropped first, so that inserting below does not copy the array.
    transaction.view = nil
    let operation = try perform(.insert(way.path, at: position, operand), transaction)
    guard let element = transaction.madeID else {
      throw StorageError.noSuchInstance(property: list.property.name)
    }
    view.elements.insert(
      ListView.Element(
        id: element, mark: MergeSource.mark(try own, operation),
        sequence: transaction.encoder?.sequence.rawValue ?? 0, position: position), at: index)
    transaction.view = view
    if case .embedded(let fields) = value {
      for field in fields {
        let inside = FieldPath(
          steps: list.steps + [.element(list.property, ElementID(element))],
          property: field.property)
        try fillCollections(field, at: inside, classID, id)
      }
    }
    return element
  }

  // MARK: What the caller counts

  private func walkToList(
    _ classID: ClassID, _ id: RowID, _ list: FieldPath, _ transaction: WriteTransaction
  ) throws -> Way {
    let way = try walk(classID, id, list, transaction)
    guard way.node.isList else {
      throw StorageError.typeMismatch(
        property: list.property.name, expected: list.property.type, found: "a list operation")
    }
    return way
  }

  /// The visible elements, from the transaction if it walked this list last.
  private func view(_ way: Way) throws -> ListView {
    guard let table = way.node.list else {
      throw StorageError.noSuchInstance(property: way.node.property.name)
    }
    if let view = transaction?.view, view.table === table, view.owner == way.row.id { return view }
    let statement = try table.statement(
      """
      SELECT e._id, e._mark, e._sequence, e._position FROM \(table.sql) e
      WHERE e._owner = ? AND e._removed = 0\(table.visibility("e")) ORDER BY e._position
      """)
    statement.bind(way.row.id, at: 1)
    var elements: [ListView.Element] = []
    while try statement.step() {
      elements.append(
        ListView.Element(
          id: statement.int64(at: 0), mark: statement.uint64(at: 1),
          sequence: statement.uint64(at: 2),
          position: PositionKey(bytes: statement.bytes(at: 3))))
    }
    return ListView(table: table, owner: way.row.id, elements: elements)
  }

  private func element(
    _ index: Int, _ view: ListView, _ list: FieldPath
  ) throws -> ListView.Element {
    guard view.elements.indices.contains(index) else {
      throw StorageError.noSuchElement(
        list: list.property.name, index: index, count: view.elements.count)
    }
    return view.elements[index]
  }

  /// A position before the visible element at `index`: right after its visible left neighbour, before
  /// the next one held, hidden and removed ones included.
  private func position(in view: ListView, before index: Int) throws -> PositionKey {
    let left = index > 0 ? view.elements[index - 1].position : nil
    let statement = try view.table.statement(
      """
      SELECT _position FROM \(view.table.sql) WHERE _owner = ? AND _position > ?
      ORDER BY _position LIMIT 1
      """)
    statement.bind(view.owner, at: 1)
    statement.bind(left?.bytes ?? [], at: 2)
    var right: PositionKey?
    if try statement.step() { right = PositionKey(bytes: statement.bytes(at: 0)) }
    statement.reset()
    let key = PositionKey.between(left, right, author: author)
    guard key.bytes.count <= Limits.positionKeyBytes else {
      throw StorageError.tooLarge(
        what: "a list position", size: key.bytes.count, limit: Limits.positionKeyBytes)
    }
    return key
  }
}

extension MergeSource {
  /// The mark of an operation's stamp.
  static func mark(_ record: AuthorRecord, _ index: UInt32) -> UInt64 {
    LocalStamp(time: .zero, author: record.number, index: index).mark
  }
}

extension CellTable {
  /// What more an element must satisfy to be seen: a link's target is alive.
  func visibility(_ alias: String) -> String {
    guard let value = top.first ?? nil else { return "" }
    switch value.kind {
    case .scalar, .list: return ""
    case .presence: return " AND \(alias).\(value.sql) IS NOT NULL"
    case .link(let target):
      guard let entry = owner.catalog.entry(target) else { return " AND 0" }
      return " AND EXISTS (SELECT 1 FROM \(entry.table.sql) WHERE _id = \(alias).\(value.sql))"
    }
  }
}
