import Testing

@testable import AtollSimulation

/// A checker that never finds anything is worth nothing: each is shown a fault made on purpose.
@Suite struct SabotageTests {
  @Test func `an altered operation is found as a divergence`() throws {
    #expect(try kinds(of: .alteredOperation).contains(.divergence))
  }

  @Test func `an acknowledgement of what was not written is found as a loss`() throws {
    #expect(try kinds(of: .earlyAcknowledgement).contains(.durability))
  }

  @Test func `a node that does not hear what others want is found out by time`() throws {
    #expect(try kinds(of: .deafness).contains(.liveness))
  }

  /// The violations that a fault leads to, in the first of some seeds where it shows.
  private func kinds(of sabotage: Sabotage) throws -> [Violation.Kind] {
    for seed in 1...20 as ClosedRange<UInt64> {
      var simulation = Simulation(seed: seed)
      simulation.sabotage = sabotage
      let violations = try simulation.run().violations
      if !violations.isEmpty { return violations.map(\.kind) }
    }
    return []
  }
}
