package import AtollVocabulary

/// One live object as the current snapshot has it.
package struct ObjectRow: Hashable, Sendable {
  package var id: RowID
  package var key: PersistedValue
  package var generation: Generation
  /// One value a column, in the order of the class's.
  ///
  /// That is the order of ``StoredClass/columns``. A link is `.int` of the target's row, `.null` if the
  /// target is not alive; a collection is `.null`; a present embedded object is `.int(1)`.
  package var columns: [PersistedValue]
  /// Any-typed columns that hold no scalar: a link, or a list or map; ``columns`` has `.null` there.
  package var others: [Int: StoredElement.Value]

  package init(
    id: RowID, key: PersistedValue, generation: Generation, columns: [PersistedValue],
    others: [Int: StoredElement.Value] = [:]
  ) {
    self.id = id
    self.key = key
    self.generation = generation
    self.columns = columns
    self.others = others
  }
}

/// One visible element of a list, member of a set, or value of a map entry.
package struct StoredElement: Hashable, Sendable {
  package enum Value: Hashable, Sendable {
    case scalar(PersistedValue)
    case link(ClassID, RowID)
    /// The fields, in the order of the embedded class's own ``StoredClass/columns``.
    case embedded([PersistedValue])
    /// A list or map in an any-typed slot.
    case collection(CollectionKind)
  }

  package var id: ElementID
  package var value: Value
  /// Any-typed columns of an embedded object that hold no scalar, as ``ObjectRow/others``.
  package var others: [Int: Value]
  /// The instance of an embedded object among those that are there one after the other; 0 for
  /// another value.
  package var instance: Int64

  package init(id: ElementID, value: Value, others: [Int: Value] = [:], instance: Int64 = 0) {
    self.id = id
    self.value = value
    self.others = others
    self.instance = instance
  }
}

/// One entry of a map.
package struct StoredEntry: Hashable, Sendable {
  package var key: String
  package var element: StoredElement

  package init(key: String, element: StoredElement) {
    self.key = key
    self.element = element
  }
}
