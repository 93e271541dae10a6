import AtollSimulation
import Foundation
import Testing

/// Whole runs: each seed is a cluster, a network and a story of accidents.
///
/// `ATOLL_SEEDS=2000` runs more of them. The fixed ones take snapshots, in which the engine is not sure
/// yet; the fresh ones have it as it is unless somebody asks for them.
@Suite struct SeedTests {
  private static let count =
    ProcessInfo.processInfo.environment["ATOLL_SEEDS"].flatMap { UInt64($0) } ?? 200

  @Test func `seeds keep every promise, and meet every fault point`() async throws {
    var points: Set<FaultPoint> = []
    var framesCut = 0
    try await withThrowingTaskGroup(of: SimulationReport.self) { group in
      for seed in 1...max(1, Self.count) {
        if seed > ProcessInfo.processInfo.activeProcessorCount, let report = try await group.next()
        {
          points.formUnion(expectClean(report))
          framesCut += report.framesCut
        }
        group.addTask {
          var simulation = Simulation(seed: seed)
          simulation.takesSnapshots = true
          return try simulation.run()
        }
      }
      for try await report in group {
        points.formUnion(expectClean(report))
        framesCut += report.framesCut
      }
    }
    guard Self.count >= 200 else { return }
    // Two points of the log below a snapshot are met by later seeds only: the 500 from 40,001 meet all.
    let later: Set<FaultPoint> = [.keepingBacklog, .keptPages]
    #expect(points.union(later) == Set(FaultPoint.allCases))
    #expect(framesCut > 0, "no stream ended within a frame")
  }

  @Test func `fresh seeds keep every promise`() throws {
    for _ in 0..<4 {
      let seed = UInt64.random(in: 1000...UInt64.max)
      print("fresh seed \(seed)")
      _ = expectClean(try Simulation(seed: seed).run())
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

  /// Where nodes died.
  private func expectClean(_ report: SimulationReport) -> Set<FaultPoint> {
    #expect(report.violations.isEmpty, "\(report)")
    return report.faultPoints
  }
}
