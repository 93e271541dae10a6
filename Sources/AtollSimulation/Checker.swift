import AtollChanges
import AtollVocabulary

/// The promises, as functions of what was found.
enum Checker {
  /// Equal vectors give equal heads, digests and exports.
  static func divergence(among states: [ReplicaState]) -> [Violation] {
    var violations: [Violation] = []
    for (index, state) in states.enumerated() {
      guard let other = states[..<index].first(where: { $0.vector == state.vector }) else {
        continue
      }
      let names = "nodes \(other.node) and \(state.node) have both applied \(state.vector)"
      if other.heads != state.heads {
        violations.append(Violation(kind: .divergence, text: "\(names), with different hashes"))
      }
      if other.digest != state.digest || other.stateDigest != state.stateDigest {
        violations.append(
          Violation(
            kind: .divergence,
            text: "\(names), with digests \(other.digest.shortDescription) and "
              + state.digest.shortDescription))
      }
      if !other.export.utf8.elementsEqual(state.export.utf8) {
        violations.append(
          Violation(
            kind: .divergence,
            text: "\(names), with different exports: \(firstDifference(other, state))"))
      }
    }
    return violations
  }

  /// Every changeset that returned to an application, or was announced to others, is in the file.
  static func durability(
    _ state: ReplicaState, _ committed: VersionVector, promised: VersionVector
  ) -> [Violation] {
    [("committed", committed), ("told others of", promised)].compactMap { word, vector in
      guard !state.stored.commonHistories.includes(vector.commonHistories) else { return nil }
      return Violation(
        kind: .durability, text: "node \(state.node) \(word) \(vector), it has \(state.stored)")
    }
  }

  /// Everything that anyone committed, and still had after its file was replaced, is here.
  static func completeness(_ state: ReplicaState, _ everything: VersionVector) -> [Violation] {
    guard !state.vector.commonHistories.includes(everything.commonHistories) else { return [] }
    return [
      Violation(
        kind: .durability,
        text: "all nodes together committed \(everything), node \(state.node) has \(state.vector)")
    ]
  }

  /// To become equal, nodes send no more than three times what they lacked, and talk of it within
  /// measure.
  ///
  /// Missing is, for each node, every changeset that any other has when the accidents end and it has
  /// not, or that another writes afterwards: the changesets' own bytes; and once more whatever came
  /// before the admission of its replica. Sent are whole frames with changesets, from then on; all
  /// others are talk.
  static func economy(_ report: SimulationReport) -> [Violation] {
    // A found fork begins all links of a node anew.
    guard report.forks == 0 else { return [] }
    var texts: [String] = []
    if report.recoveryBytes > 3 * report.missingBytes + linkBytes * report.links {
      texts.append("\(report.missingBytes) bytes were missing, \(report.recoveryBytes) were sent")
    }
    let seconds = 1 + Int(report.recovery.components.seconds)
    if report.talkBytes > talkBytes * report.links * report.nodes * seconds {
      texts.append(
        "\(report.talkBytes) bytes in \(report.recovery) only told what \(report.nodes) nodes have")
    }
    return texts.map { Violation(kind: .liveness, text: $0) }
  }

  /// The allowed cost of a link beside changesets: the author, number, hash and checksum of a
  /// frame, which are more than a small changeset; some were under way when the accidents ended.
  private static let linkBytes = 256

  /// The allowed bytes of announcements on a link in a second, both ways, for each node: that of
  /// one with a dozen authors in its vector takes half of it.
  private static let talkBytes = 1024

  /// An observer heard of every commit once, and of nothing that is not there.
  static func observation(
    _ node: Int, _ problems: [String], seen: VersionVector, stored: VersionVector
  ) -> [Violation] {
    var texts = problems
    if seen != stored { texts.append("its observer has heard of \(seen), stored is \(stored)") }
    return texts.map { Violation(kind: .observation, text: "node \(node): \($0)") }
  }

  /// Transfers move and never make: a sum that differs is a transaction seen in part.
  static func conservation(_ node: Int, sum: Int64, expected: Int64) -> [Violation] {
    guard sum != expected else { return [] }
    return [
      Violation(
        kind: .observation, text: "node \(node): its accounts hold \(sum), expected \(expected)")
    ]
  }

  static func integrity(_ node: Int, _ findings: [String]) -> [Violation] {
    findings.map { Violation(kind: .integrity, text: "node \(node): \($0)") }
  }

  private static func firstDifference(_ one: ReplicaState, _ two: ReplicaState) -> String {
    let first = one.export.split(separator: "\n", omittingEmptySubsequences: false)
    let second = two.export.split(separator: "\n", omittingEmptySubsequences: false)
    for (a, b) in zip(first, second) where a != b { return "\(a) / \(b)" }
    return "\(first.count) and \(second.count) lines"
  }
}
