/// What one run did and what its checkers found.
public struct SimulationReport: Sendable, Hashable {
  public var seed: UInt64
  public var nodes: Int
  public var topology: String
  public var transactions = 0
  public var framesSent = 0
  public var framesLost = 0
  public var bytesSent = 0
  public var crashes = 0
  /// Nodes whose file was replaced by an older copy while they were down.
  public var restorations = 0
  public var partitions = 0
  public var linksCut = 0
  /// Virtual time from the first event to the last.
  public var duration = Duration.zero
  /// Virtual time from the end of the accidents to equal vectors.
  public var recovery = Duration.zero
  /// Equal in every run of one seed.
  public var traceHash: UInt64 = 0
  /// The common digest of all files at the end, as hexadecimal digits.
  public var digest = ""
  public var violations: [Violation] = []

  init(seed: UInt64, nodes: Int, topology: String) {
    self.seed = seed
    self.nodes = nodes
    self.topology = topology
  }
}

extension SimulationReport: CustomStringConvertible {
  public var description: String {
    let summary =
      "seed \(seed): \(nodes) nodes, \(topology), \(transactions) transactions, "
      + "\(framesSent) frames (\(framesLost) lost), \(crashes) crashes, \(restorations) restored, \(partitions) partitions, "
      + "\(linksCut) links cut, \(duration) of virtual time, equal \(recovery) after the last accident"
    let findings = violations.map { "\n  \($0)" }.joined()
    return summary + (violations.isEmpty ? "" : findings)
      + "\n  trace \(String(traceHash, radix: 16)), digest \(digest.prefix(16))"
  }
}
