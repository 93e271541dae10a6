package import AtollVocabulary

/// What a cell is given by a local write.
package enum NewValue: Hashable, Sendable {
  /// A scalar, or nil for a property of any type.
  case scalar(PersistedValue)
  case link(StoredClass.ID, RowID)
  /// A new embedded object; fields left out have no cell and read as zero or nil. A list among the
  /// fields takes `.list`.
  case embedded([NewField])
  /// Elements of a collection that is filled while its object is made.
  case list([NewValue])
}

extension NewValue {
  /// Whether elements are to be inserted when the value is there.
  var hasList: Bool {
    switch self {
    case .scalar, .link: false
    case .list: true
    case .embedded(let fields): fields.contains { $0.value.hasList }
    }
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
