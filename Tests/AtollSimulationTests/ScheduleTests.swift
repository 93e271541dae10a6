import AtollVocabulary
import Testing

@testable import AtollSimulation

@Suite struct ScheduleTests {
  @Test func `what is due comes earliest first, and in order of adding at one instant`() {
    var random = SeededGenerator(seed: 5)
    var schedule = Schedule<Int>()
    let instants = (0..<200).map { _ in UInt64.random(in: 0..<20, using: &random) }
    for (index, instant) in instants.enumerated() {
      schedule.add(index, at: Instant(nanoseconds: instant))
    }
    var found: [Int] = []
    while let (_, index) = schedule.next() { found.append(index) }
    let expected = instants.indices.sorted { (instants[$0], $0) < (instants[$1], $1) }
    #expect(found == expected)
  }

  @Test(arguments: Topology.allCases)
  func `every topology joins all nodes`(topology: Topology) {
    var random = SeededGenerator(seed: 1)
    for count in 2...6 {
      var reached: Set = [0]
      let edges = topology.edges(among: count, using: &random)
      for _ in 0..<count {
        for (a, b) in edges where reached.contains(a) || reached.contains(b) {
          reached.formUnion([a, b])
        }
      }
      #expect(reached.count == count)
    }
  }
}

extension Topology: CustomTestStringConvertible {
  public var testDescription: String { rawValue }
}
