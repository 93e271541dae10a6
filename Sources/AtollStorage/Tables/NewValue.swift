package import AtollVocabulary

/// The value that a local write gives a cell.
package enum NewValue: Hashable, Sendable {
  /// A scalar, or nil for a property of any type.
  case scalar(PersistedValue)
  case link(StoredClass.ID, RowID)
  /// A new embedded object; fields left out have no cell and read as zero or nil. A list among the
  /// fields takes `.list`.
  case embedded([NewField])
  /// Elements of a list: a property that is filled, or a new list for an any-typed slot.
  case list([NewValue])
  /// Members of a set.
  case set([NewValue])
  /// Entries of a map: a property that is filled, or a new map for an any-typed slot.
  case map([NewEntry])
}

/// An entry that a map is filled with.
package struct NewEntry: Hashable, Sendable {
  package var key: String
  package var value: NewValue

  package init(key: String, value: NewValue) {
    self.key = key
    self.value = value
  }
}

extension StoredClass {
  package typealias ID = ClassID
}

/// A property's first value, and whether the application gave it or the model's default did.
package struct NewField: Hashable, Sendable {
  package var property: StoredProperty
  package var value: NewValue
  package var isAssigned: Bool

  package init(_ property: StoredProperty, _ value: NewValue, isAssigned: Bool = true) {
    self.property = property
    self.value = value
    self.isAssigned = isAssigned
  }
}
