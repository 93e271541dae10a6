/// A cell that holds the last value written: a property, an element's value or position, a slot.
///
/// Merging is commutative, associative and idempotent, because two writes never share a stamp.
package struct Register<Value: Hashable & Sendable>: Hashable, Sendable {
  package var value: Value
  package var order: RegisterStamp

  package init(_ value: Value, _ order: RegisterStamp) {
    self.value = value
    self.order = order
  }

  /// The later of both.
  package func merged(with other: Register) -> Register { other.order > order ? other : self }
}
