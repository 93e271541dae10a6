package import AtollVocabulary

/// One live object as the current snapshot has it.
package struct ObjectRow: Hashable, Sendable {
  package var id: RowID
  package var key: PersistedValue
  package var life: Life
  /// One value a column, in the order of the class's.
  ///
  /// That is the order of ``StoredClass/columns``. A link is `.int` of the target's row, `.null` if the
  /// target is not alive; a list is `.null`; a present embedded object is `.int(1)`.
  package var columns: [PersistedValue]

  package init(id: RowID, key: PersistedValue, life: Life, columns: [PersistedValue]) {
    self.id = id
    self.key = key
    self.life = life
    self.columns = columns
  }
}

/// One visible element of a list.
package struct StoredElement: Hashable, Sendable {
  package enum Value: Hashable, Sendable {
    case scalar(PersistedValue)
    case link(RowID)
    /// The fields, in the order of the embedded class's own ``StoredClass/columns``.
    case embedded([PersistedValue])
  }

  package var id: ElementID
  package var value: Value

  package init(id: ElementID, value: Value) {
    self.id = id
    self.value = value
  }
}
