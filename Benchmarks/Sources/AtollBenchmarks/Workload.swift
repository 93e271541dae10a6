import Foundation

/// Sebastiano Vigna's SplitMix64: small, seeded, the same everywhere.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// One club, before any database has seen it.
struct ClubValues {
  var pk: Int
  var name: String
  var url: String
  var latitude: Double
  var longitude: Double
  var count: Int
}

/// The objects and the random choices that both sides of every row share.
struct Workload {
  let clubs: [ClubValues]
  /// Keys in random order, each once.
  let shuffledKeys: [Int]

  init(objects: Int) {
    var random = SplitMix64(seed: 42)
    clubs = (0..<objects).map { pk in
      ClubValues(
        pk: pk, name: "Club \(random.next() % UInt64(max(objects, 1)))",
        url: "https://club-\(pk).example/index.html",
        latitude: Double.random(in: -90...90, using: &random),
        longitude: Double.random(in: -180...180, using: &random),
        count: Int(random.next() % 1000))
    }
    shuffledKeys = Array(0..<objects).shuffled(using: &random)
  }
}

/// A folder for one file of one run, removed with the value.
final class Scratch {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("atoll-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}
