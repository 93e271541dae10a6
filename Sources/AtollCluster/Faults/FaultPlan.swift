import AtollVocabulary

/// The plan of the faults: a seed decides it before anything begins.
struct FaultPlan {
  let faults: [PlannedFault]

  /// The length of a fault, in seconds; a restore takes the node back by as much.
  private static let lengths = 2.0...8.0
  /// From one fault's beginning to the next one's.
  private static let pauses = 0.5...3.0
  /// The undisturbed time at the beginning and at the end, so that there is something to lose.
  private static let calm = 2.0

  /// Plans faults of `kinds` for the time that applications write; a node suffers one at a time.
  init(
    _ kinds: [FaultKind], nodes: Int, seconds: Double, using random: inout SeededGenerator
  ) {
    var faults: [PlannedFault] = []
    var isFreeAt = [Double](repeating: Self.calm, count: nodes)
    var time = Self.calm
    while time < seconds - Self.calm, let kind = kinds.randomElement(using: &random) {
      let end = min(seconds, time + .random(in: Self.lengths, using: &random))
      let node = Int.random(in: 0..<nodes, using: &random)
      let variant = random.next()
      if isFreeAt[node] <= time {
        faults.append(
          PlannedFault(kind: kind, node: node, begin: time, end: end, variant: variant))
        isFreeAt[node] = end + 0.5
      }
      time += .random(in: Self.pauses, using: &random)
    }
    self.faults = faults
  }

  /// Beginnings and ends in the order of their times.
  var events: [(time: Double, fault: PlannedFault, isBeginning: Bool)] {
    faults.flatMap { [($0.begin, $0, true), ($0.end, $0, false)] }.sorted { $0.0 < $1.0 }
  }
}
