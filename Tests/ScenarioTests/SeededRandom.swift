import Foundation

/// SplitMix64: the same numbers from the same seed on every machine.
///
/// `ATOLL_SEED` in the environment replays a run; otherwise each run draws another seed, which every
/// failure names.
struct SeededRandom: RandomNumberGenerator {
  let seed: UInt64
  private var state: UInt64

  init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// A generator whose seed is printed, so that a failure can be replayed.
  static func announced(_ name: String) -> SeededRandom {
    let given = ProcessInfo.processInfo.environment["ATOLL_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64.random(in: 0...UInt64.max)
    print("\(name): ATOLL_SEED=\(seed)")
    return SeededRandom(seed: seed)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// A number below `bound`.
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func chance(_ part: Int, of whole: Int) -> Bool { below(whole) < part }
}
