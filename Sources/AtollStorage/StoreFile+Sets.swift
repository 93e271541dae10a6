import AtollChanges
import AtollSQLite
package import AtollVocabulary

// Local writes to sets, and their members as read.
extension StoreFile {
  /// Makes a value or an object a member; false if it was one already.
  ///
  /// Said to peers in either case, so that it counts against a removal made meanwhile.
  @discardableResult
  package func setInsert(
    _ classID: ClassID, id: RowID, set: FieldPath, _ value: NewValue
  ) throws(StorageError) -> Bool {
    try doing("inserting into \(set.property.name)") {
      try insertMember(value, classID, id, set)
    }
  }

  /// Takes a member out; false if it was none.
  @discardableResult
  package func setRemove(
    _ classID: ClassID, id: RowID, set: FieldPath, _ value: NewValue
  ) throws(StorageError) -> Bool {
    try doing("removing from \(set.property.name)") {
      let transaction = try current("removing from a set")
      let cell = try locate(classID, id, set, to: .set, transaction)
      let name = try memberName(value)
      guard let known = try tables.known(name, in: cell.container), !known.isRemoved else {
        return false
      }
      let operand = try fieldValue(value, of: set, isElement: true, transaction)
      try perform(.removeMember(cell.path, operand), at: cell.place, transaction)
      return true
    }
  }

  /// Takes out every member held, also those that are hidden.
  package func setClear(
    _ classID: ClassID, id: RowID, set: FieldPath
  ) throws(StorageError) {
    try doing("clearing \(set.property.name)") { try clearSet(classID, id, set) }
  }

  /// Visible members, ascending by type, then by value; links by row.
  package func members(
    of classID: ClassID, id: RowID, set: FieldPath
  ) throws(StorageError) -> [StoredElement] {
    try doing("reading \(set.property.name)") {
      guard let container = try container(.set, classID, id, set) else { return [] }
      return try elements(in: container)
    }
  }

  /// Tells whether a value or an object is a visible member.
  package func setContains(
    _ classID: ClassID, id: RowID, set: FieldPath, _ value: NewValue
  ) throws(StorageError) -> Bool {
    try doing("reading \(set.property.name)") {
      guard let container = try container(.set, classID, id, set) else { return false }
      return try element(try memberName(value), in: container) != nil
    }
  }

  // MARK: Operations

  @discardableResult
  func insertMember(
    _ value: NewValue, _ classID: ClassID, _ id: RowID, _ set: FieldPath
  ) throws -> Bool {
    let transaction = try current("inserting into a set")
    let cell = try locate(classID, id, set, to: .set, transaction)
    let known = try tables.known(try memberName(value), in: cell.container)
    let operand = try fieldValue(value, of: set, isElement: true, transaction)
    try perform(.insertMember(cell.path, operand), at: cell.place, transaction)
    return known?.isRemoved ?? true
  }

  /// Removes the members held, except those that are about to be inserted anyway.
  func clearSet(
    _ classID: ClassID, _ id: RowID, _ set: FieldPath, keeping kept: [NewValue] = []
  ) throws {
    let transaction = try current("clearing a set")
    let cell = try locate(classID, id, set, to: .set, transaction)
    var names: Set<[UInt8]> = []
    for value in kept {
      if case .member(let bytes) = try memberName(value) { names.insert(bytes) }
    }
    let members = try heldMembers(of: cell.container).filter { !names.contains($0.identity) }
    for member in members {
      let operand: FieldValue =
        switch member.value {
        case .scalar(let scalar): .scalar(scalar)
        case .link(let target, let row):
          .link(try heldReference(try tables.entry(target), row, transaction))
        case .embedded, .collection: .scalar(.null)
        }
      try perform(.removeMember(cell.path, operand), at: cell.place, transaction)
    }
  }

  /// Every member held, hidden ones with the row that their target has or had.
  private func heldMembers(
    of container: Container
  ) throws -> [(identity: [UInt8], value: StoredElement.Value)] {
    guard let node = container.table.value else { return [] }
    let table = container.table
    let statement = try table.statement(
      """
      SELECT _identity, \(node.sql), \(node.isAny ? node.typeSQL : "NULL") FROM \(table.sql)
      WHERE _owner = ? AND _removed = 0 ORDER BY _identity
      """)
    statement.bind(container.owner, at: 1)
    var members: [(identity: [UInt8], value: StoredElement.Value)] = []
    while try statement.step() {
      let value: StoredElement.Value =
        switch node.kind {
        case .scalar(.any): statement.anyValue(at: 1, type: 2)
        case .scalar(let type): .scalar(statement.value(type, at: 1))
        case .link(let target): .link(target, RowID(statement.int64(at: 1)))
        case .presence, .collection: .scalar(.null)
        }
      members.append((statement.bytes(at: 0), value))
    }
    return members
  }

  private func memberName(_ value: NewValue) throws -> RegisterName {
    switch value {
    case .scalar(let scalar): .member(MemberIdentity.bytes(scalar))
    case .link(let target, let row): .member(MemberIdentity.bytes(target, row: row.rawValue))
    case .embedded, .list, .set, .map:
      throw StorageError.typeMismatch(
        property: "a member of a set", expected: .any,
        found: "an embedded object or a collection")
    }
  }
}
