/// Something that keeps a node from doing its work, or that a person should look at.
///
/// Each kind has one severity, one remedy and a test that brings it about with a real daemon
/// (`Tests/AtollDaemonTests/HealthTests.swift`); the runbook lists them all. A condition is logged once
/// when it begins and once when it ends, counted by the metric `condition`, listed by `/health`, and
/// decides the exit code of `atoll status`.
package struct HealthCondition: Codable, Hashable, Sendable {
  package let kind: Kind
  /// The state found, without the remedy.
  package var sentence: String

  package init(_ kind: Kind, _ sentence: String) {
    self.kind = kind
    self.sentence = sentence
  }

  /// The part of its work that a node does while a condition lasts.
  package enum Severity: String, Codable, Comparable, Sendable {
    /// The node works; a person should look at something.
    case degraded
    /// Something that the node is there for is not done.
    case failing

    package static func < (a: Severity, b: Severity) -> Bool { a == .degraded && b == .failing }
  }

  /// The conditions that there are, by the name that they are told under.
  package enum Kind: String, Codable, CaseIterable, Sendable {
    case daemonGone = "daemon-gone"
    case daemonSilent = "daemon-silent"
    case loopBlocked = "loop-blocked"
    case storeNotOpened = "store-not-opened"
    case fileReplaced = "file-replaced"
    case fileDamaged = "file-damaged"
    case fileNotRead = "file-not-read"
    case fileNotWritten = "file-not-written"
    case diskFull = "disk-full"
    case removed = "removed"
    case leftBehind = "left-behind"
    case declinedByAll = "declined-by-all"
    case declinedByPeer = "declined-by-peer"
    case diverged = "diverged"
    case modifiedExternally = "modified-externally"
    case ownClockAhead = "own-clock-ahead"
    case deferredByClock = "deferred-by-clock"
    case changesetRefused = "changeset-refused"
    case peerTakesNothing = "peer-takes-nothing"
    case noPeerReachable = "no-peer-reachable"
  }
}

extension HealthCondition.Kind {
  /// Those that one store has; the others are of a process or a node.
  package static let ofStores = allCases.filter {
    ![.daemonGone, .daemonSilent, .loopBlocked, .storeNotOpened].contains($0)
  }

  package var severity: HealthCondition.Severity {
    switch self {
    case .daemonGone, .daemonSilent, .loopBlocked, .storeNotOpened, .fileReplaced, .fileDamaged,
      .fileNotRead, .fileNotWritten, .diskFull, .removed, .leftBehind, .declinedByAll:
      .failing
    case .declinedByPeer, .diverged, .modifiedExternally, .ownClockAhead, .deferredByClock,
      .changesetRefused, .peerTakesNothing, .noPeerReachable:
      .degraded
    }
  }

  /// The action to take, as a sentence.
  package var remedy: String {
    switch self {
    case .daemonGone: "Start it again; its log tells more."
    case .daemonSilent: "Look at its log and at the state of the process."
    case .loopBlocked: "Report it with a stack of each thread (`gdb -p`, `eu-stack -p`)."
    case .storeNotOpened: "Mend what the sentence names, and reload the settings."
    case .fileReplaced:
      "Stop the daemon and the applications, see that the right file is at the path, and start them. "
        + "Restore with `atoll restore`, copy with `atoll clone`."
    case .fileDamaged:
      "Stop the daemon, run `atoll verify`, and restore a backup or clone a peer's store."
    case .fileNotRead: "Look at the disk and at the permissions of the file."
    case .fileNotWritten: "Look at the disk and at the permissions of the file and its folder."
    case .diskFull: "Make room; the exchange goes on by itself."
    case .removed:
      "Export what it has alone, make a new replica with `atoll clone` or `atoll join`, and have an owner admit that."
    case .leftBehind:
      "Export what this replica, or the peer, has alone, make it anew with `atoll clone` or `atoll join`, and import "
        + "that there. See that who is retired does not write any more."
    case .declinedByAll, .declinedByPeer:
      "Ask the operators of those peers to give this node the role `write` (`atoll peer add --role write`), or, "
        + "if the store has owners, one of them to admit this replica (`atoll admit`)."
    case .diverged:
      "`atoll verify` on both finds the wrong one, `atoll verify --against` the objects; restore or clone "
        + "over the wrong one."
    case .modifiedExternally:
      "`atoll verify` names the rows; restore a backup or clone a peer's store."
    case .ownClockAhead: "If the clock is right, run `atoll clock repair`."
    case .deferredByClock:
      "Set the clock of that replica; `atoll clock repair` there, or `atoll clock release` here, ends "
        + "the wait."
    case .changesetRefused: "Update the older of the two programs; report it with the changeset."
    case .peerTakesNothing: "Look at the disk of that peer."
    case .noPeerReachable: "Check the addresses, the network, and that the peers run."
    }
  }
}

extension HealthCondition {
  /// An owner of the store has removed this replica, as its own file says.
  package static let removed = HealthCondition(
    .removed, "an owner of the store has removed this replica: what it writes counts for nothing")
}

extension HealthCondition: CustomStringConvertible {
  package var description: String { "\(kind.rawValue): \(sentence). \(kind.remedy)" }
}

extension HealthCondition {
  /// A condition with everything that is known of its kind, as `/health` and `atoll status` write it.
  package struct Report: Codable, Hashable, Sendable {
    package let name: String
    package let severity: String
    package let sentence: String
    package let remedy: String

    package init(_ condition: HealthCondition) {
      name = condition.kind.rawValue
      severity = condition.kind.severity.rawValue
      sentence = condition.sentence
      remedy = condition.kind.remedy
    }
  }
}

extension [HealthCondition] {
  /// The severity of the worst; nil if there are none.
  package var severity: HealthCondition.Severity? { map(\.kind.severity).max() }

  /// `ok`, `degraded` or `failing`.
  package var verdict: String { severity?.rawValue ?? "ok" }
}
