package import AtollVocabulary

/// An integer register that also takes steps, each counted on the value it was made on.
///
/// The value reads as `base &+ steps`, wrapping modulo 2^64. Steps on any default share one sum, so
/// that they survive one default's replacement by another; an assignment ends them.
package struct Counter: Hashable, Sendable {
  /// The last value that was assigned or recorded; 0 while there is no cell.
  package var base: Int64
  /// The order of ``base``; nil while there is no cell.
  package var order: RegisterStamp?
  /// The sum of the steps made on ``base``.
  package var steps: Int64

  package init(base: Int64 = 0, order: RegisterStamp? = nil, steps: Int64 = 0) {
    self.base = base
    self.order = order
    self.steps = steps
  }

  package var value: Int64 { base &+ steps }

  /// The base that a step made now would name.
  package var stepBase: Stamp? {
    order.flatMap { $0.isAssigned ? $0.stamp : nil }
  }

  /// Takes a value if it is later than the one held; says whether it did.
  @discardableResult
  package mutating func assign(_ value: Int64, _ order: RegisterStamp) -> Bool {
    if let held = self.order, held >= order { return false }
    base = value
    self.order = order
    if order.isAssigned { steps = 0 }
    return true
  }

  /// Adds if the value that the step was made on is still held; says whether it did.
  ///
  /// `base` is the stamp of the assignment that made that value; nil for any default.
  @discardableResult
  package mutating func step(by amount: Int64, on base: Stamp?) -> Bool {
    guard base == stepBase else { return false }
    steps &+= amount
    return true
  }
}
