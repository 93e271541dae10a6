import Foundation

/// The work of a run, its faults and its results.
struct FaultReport: Codable {
  /// One node's part.
  struct Node: Codable {
    var name: String
    /// Transactions that its writers were told are committed.
    var acknowledged: Int
    /// Transactions whose loss a restored backup would have explained.
    var excused: Int
    var restored: Int
    /// The most changesets that it lacked at a time.
    var greatestLag: UInt64
  }

  var settings: FaultRun.Settings
  var nodes: [Node]
  var faults: [PlannedFault]
  var samples: [LagWatch.Sample]
  var secondsOfWriting: Double
  /// From the end of the last fault and of all writing; nil if the nodes never came to be equal.
  var secondsUntilEqual: Double?
  /// The promises that were not kept.
  var broken: [String]

  init(
    settings: FaultRun.Settings, nodes: [FaultyNode], faults: [PlannedFault],
    samples: [LagWatch.Sample], secondsOfWriting: Double, secondsUntilEqual: Double?,
    broken: [String]
  ) {
    self.settings = settings
    self.nodes = nodes.map { node in
      Node(
        name: node.name, acknowledged: node.writers.reduce(0) { $0 + $1.acknowledged },
        excused: node.writers.flatMap(\.excused).reduce(0) { $0 + $1.count },
        restored: node.restored,
        greatestLag: samples.compactMap { $0.behind[node.number] }.max() ?? 0)
    }
    self.faults = faults
    self.samples = samples
    self.secondsOfWriting = secondsOfWriting
    self.secondsUntilEqual = secondsUntilEqual
    self.broken = broken
  }

  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}

extension FaultReport: CustomStringConvertible {
  var description: String {
    let counts = FaultKind.allCases.compactMap { kind in
      let count = faults.count { $0.kind == kind }
      return count == 0 ? nil : "\(count) \(kind.rawValue)"
    }
    var lines = ["faults     " + (counts.isEmpty ? "none" : counts.joined(separator: ", "))]
    for node in nodes {
      let excuse =
        node.restored == 0
        ? "" : "; restored \(node.restored) times, which may take \(node.excused) with it"
      lines.append(
        "  \(node.name)  \(node.acknowledged) transactions acknowledged, "
          + "at most \(node.greatestLag) behind\(excuse)")
    }
    let equal = secondsUntilEqual.map { String(format: "%.1f s after the last fault", $0) }
    lines.append("equal      \(equal ?? "never")")
    lines += broken.map { "BROKEN     \($0)" }
    if broken.isEmpty { lines.append("kept       every promise") }
    return lines.joined(separator: "\n")
  }
}
