import AtollSimulation
import Foundation
import Testing

/// Whole runs: each seed is a cluster, a network and a story of accidents.
///
/// `ATOLL_SEEDS=2000` runs more of them.
@Suite struct SeedTests {
  private static let count =
    ProcessInfo.processInfo.environment["ATOLL_SEEDS"].flatMap { UInt64($0) } ?? 200

  @Test(arguments: 1...max(1, Self.count))
  func `a seed keeps every promise`(seed: UInt64) throws { try expectClean(seed) }

  @Test func `fresh seeds keep every promise`() throws {
    for _ in 0..<4 {
      let seed = UInt64.random(in: 1000...UInt64.max)
      print("fresh seed \(seed)")
      try expectClean(seed)
    }
  }

  @Test(arguments: [3, 14, 159] as [UInt64])
  func `the same seed gives the same run`(seed: UInt64) throws {
    let once = try Simulation(seed: seed).run()
    let again = try Simulation(seed: seed).run()
    #expect(once == again)
  }

  @Test func `different seeds give different runs`() throws {
    let hashes = try (1...3).map { try Simulation(seed: $0).run().traceHash }
    #expect(Set(hashes).count == 3)
  }

  private func expectClean(_ seed: UInt64) throws {
    let report = try Simulation(seed: seed).run()
    #expect(
      report.violations.isEmpty,
      "\(report)\nTo repeat: swift run -c release atoll-cluster simulate --seeds 1 --seed \(seed)")
  }
}
