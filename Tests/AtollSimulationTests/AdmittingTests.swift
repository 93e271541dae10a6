import Testing

@testable import AtollSimulation

/// Issue 32: stores that have owners.
@Suite struct AdmittingTests {
  private static func simulation(
    _ seed: UInt64, hasForger: Bool = false, rotatesKeys: Bool = false
  ) -> Simulation {
    var simulation = Simulation(seed: seed)
    simulation.hasOwners = true
    simulation.rotatesKeys = rotatesKeys
    simulation.hasForger = hasForger
    return simulation
  }

  @Test(arguments: (1...40).map { UInt64($0) })
  func `issue 32: whenever and by whom replicas are admitted and removed, all are equal`(
    seed: UInt64
  ) throws {
    let report = try Self.simulation(seed).run()
    #expect(report.violations.isEmpty, "\(report)")
  }

  @Test(arguments: (101...120).map { UInt64($0) })
  func `issue 32: so they do beside a malicious member`(seed: UInt64) throws {
    let report = try Self.simulation(seed, hasForger: true).run()
    #expect(report.violations.isEmpty, "\(report)")
  }

  @Test(arguments: (201...220).map { UInt64($0) })
  func `issue 32: so they do while replicas get other keys`(seed: UInt64) throws {
    let report = try Self.simulation(seed, rotatesKeys: true).run()
    #expect(report.violations.isEmpty, "\(report)")
  }

  @Test func `issue 32: keys are changed while others write`() throws {
    let reports = try (1...8).map { try Self.simulation(UInt64($0), rotatesKeys: true).run() }
    #expect(reports.reduce(0) { $0 + $1.rotations } > 8)
  }

  @Test func `issue 32: replicas are admitted and removed while others write`() throws {
    var (admissions, requests, removals) = (0, 0, 0)
    for seed in 1...16 as ClosedRange<UInt64> {
      let report = try Self.simulation(seed).run()
      admissions += report.admissions
      requests += report.requests
      removals += report.removals
    }
    #expect(admissions > 20)
    #expect(requests > 3)
    #expect(removals > 3)
  }
}
