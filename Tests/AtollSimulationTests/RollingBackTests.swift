import AtollVocabulary
import Foundation
import Testing

@testable import AtollSimulation

/// Runs in which disks are rolled back under files that cannot tell.
///
/// `ATOLL_SEEDS=2000` runs more of them.
@Suite struct RollingBackTests {
  private static let count =
    ProcessInfo.processInfo.environment["ATOLL_SEEDS"].flatMap { UInt64($0) } ?? 30

  /// Once with transactions of one changeset, once with all of several.
  @Test(arguments: [Limits.partBytes, 60])
  func `nothing is lost of the histories of authors whose disk was rolled back`(partBytes: Int)
    throws
  {
    var (putBack, forks) = (0, 0)
    // In one seed of twelve somebody writes before it hears of what it had lost, in four of these thirty.
    for seed in 121...(120 + max(1, Self.count)) {
      var simulation = Simulation(seed: seed, nodes: 2...5)
      simulation.rollsDisksBack = true
      simulation.partBytes = partBytes
      let report = try simulation.run()
      #expect(report.violations.isEmpty, "\(report)")
      (putBack, forks) = (putBack + report.disksPutBack, forks + report.forks)
    }
    print("\(putBack) disks were rolled back, \(forks) forks found")
    guard Self.count >= 30 else { return }
    #expect(putBack > 0 && forks > 0)
  }

  /// As `atoll-cluster simulate --disks` runs them.
  ///
  /// In most of them a file that was put back had written something else than what others had cut off. In
  /// 1132 two replicas that knew of different forks waited for each other's snapshots, in 1159 the giver of a
  /// snapshot was put back before its history was fetched, in 1191 a fork began at the first changeset, and in
  /// 1232 a snapshot was made again and again. In 3935 what depends on another history overtook it on the link,
  /// and so it was dropped each time it came. In 2195 the first changeset of another history was deferred, and was
  /// looked at without what comes before it; in 2595 a changeset depended on a history of which nothing was to be cut.
  /// In 12300 a clock was repaired before its node met anybody; in 14261 nobody had the rest of a history any more, and
  /// all had as many changesets of another.
  /// In 11428 the check was wrong: what a file makes again after a snapshot is missing everywhere else.
  @Test(
    arguments: [
      1011, 1084, 1132, 1159, 1191, 1232, 1347, 2075, 2386, 2475, 3935, 2195, 2595, 11428,
      12300, 14261,
    ]
      as [UInt64])
  func `issue 28.4: seeds that broke when logs were cut as well hold`(seed: UInt64) throws {
    var simulation = Simulation(seed: seed)
    simulation.rollsDisksBack = true
    simulation.cutsWhileRollingBack = true
    if seed.isMultiple(of: 3) { simulation.partBytes = 60 }
    let report = try simulation.run()
    #expect(report.violations.isEmpty, "\(report)")
  }
}
