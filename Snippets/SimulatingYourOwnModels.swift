// The code of the page "Simulating your own models". `Tests/HouseTests` sees that every block of the
// page stands here, and `Tests/SnippetTests` runs it.

import Atoll
import AtollSimulation

final class Ballot: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var votes: Int
  @Persisted var voters: MutableSet<Int>
}

struct Miscounted: Error {}

for seed in 1...100 as ClosedRange<UInt64> {
  let simulation = Simulation(
    seed: seed, nodes: 2...4, transactions: 20, objectTypes: [Ballot.self]
  ) {
    store, random in
    let ballot = store.create(Ballot.self, value: ["name": "yes"], update: .modified)
    ballot.$votes.increment()
    ballot.voters.insert(Int.random(in: 0..<50, using: &random))
  } check: { store in
    for ballot in store.objects(Ballot.self) where ballot.votes < ballot.voters.count {
      throw Miscounted()
    }
  }
  let report = try simulation.run()
  if !report.violations.isEmpty { print(report) }
}
print("100 seeds")
