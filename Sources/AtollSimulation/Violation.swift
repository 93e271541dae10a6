/// A promise that a run did not keep.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
  /// The checker that found it.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Equal version vectors, different objects.
    case divergence
    /// An observer that missed a commit, heard of one twice, or saw part of a transaction.
    case observation
    /// Unequal vectors long after the accidents ended, or too much sent to become equal.
    case liveness
    /// A transaction that returned, or was acknowledged, is not there.
    case durability
    /// A node that takes another to have what it has not.
    case belief
    /// A log with a hole, a broken chain, an effect before its cause, or foreign bytes.
    case log
    /// A file that finds something wrong with itself.
    case integrity
    /// An engine reported what must not happen here.
    case report
    /// A file refused to work.
    case storage
    /// The program that was simulated threw an error, or its own check did.
    case application
  }

  /// The checker that found it.
  public var kind: Kind
  /// The finding, its place, and the expectation.
  public var text: String

  public var description: String { "\(kind.rawValue): \(text)" }
}
