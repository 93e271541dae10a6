import AtollChanges
import AtollSQLite
package import AtollVocabulary

// Local writes to lists: indices that a caller counts become element identities and positions.
extension StoreFile {
  /// Inserts before the visible element at `index`, at the end if nil.
  @discardableResult
  package func listInsert(
    _ classID: ClassID, id: RowID, list: FieldPath, at index: Int?, _ value: NewValue
  ) throws(StorageError) -> ElementID {
    try doing("inserting into \(list.property.name)") {
      guard let element = try insert([value], classID, id, list, at: index).first else {
        throw StorageError.noSuchInstance(property: list.property.name)
      }
      return element
    }
  }

  /// Inserts several before the visible element at `index`, at the end if nil; one operation each.
  @discardableResult
  package func listInsert(
    _ classID: ClassID, id: RowID, list: FieldPath, at index: Int?, contentsOf values: [NewValue]
  ) throws(StorageError) -> [ElementID] {
    try doing("inserting into \(list.property.name)") {
      try insert(values, classID, id, list, at: index)
    }
  }

  /// Gives the visible element at `index` another value.
  package func listAssign(
    _ classID: ClassID, id: RowID, list: FieldPath, at index: Int, _ value: NewValue
  ) throws(StorageError) {
    try doing("assigning an element of \(list.property.name)") {
      let transaction = try current("assigning an element")
      let cell = try locate(classID, id, list, to: .list, transaction)
      let view = try countedView(of: cell.container)
      let row = try self.row(index, view, list)
      let operand = try fieldValue(value, of: list, isElement: true, transaction)
      let reference = try reference(row, cell.container, transaction)
      try perform(.assignElement(cell.path, reference, operand), at: cell.place, transaction)
      // A link to what is not alive would not be visible; local writes have none.
      tables.views.add(view)
      try fillElement(value, ElementID(row), of: list, classID, id)
    }
  }

  /// Moves the visible element at `source` so that it ends up at `destination`.
  package func listMove(
    _ classID: ClassID, id: RowID, list: FieldPath, from source: Int, to destination: Int
  ) throws(StorageError) {
    try doing("moving an element of \(list.property.name)") {
      let transaction = try current("moving an element")
      let cell = try locate(classID, id, list, to: .list, transaction)
      let view = try countedView(of: cell.container)
      let row = try self.row(source, view, list)
      _ = try self.row(destination, view, list)
      guard source != destination else { return }
      tables.views.drop(cell.container)
      view.last = nil
      _ = view.rows?.remove(at: source)
      let position = try position(in: try gap(in: view, before: destination))
      let reference = try reference(row, cell.container, transaction)
      try perform(.move(cell.path, reference, to: position), at: cell.place, transaction)
      view.rows?.insert(row, at: destination)
      tables.views.add(view)
    }
  }

  /// Removes the visible element at `index` for good.
  package func listRemove(
    _ classID: ClassID, id: RowID, list: FieldPath, at index: Int
  ) throws(StorageError) {
    try doing("removing an element of \(list.property.name)") {
      let transaction = try current("removing an element")
      let cell = try locate(classID, id, list, to: .list, transaction)
      let view = try countedView(of: cell.container)
      let row = try self.row(index, view, list)
      let reference = try reference(row, cell.container, transaction)
      try perform(.remove(cell.path, reference), at: cell.place, transaction)
      _ = view.rows?.remove(at: index)
      view.last = nil
      tables.views.add(view)
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
    let cell = try locate(classID, id, list, to: .list, transaction)
    let table = cell.container.table
    let statement = try table.statement(
      "SELECT _mark, _sequence FROM \(table.sql) WHERE _owner = ? AND _removed = 0")
    statement.bind(cell.container.owner, at: 1)
    var references: [ElementReference] = []
    while try statement.step() {
      references.append(
        try reference(
          mark: statement.uint64(at: 0), sequence: statement.uint64(at: 1), transaction))
    }
    references.sort { ($0.author, $0.sequence, $0.index) < ($1.author, $1.sequence, $1.index) }
    guard !references.isEmpty else { return }
    try perform(.clear(cell.path, references), at: cell.place, transaction)
  }

  /// Inserts values one after the other, and what collections they bring along.
  @discardableResult
  func insert(
    _ values: [NewValue], _ classID: ClassID, _ id: RowID, _ list: FieldPath, at index: Int?
  ) throws -> [ElementID] {
    let transaction = try current("inserting into a list")
    var cell = try locate(classID, id, list, to: .list, transaction)
    var rest = values[...]
    var rows: [Int64] = []
    while let first = rest.first {
      // An element with a collection is filled before anything else is written.
      let run = rest.prefix(Self.runLength).prefix { !$0.hasCollection }
      let count = max(1, run.count)
      rows += try insert(
        rest.prefix(count), cell, at: index.map { $0 + rows.count }, list, transaction)
      if first.hasCollection, let row = rows.last {
        try fillElement(first, ElementID(row), of: list, classID, id)
        cell = try locate(classID, id, list, to: .list, transaction)
      }
      rest = rest.dropFirst(count)
    }
    return rows.map(ElementID.init)
  }

  /// The number of operations that are merged before they are written down.
  private static let runLength = 1024

  /// Inserts values that hold no collections as one run; returns their rows.
  private func insert(
    _ values: ArraySlice<NewValue>, _ cell: LocatedCollection, at index: Int?, _ list: FieldPath,
    _ transaction: WriteTransaction
  ) throws -> [Int64] {
    let view =
      try index == nil ? tables.views.view(of: cell.container) : countedView(of: cell.container)
    if let index, index < 0 || index > view.count {
      throw StorageError.noSuchElement(list: list.property.name, index: index, count: view.count)
    }
    let gap = try gap(in: view, before: index)
    var positions = PositionRun(gap.left, gap.right, name: ownName)
    let elements = try values.map {
      (
        position: try checked(positions.next()),
        value: try fieldValue($0, of: list, isElement: true, transaction)
      )
    }
    let rows = try perform(inserting: elements, into: cell, transaction)
    let rank = index ?? view.count
    for (offset, row) in rows.enumerated() { view.rows?.insert(row, at: rank + offset) }
    if let row = rows.last, let element = elements.last {
      let before = elements.dropLast().last?.position
      view.last = ListView.Insertion(
        row: row, position: element.position, leftRow: rows.dropLast().last ?? gap.leftRow,
        left: before ?? gap.left, right: gap.right, isLast: gap.isLast)
    }
    tables.views.add(view)
    return rows
  }

  // MARK: What the caller counts

  private func row(_ index: Int, _ view: ListView, _ list: FieldPath) throws -> Int64 {
    guard index >= 0, let rows = view.rows, index < rows.count else {
      throw StorageError.noSuchElement(
        list: list.property.name, index: index, count: view.count)
    }
    return rows[index]
  }

  private func reference(
    _ row: Int64, _ container: Container, _ transaction: WriteTransaction
  ) throws -> ElementReference {
    let table = container.table
    let statement = try table.statement(
      "SELECT _mark, _sequence FROM \(table.sql) WHERE _id = ?")
    statement.bind(row, at: 1)
    defer { statement.reset() }
    guard try statement.step() else {
      throw StorageError.damaged(path: path, detail: "an element of \(table.name) has no row")
    }
    return try reference(
      mark: statement.uint64(at: 0), sequence: statement.uint64(at: 1), transaction)
  }
}
