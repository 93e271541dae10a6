// Local writes to maps, and their entries as read.
extension StoreFile {
  /// Gives an entry a value, nil included.
  @discardableResult
  package func mapAssign(
    _ classID: ClassID, id: RowID, map: FieldPath, key: String, _ value: NewValue
  ) throws(StorageError) -> ElementID {
    throw .noSuchProperty(class: "", property: map.property.name)
  }

  /// Removes an entry; false if there was none.
  @discardableResult
  package func mapRemove(
    _ classID: ClassID, id: RowID, map: FieldPath, key: String
  ) throws(StorageError) -> Bool {
    throw .noSuchProperty(class: "", property: map.property.name)
  }

  /// Removes every entry held.
  package func mapClear(
    _ classID: ClassID, id: RowID, map: FieldPath
  ) throws(StorageError) {
    throw .noSuchProperty(class: "", property: map.property.name)
  }

  /// Every entry, ascending by the bytes of its key; a link whose target is gone reads null.
  package func entries(
    of classID: ClassID, id: RowID, map: FieldPath
  ) throws(StorageError) -> [StoredEntry] {
    throw .noSuchProperty(class: "", property: map.property.name)
  }

  /// One entry's value, nil if there is no such entry.
  package func entry(
    of classID: ClassID, id: RowID, map: FieldPath, key: String
  ) throws(StorageError) -> StoredElement? {
    throw .noSuchProperty(class: "", property: map.property.name)
  }
}
