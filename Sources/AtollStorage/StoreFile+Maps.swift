import AtollChanges
import AtollSQLite
package import AtollVocabulary

// Local writes to maps, and their entries as read.
extension StoreFile {
  /// Gives an entry a value, nil included.
  @discardableResult
  package func mapAssign(
    _ classID: ClassID, id: RowID, map: FieldPath, key: String, _ value: NewValue
  ) throws(StorageError) -> ElementID {
    try doing("assigning an entry of \(map.property.name)") {
      try assignEntry(NewEntry(key: key, value: value), classID, id, map)
    }
  }

  /// Removes an entry; false if there was none.
  @discardableResult
  package func mapRemove(
    _ classID: ClassID, id: RowID, map: FieldPath, key: String
  ) throws(StorageError) -> Bool {
    try doing("removing an entry of \(map.property.name)") {
      let transaction = try current("removing an entry")
      let cell = try locate(classID, id, map, to: .map, transaction)
      guard let known = try tables.known(.key(key), in: cell.container), !known.isRemoved else {
        return false
      }
      try perform(.removeEntry(cell.path, key: key), at: cell.place, transaction)
      return true
    }
  }

  /// Removes every entry held.
  package func mapClear(
    _ classID: ClassID, id: RowID, map: FieldPath
  ) throws(StorageError) {
    try doing("clearing \(map.property.name)") { try clearMap(classID, id, map) }
  }

  /// Every entry, ascending by the bytes of its key; a link whose target is gone reads null.
  package func entries(
    of classID: ClassID, id: RowID, map: FieldPath
  ) throws(StorageError) -> [StoredEntry] {
    try doing("reading \(map.property.name)") {
      guard let container = try container(.map, classID, id, map) else { return [] }
      return try entries(in: container)
    }
  }

  /// One entry's value, nil if there is no such entry.
  package func entry(
    of classID: ClassID, id: RowID, map: FieldPath, key: String
  ) throws(StorageError) -> StoredElement? {
    try doing("reading \(map.property.name)") {
      guard let container = try container(.map, classID, id, map) else { return nil }
      return try element(.key(key), in: container)
    }
  }

  // MARK: Operations

  @discardableResult
  func assignEntry(
    _ new: NewEntry, _ classID: ClassID, _ id: RowID, _ map: FieldPath
  ) throws -> ElementID {
    let transaction = try current("assigning an entry")
    let cell = try locate(classID, id, map, to: .map, transaction)
    try LocalLimits.checkSize(
      of: .string(new.key), limit: Limits.keyBytes, "a key of \(map.property.name)")
    let operand = try fieldValue(new.value, of: map, isElement: true, transaction)
    try perform(.assignEntry(cell.path, key: new.key, operand), at: cell.place, transaction)
    guard let row = transaction.madeID else {
      throw StorageError.noSuchInstance(property: map.property.name)
    }
    try fillElement(new.value, ElementID(row), of: map, classID, id)
    return ElementID(row)
  }

  /// Removes the entries held, except those that are about to be assigned anyway.
  func clearMap(
    _ classID: ClassID, _ id: RowID, _ map: FieldPath, keeping kept: [NewEntry] = []
  ) throws {
    let transaction = try current("clearing a map")
    let cell = try locate(classID, id, map, to: .map, transaction)
    let kept = Set(kept.map { Array($0.key.utf8) })
    for key in try keys(in: cell.container) where !kept.contains(Array(key.utf8)) {
      try perform(.removeEntry(cell.path, key: key), at: cell.place, transaction)
    }
  }

  private func keys(in container: Container) throws -> [String] {
    let table = container.table
    let statement = try table.statement(
      """
      SELECT _key FROM \(table.sql) WHERE _owner = ? AND _removed = 0 ORDER BY _key
      """)
    statement.bind(container.owner, at: 1)
    var keys: [String] = []
    while try statement.step() { keys.append(statement.string(at: 0)) }
    return keys
  }
}
