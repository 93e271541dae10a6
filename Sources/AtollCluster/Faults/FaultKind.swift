import ArgumentParser

/// The faults of one node of a cluster.
enum FaultKind: String, CaseIterable, Codable, ExpressibleByArgument, Sendable {
  /// The daemon, or an application beside it, ends with SIGKILL, and comes back.
  case kill
  /// The daemon is stopped by a signal, so that its sockets stay open and nobody answers.
  case pause
  /// No byte passes on any of the node's links, or all of them are broken.
  case partition
  /// The node's links are late and narrow.
  case slow
  /// The node's applications live up to 45 seconds ahead of the others, or behind.
  case clock
  /// The daemon can make no file longer: what it has to write fails.
  case diskFull = "disk-full"
  /// The store is restored from an earlier backup of itself.
  case restore
}

/// A fault at its time.
struct PlannedFault: Codable, Sendable {
  var kind: FaultKind
  var node: Int
  /// Seconds after the start.
  var begin: Double
  var end: Double
  /// Decides between what a kind leaves open.
  var variant: UInt64
}
