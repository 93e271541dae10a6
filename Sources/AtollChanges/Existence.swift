package import AtollVocabulary

/// The merge rule of objects: a causal length, of which the greater wins.
///
/// 0 unknown, odd alive, even deleted; creates and deletes carry the resulting number
/// (`protocol/changeset.md`, "Existence").
package enum Existence {
  /// The number that holds where both are known.
  package static func merge(_ a: Life, _ b: Life) -> Life { max(a, b) }

  /// The number that creating carries: the next odd one, or nil if the object is alive.
  package static func created(after life: Life) -> Life? {
    life.isAlive || life.rawValue == UInt32.max ? nil : Life(life.rawValue + 1)
  }

  /// The number that deleting carries: the next even one, or nil if the object is not alive, or has
  /// used up its numbers.
  package static func deleted(after life: Life) -> Life? {
    life.isAlive && life.rawValue < UInt32.max ? Life(life.rawValue + 1) : nil
  }

  /// Whether an operation made inside the life `operation` counts in an object of life `current`.
  package static func admits(_ operation: Life, in current: Life) -> Bool {
    operation == current && current.isAlive
  }
}
