package import AtollVocabulary

/// One member of a set, or one entry of a map: held or removed, as the last who wrote it decided.
///
/// Its name within the collection is the member's own identity, or the entry's key; the collection is
/// the registers of all names that were ever written. A removal is a value like any other and is
/// remembered while the object lives, so that an insertion it did not see is decided by its stamp.
/// There are no defaults: what a create brings along was inserted by it.
package struct KeyedRegister<Value: Hashable & Sendable>: Hashable, Sendable {
  /// The present value, which may be nil; nil once removed.
  package var value: Value?
  package var stamp: Stamp

  package init(_ value: Value?, _ stamp: Stamp) {
    self.value = value
    self.stamp = stamp
  }

  package var isPresent: Bool { value != nil }

  /// The instance of the embedded object, list or map held; edits inside another count for nothing.
  package var instance: Stamp? { isPresent ? stamp : nil }

  /// The later of both.
  package func merged(with other: KeyedRegister) -> KeyedRegister {
    other.stamp > stamp ? other : self
  }
}
