import AtollVocabulary
import Foundation
import Testing

@testable import AtollSimulation

/// Runs in which disks are put back under files that cannot tell.
///
/// `ATOLL_SEEDS=2000` runs more of them.
@Suite struct PuttingBackTests {
  private static let count =
    ProcessInfo.processInfo.environment["ATOLL_SEEDS"].flatMap { UInt64($0) } ?? 30

  /// Once with transactions of one changeset, once with all of several.
  @Test(arguments: [Limits.partBytes, 60])
  func `nothing is lost of the histories of authors whose disk was put back`(partBytes: Int) throws
  {
    var (putBack, forks) = (0, 0)
    // In one seed of twelve somebody writes before it hears of what it had lost, in four of these thirty.
    for seed in 121...(120 + max(1, Self.count)) {
      var simulation = Simulation(seed: seed, nodes: 2...5)
      simulation.putsDisksBack = true
      simulation.partBytes = partBytes
      let report = try simulation.run()
      #expect(report.violations.isEmpty, "\(report)")
      (putBack, forks) = (putBack + report.disksPutBack, forks + report.forks)
    }
    print("\(putBack) disks were put back, \(forks) forks found")
    guard Self.count >= 30 else { return }
    #expect(putBack > 0 && forks > 0)
  }
}
