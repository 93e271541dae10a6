import Testing

@testable import AtollSimulation

/// A checker that never finds anything is worth nothing: each is shown a fault made on purpose.
@Suite struct SabotageTests {
  @Test func `an altered operation is found as a divergence`() throws {
    #expect(try isFound(.alteredOperation, as: .divergence))
  }

  @Test func `an acknowledgement of what was not written is found as a loss`() throws {
    #expect(try isFound(.earlyAcknowledgement, as: .durability))
  }

  @Test func `a node that does not hear what others want is found out by time`() throws {
    #expect(try isFound(.ignoredRequests, as: .liveness))
  }

  @Test func `commits that are not flushed are found as a loss when the power goes`() throws {
    #expect(try isFound(.unflushed, as: .durability))
  }

  @Test func `what is sent many times over is found by the bytes`() throws {
    #expect(try isFound(.repetition, as: .liveness))
  }

  @Test func `nodes that talk more than there is to tell are found by the bytes`() throws {
    #expect(try isFound(.chatter, as: .liveness))
  }

  @Test func `a commit that an observer is not told of is found`() throws {
    #expect(try isFound(.silence, as: .observation))
  }

  @Test func `half a transfer is found by the sum of the accounts`() throws {
    #expect(try isFound(.theft, as: .observation))
  }

  @Test func `a log in disorder is found`() throws {
    #expect(try isFound(.disorder, as: .log))
  }

  @Test func `a row that was modified externally is found`() throws {
    #expect(try isFound(.externallyModifiedRow, as: .integrity))
  }

  @Test func `a bit that arrives other than it was sent is found`() throws {
    #expect(try isFound(.noise, as: .report))
  }

  @Test func `a disk that does not work is found`() throws {
    #expect(try isFound(.brokenDisk, as: .storage))
  }

  @Test func `what a node says of others and is not so is found`() throws {
    #expect(try isFound(.exaggeration, as: .belief))
  }

  @Test func `a failure names the seed, the command that repeats it, and what happened last`()
    throws
  {
    var simulation = Simulation(seed: 5)
    simulation.sabotage = .externallyModifiedRow
    let report = try simulation.run()
    #expect(!report.violations.isEmpty)
    #expect("\(report)".contains("seed 5:"))
    #expect("\(report)".contains("simulate --seeds 1 --seed 5 --transactions 40"))
    #expect(report.events.count == 200)
    #expect(report.events.contains { $0.contains("arrival") })
  }

  /// Tells whether one of some seeds shows the fault, and the checker it is meant for finds it.
  private func isFound(_ sabotage: Sabotage, as kind: Violation.Kind) throws -> Bool {
    for seed in 1...20 as ClosedRange<UInt64> {
      var simulation = Simulation(seed: seed)
      simulation.sabotage = sabotage
      if try simulation.run().violations.contains(where: { $0.kind == kind }) { return true }
    }
    return false
  }
}
