/// The work of one run, and the findings of its checkers.
public struct SimulationReport: Sendable, Hashable {
  /// The number that all of the run was drawn from.
  public var seed: UInt64
  /// Replicas in the cluster.
  public var nodes: Int
  /// The topology of the nodes.
  public var topology: String
  /// Write transactions that were committed.
  public var transactions = 0
  /// Frames that nodes sent.
  public var framesSent = 0
  /// Frames that the network lost.
  public var framesLost = 0
  /// Forged frames that a malicious member has sent.
  package var forgeries = 0
  /// Replicas that owners have admitted.
  package var admissions = 0
  /// Requests of members to admit a replica.
  package var requests = 0
  /// Replicas that owners have removed.
  package var removals = 0
  /// Keys that were changed for others.
  package var rotations = 0
  /// Streams that ended within a frame, of which the receiver had a part.
  public var framesCut = 0
  /// Bytes of the frames that were sent.
  public var bytesSent = 0
  /// Nodes that died and were started again.
  public var crashes = 0
  /// Nodes whose file was replaced by an older copy while they were down.
  public var restorations = 0
  /// Files that became older copies of themselves and could not tell.
  public var disksPutBack = 0
  /// Reports that an author has several histories.
  public var forks = 0
  /// Files that went on from a snapshot of another's.
  public var snapshots = 0
  /// Such files that made objects again, since the keys had been deleted where they could not know.
  public var rescues = 0
  /// Changesets that were cut off logs.
  public var truncated = 0
  /// Times that a node reissued what it had written while its clock was ahead.
  public var repairs = 0
  /// Times that the network fell into parts.
  public var partitions = 0
  /// Links that the network ended.
  public var linksCut = 0
  /// Files of running nodes that were copied and started.
  public var copies = 0
  /// Deaths with the power of the machine, and what was not flushed lost.
  public var powerCuts = 0
  /// The points at which nodes died.
  public var faultPoints: Set<FaultPoint> = []
  /// Programs that were started with a newer model.
  public var upgrades = 0
  /// Links between nodes, as configured.
  public var links = 0
  /// Bytes of changesets that each node lacked when the accidents ended, or that others wrote since.
  public var missingBytes = 0
  /// Bytes of frames with changesets that were sent since, not less than before compression.
  public var recoveryBytes = 0
  /// Bytes of frames that only told what others have or lack, since then.
  public var talkBytes = 0
  /// The last events, if a promise was broken.
  public var events: [String] = []
  /// Virtual time from the first event to the last.
  public var duration = Duration.zero
  /// Virtual time from the end of the accidents to equal vectors.
  public var recovery = Duration.zero
  /// Equal in every run of one seed.
  public var traceHash: UInt64 = 0
  /// The common digest of all files at the end, as hexadecimal digits.
  public var digest = ""
  /// Promises that were not kept; empty after a good run.
  public var violations: [Violation] = []

  /// The command that repeats the run.
  private var command: String

  init(seed: UInt64, nodes: Int, topology: String, command: String) {
    self.seed = seed
    self.command = command
    self.nodes = nodes
    self.topology = topology
  }
}

extension SimulationReport: CustomStringConvertible {
  public var description: String {
    var lines = [summary]
    let points = faultPoints.map { "\($0)" }.sorted().joined(separator: ", ")
    if !points.isEmpty { lines.append("  nodes died at \(points)") }
    lines += violations.map { "  \($0)" }
    if !violations.isEmpty {
      lines.append("  To repeat: \(command)")
      lines += ["  the last \(events.count) events:"] + events.map { "    \($0)" }
    }
    lines.append("  trace \(String(traceHash, radix: 16)), digest \(digest.prefix(16))")
    return lines.joined(separator: "\n")
  }

  private var summary: String {
    "seed \(seed): \(nodes) nodes, \(topology), \(transactions) transactions, "
      + "\(framesSent) frames (\(framesLost) lost, \(framesCut) cut), \(crashes) crashes (\(powerCuts) with the "
      + "power), \(restorations) restored, \(copies) copied, \(upgrades) upgraded, "
      + "\(snapshots) snapshots, \(rescues) rescues, \(truncated) changesets cut off, "
      + "\(repairs) clocks repaired, "
      + "\(partitions) partitions, \(linksCut) links cut, \(duration) of virtual time, equal "
      + "\(recovery) after the last accident, with \(recoveryBytes) bytes for \(missingBytes), "
      + "and \(talkBytes) of talk"
  }
}
