package import AtollVocabulary

/// The merge rule of objects: a causal length, of which the greater wins.
///
/// 0 unknown, odd alive, even deleted; creates and deletes carry the resulting number
/// (`protocol/changeset.md`, "Existence").
package enum Existence {
  /// The number that holds where both are known.
  package static func merge(_ a: Generation, _ b: Generation) -> Generation { max(a, b) }

  /// The number that creating carries: the next odd one, or nil if the object is alive.
  package static func created(after generation: Generation) -> Generation? {
    generation.isAlive || generation.rawValue == UInt32.max
      ? nil : Generation(generation.rawValue + 1)
  }

  /// The number that deleting carries: the next even one, or nil if the object is not alive, or has
  /// used up its numbers.
  package static func deleted(after generation: Generation) -> Generation? {
    generation.isAlive && generation.rawValue < UInt32.max
      ? Generation(generation.rawValue + 1) : nil
  }

  /// Tells if an operation made in the generation `operation` counts in an object of generation `current`.
  package static func admits(_ operation: Generation, in current: Generation) -> Bool {
    operation == current && current.isAlive
  }
}
