/// The way from an object to one of its cells, through what it embeds.
package struct FieldPath: Hashable, Sendable {
  package enum Step: Hashable, Sendable {
    /// Into a to-one embedded object.
    case slot(StoredProperty)
    /// Into an embedded object held by a list.
    case element(StoredProperty, ElementID)
  }

  package var steps: [Step]
  package var property: StoredProperty

  package init(_ property: StoredProperty) {
    self.steps = []
    self.property = property
  }

  package init(steps: [Step], property: StoredProperty) {
    self.steps = steps
    self.property = property
  }
}
