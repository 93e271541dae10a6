/// The way from an object to one of its cells, through what it embeds.
package struct FieldPath: Hashable, Sendable {
  package enum Step: Hashable, Sendable {
    /// Into a to-one embedded object.
    case slot(StoredProperty)
    /// Into an embedded object held by a list element or a map entry.
    case element(StoredProperty, ElementID)
  }

  package var steps: [Step]
  package var property: StoredProperty
  /// Into the list or map that an any-typed slot holds; nil is the property itself.
  ///
  /// For a property of one value, `[]` is the collection in its slot and each further id that of the
  /// element or entry gone through; for a list or map of any-typed values the first id is its own
  /// element's or entry's.
  package var nested: [ElementID]?

  @inlinable package init(_ property: StoredProperty) {
    self.init(steps: [], property: property)
  }

  @inlinable package init(steps: [Step], property: StoredProperty, nested: [ElementID]? = nil) {
    self.steps = steps
    self.property = property
    self.nested = nested
  }
}
