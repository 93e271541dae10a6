package import AtollVocabulary

/// A register that holds an embedded object; the stamp that put it there is its *instance*.
///
/// Everything inside names the instance it was written in and counts only while that one is held,
/// so that two objects assigned at the same time never mix.
package struct EmbeddedSlot: Hashable, Sendable {
  /// True if an object is held; a slot can be assigned nil.
  package var isPresent: Bool
  package var order: RegisterStamp

  package init(isPresent: Bool, order: RegisterStamp) {
    self.isPresent = isPresent
    self.order = order
  }

  /// The instance held; nil for a nil slot.
  package var instance: Stamp? { isPresent ? order.stamp : nil }

  /// The later of both, whole.
  package func merged(with other: EmbeddedSlot) -> EmbeddedSlot {
    other.order > order ? other : self
  }

  /// Tells whether an edit made inside `instance` counts.
  package func admits(_ instance: Stamp) -> Bool { self.instance == instance }
}
