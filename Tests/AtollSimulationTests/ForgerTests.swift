import Testing

@testable import AtollSimulation

/// Issue 32: a malicious member that holds a real place in the cluster.
@Suite struct ForgerTests {
  @Test(arguments: (1...40).map { UInt64($0) })
  func `issue 32: nobody applies what its author did not sign, and all others become equal`(
    seed: UInt64
  ) throws {
    var simulation = Simulation(seed: seed)
    simulation.hasForger = true
    let report = try simulation.run()
    #expect(report.violations.isEmpty, "\(report)")
  }

  @Test func `issue 32: the malicious member does forge`() throws {
    var forgeries = 0
    for seed in 1...10 as ClosedRange<UInt64> {
      var simulation = Simulation(seed: seed)
      simulation.hasForger = true
      forgeries += try simulation.run().forgeries
    }
    #expect(forgeries > 20)
  }
}
