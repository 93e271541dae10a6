import AtollVocabulary
import Foundation

/// The numbers of a seed, the same on every machine.
///
/// `ATOLL_SEED` in the environment replays a run; otherwise each run draws another seed, which every
/// failure names.
package struct SeededRandom: RandomNumberGenerator {
  package let seed: UInt64
  private var generator: SeededGenerator

  package init(seed: UInt64) {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
  }

  /// A generator whose seed is printed, so that a failure can be replayed.
  package static func announced(_ name: String) -> SeededRandom {
    let given = ProcessInfo.processInfo.environment["ATOLL_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 0...UInt64.max)
    print("\(name): ATOLL_SEED=\(seed)")
    return SeededRandom(seed: seed)
  }

  package mutating func next() -> UInt64 { generator.next() }

  /// A number below `bound`.
  package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  package mutating func chance(_ part: Int, of whole: Int) -> Bool { below(whole) < part }
}
