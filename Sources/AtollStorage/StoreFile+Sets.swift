// Local writes to sets, and their members as read.
extension StoreFile {
  /// Makes a value or an object a member; false if it was one already.
  @discardableResult
  package func setInsert(
    _ classID: ClassID, id: RowID, set: FieldPath, _ value: NewValue
  ) throws(StorageError) -> Bool {
    throw .noSuchProperty(class: "", property: set.property.name)
  }

  /// Takes a member out; false if it was none.
  @discardableResult
  package func setRemove(
    _ classID: ClassID, id: RowID, set: FieldPath, _ value: NewValue
  ) throws(StorageError) -> Bool {
    throw .noSuchProperty(class: "", property: set.property.name)
  }

  /// Takes out every member held, also those that are hidden.
  package func setClear(
    _ classID: ClassID, id: RowID, set: FieldPath
  ) throws(StorageError) {
    throw .noSuchProperty(class: "", property: set.property.name)
  }

  /// Visible members, ascending by their canonical bytes.
  package func members(
    of classID: ClassID, id: RowID, set: FieldPath
  ) throws(StorageError) -> [StoredElement] {
    throw .noSuchProperty(class: "", property: set.property.name)
  }

  /// Whether a value or an object is a visible member.
  package func setContains(
    _ classID: ClassID, id: RowID, set: FieldPath, _ value: NewValue
  ) throws(StorageError) -> Bool {
    throw .noSuchProperty(class: "", property: set.property.name)
  }
}
