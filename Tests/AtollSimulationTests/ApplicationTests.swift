import Atoll
import AtollSimulation
import Testing

/// A user's own model classes in the simulation.
@Suite struct ApplicationTests {
  final class Ballot: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var votes: Int
    @Persisted var voters: MutableSet<Int>
  }

  private struct Miscounted: Error {}

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `a program's own model classes keep every promise`(seed: UInt64) throws {
    let report = try simulation(seed).run()
    #expect(report.violations.isEmpty, "\(report)")
    #expect(report.transactions > 0)
  }

  @Test func `the same seed gives the same run of a program`() throws {
    #expect(try simulation(3).run() == simulation(3).run())
  }

  @Test func `what a program finds wrong itself is reported`() throws {
    var report = SimulationReport?.none
    for seed in 1...5 as ClosedRange<UInt64> where report?.violations.isEmpty != false {
      report =
        try Simulation(
          seed: seed, objectTypes: [Ballot.self], write: Self.vote,
          check: { store in if !store.objects(Ballot.self).isEmpty { throw Miscounted() } }
        ).run()
    }
    #expect(report?.violations.contains { $0.kind == .application } == true)
  }

  private func simulation(_ seed: UInt64) -> Simulation {
    Simulation(
      seed: seed, objectTypes: [Ballot.self], write: Self.vote,
      check: { store in
        for ballot in store.objects(Ballot.self) where ballot.votes < ballot.voters.count {
          throw Miscounted()
        }
      })
  }

  /// As many votes as voters, or more where two nodes counted one voter.
  private static func vote(
    _ store: Store, _ random: inout SimulationRandom
  ) throws {
    let name = ["yes", "no"].randomElement(using: &random) ?? ""
    let ballot =
      store.object(ofType: Ballot.self, forPrimaryKey: name)
      ?? store.create(Ballot.self, value: ["name": name])
    ballot.$votes.increment()
    ballot.voters.insert(Int.random(in: 0..<1000, using: &random))
  }
}
