import AtollStorage
import AtollVocabulary

/// Everything a seed decides before the first event.
struct Conditions {
  var nodeCount: Int
  var topology: Topology
  /// The one that dials, and the one that is dialed.
  var edges: [(Int, Int)]
  /// True if links keep the order of frames and lose none, as TCP does; they break all the same.
  var isStream: Bool
  /// Of frames, while accidents happen.
  var lossPercent: Int
  var duplicatePercent: Int
  var longestDelay: Duration
  var transactions: Int
  /// The offset of each node's clock at first.
  var skews: [Duration]
  /// Power is cut only where commits are flushed.
  var durability: StoreOptions.Durability
  /// The version of the model that each node begins with.
  var versions: [Int]
  /// The node of which a running copy may be made.
  var copied: Int
  /// The time in which applications write and accidents happen.
  var activePhase: Duration
  /// A node that comes when the others have written; nil if all are there from the beginning.
  var late: Int?
  /// Changesets from which on a node that has nothing is given a snapshot; nil for never.
  var snapshotChangesets: UInt64?
  /// True if logs are cut below what all are known to have.
  var cutsLogs: Bool

  init(nodes: ClosedRange<Int>, transactions: Int, using random: inout SeededGenerator) {
    // Small clusters more often than large ones.
    nodeCount = (0..<3).reduce(nodes.upperBound) { least, _ in
      min(least, Int.random(in: nodes, using: &random))
    }
    topology = Topology.allCases.randomElement(using: &random) ?? .line
    edges = topology.edges(among: nodeCount, using: &random)
    // Some pairs dial each other at once.
    edges += edges.filter { _ in Int.random(in: 0..<6, using: &random) == 0 }.map { ($0.1, $0.0) }
    isStream = Bool.random(using: &random)
    lossPercent = isStream ? 0 : Int.random(in: 0...30, using: &random)
    duplicatePercent = isStream ? 0 : Int.random(in: 0...50, using: &random)
    longestDelay = .milliseconds(Int.random(in: 1...100, using: &random))
    self.transactions = transactions
    let farClock = Int.random(in: 0..<10, using: &random) == 0
    skews = (0..<nodeCount).map { node in
      farClock && node == 0
        ? .seconds(Int.random(in: 60...120, using: &random))
        : .milliseconds(Int.random(in: -20_000...20_000, using: &random))
    }
    durability = Int.random(in: 0..<4, using: &random) == 0 ? .normal : .full
    versions = (0...nodeCount).map { _ in Int.random(in: Workload.versions, using: &random) }
    copied = Int.random(in: 0..<nodeCount, using: &random)
    activePhase = .seconds(Int.random(in: 10...40, using: &random))
    // Drawn from what is drawn already: a seed without snapshots stays what it was.
    cutsLogs = transactions > 0 && copied.isMultiple(of: 2)
    if Int.random(in: 0..<2, using: &random) == 0 {
      late = Int.random(in: 0..<nodeCount, using: &random)
      snapshotChangesets = UInt64.random(in: 1...40, using: &random)
    }
  }
  /// All nodes are there from the beginning, and have the whole log.
  mutating func doWithoutSnapshots() {
    late = nil
    snapshotChangesets = nil
    cutsLogs = false
  }
}
