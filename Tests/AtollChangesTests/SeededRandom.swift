import AtollVocabulary
import Foundation

/// The numbers of a seed, the same on every machine.
///
/// `ATOLL_SEED` in the environment replays a run; otherwise each run draws another seed, which every
/// failure names.
struct SeededRandom: RandomNumberGenerator {
  let seed: UInt64
  private var generator: SeededGenerator

  init(seed: UInt64) {
    self.seed = seed
    generator = SeededGenerator(seed: seed)
  }

  /// A generator whose seed is printed, so that a failure can be replayed.
  static func announced(_ name: String) -> SeededRandom {
    let given = ProcessInfo.processInfo.environment["ATOLL_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 0...UInt64.max)
    print("\(name): ATOLL_SEED=\(seed)")
    return SeededRandom(seed: seed)
  }

  mutating func next() -> UInt64 { generator.next() }

  /// A number below `bound`.
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func chance(_ part: Int, of whole: Int) -> Bool { below(whole) < part }
}
