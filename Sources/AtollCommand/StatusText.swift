import AtollInspect
import AtollPresence
import AtollVocabulary

/// The status of a store as lines for people.
struct StatusText {
  let report: StatusReport
  /// The state of the node that serves the store, of which the report has the part for programs.
  let service: ServiceState

  var lines: [String] {
    var lines = ["store    \(report.store)", "replica  \(report.replica)"]
    if let name = report.name { lines.append("name     \(name)") }
    if let admitted = report.admittedAs { lines.append(Self.member(admitted)) }
    if let requests = report.admissionRequests {
      let waiting = requests == 1 ? "1 replica waits" : "\(requests) replicas wait"
      lines.append("requests \(waiting) for an owner's admission: `atoll members`")
    }
    lines += (report.names ?? [:]).sorted { $0.key < $1.key }
      .filter { !report.replica.hasPrefix($0.key) }
      .map { "named    \($0.key.prefix(8)) is \($0.value)" }
    lines += report.objects.sorted { $0.key < $1.key }.map { "objects  \($0.value) \($0.key)" }
    lines.append("applied  \(Self.vector(report.applied))")
    if let deferred = report.deferred {
      lines.append("stored   \(Self.vector(report.stored ?? [:]))")
      lines += deferred.map(\.line)
    }
    if let ahead = report.ahead { lines.append(Self.warning(ahead)) }
    if let digest = report.digest { lines.append("digest   \(digest)") }
    lines += (report.clashes ?? []).map(\.line) + (report.forks ?? []).map(\.line)
    return lines + Self.lines(service) + (report.conditions ?? []).map(\.line)
  }

  /// The line that says as what owners have admitted this replica.
  private static func member(_ admitted: String) -> String {
    switch admitted {
    case "nothing":
      "member   no: what is written here counts nowhere else until an owner runs `atoll admit`"
    case "requested":
      "member   not yet: owners are asked; until one runs `atoll admit`, what is written here counts nowhere else"
    case "removed": "member   removed by an owner: nothing can be written here any more"
    default: "member   \(admitted)"
    }
  }

  /// Sequence numbers by author, in the form in which people read a version vector.
  private static func vector(_ sequences: [String: UInt64]) -> VersionVector {
    VersionVector(
      sequences.compactMap { text, sequence in
        Author(text).map {
          VersionVector.Entry(author: $0, sequence: SequenceNumber(sequence))
        }
      })
  }

  private static func warning(_ ahead: Int64) -> String {
    "warning  this replica's own time is \(Duration.milliseconds(ahead)) too far ahead of its clock: "
      + "others hold what it writes and do not apply it. If the clock is right, run `atoll clock repair`"
  }
}

extension StatusReport.Deferred {
  fileprivate var line: String {
    let reason =
      if lastAhead > 0 {
        "stamped up to \(Duration.milliseconds(lastAhead)) ahead of this clock"
      } else if awaitsRest {
        "of a transaction whose rest has still to come"
      } else {
        "stamped after others that are ahead of this clock"
      }
    return "waiting  \(changesets) changesets of \(AuthorName.text(author, name)), \(reason)"
  }
}

extension StatusReport.Clash {
  fileprivate var line: String {
    let name = property.map { "\(`class`).\($0)" } ?? `class`
    let declared = types.sorted { $0.key < $1.key }.map { type, authors in
      "\(type) by \(authors.joined(separator: ", "))"
    }
    return "clash    \(name) is declared \(declared.joined(separator: "; "))"
  }
}

extension StatusReport.Fork {
  fileprivate var line: String {
    "forked   \(AuthorName.text(author, name)) at changeset \(sequence), which is "
      + "\(hashes.joined(separator: " and ")); all are kept"
  }
}

extension HealthCondition.Report {
  fileprivate var line: String { "\(severity.uppercased()) \(name): \(sentence). \(remedy)" }
}

// MARK: The node that serves the store

extension StatusText {
  private static func lines(_ service: ServiceState) -> [String] {
    switch service {
    case .nobody: ["served   by nobody"]
    case .serving(let status): lines(status)
    case .ended(let status):
      [
        "served   by nobody",
        "BROKEN   \(status.agent), process \(status.processID), ended without saying so: it was killed, "
          + "or the machine went down. Start it again; its log tells more",
      ]
    case .silent(let status, let time):
      lines(status) + [
        "BROKEN   it has said nothing for \(time): it is stopped, blocked, or waits for its disk. What "
          + "stands above is as old. Look at the log and the state of process \(status.processID)"
      ]
    case .unreadable(let words):
      ["BROKEN   somebody serves the store, and how is not known: \(words)"]
    }
  }

  private static func lines(_ service: StoreStatus) -> [String] {
    let address = service.listening.map { ", listening at \($0)" } ?? ""
    return ["served   by \(service.agent), process \(service.processID)\(address)"]
      + (service.modifiedExternally.map {
        ["MODIFIED externally: rows of \($0.joined(separator: ", "))"]
      } ?? [])
      + (service.isPaused == true ? ["PAUSED   `atoll resume` has exchange go on"] : [])
      + (service.diskFull.map { ["DISK FULL nothing of peers is applied: \($0)"] } ?? [])
      + (service.window.map { ["memory   each peer may have \($0) bytes on their way"] } ?? [])
      + (service.identity.map { ["identity \($0)"] } ?? [])
      + (service.bootstrap.map { ["taking   \(line($0))"] } ?? [])
      + (service.backfill.map { ["history  \($0) older changesets have still to come"] } ?? [])
      + (service.truncation.map {
        ["cut      \($0.changesets) changesets, \($0.bytes) bytes, went from the log"]
      } ?? [])
      + service.peers.map { "peer     \(line($0))" }
      + (service.pending ?? []).map {
        "PENDING  \($0.identity), which calls itself \($0.name), from \($0.address): "
          + "`atoll peer accept` lets it in"
      }
  }

  private static func line(_ taking: StoreStatus.Bootstrap) -> String {
    let percent = 100 * taking.bytes / max(taking.of, 1)
    let objects = taking.objects * UInt64(percent) / 100
    return "a snapshot from \(taking.from): "
      + (taking.isInstalling
        ? "installing \(taking.objects) objects"
        : "\(percent) % of \(taking.of) bytes, about \(objects) of \(taking.objects) objects")
  }

  private static func line(_ peer: StoreStatus.Peer) -> String {
    let state = peer.isConnected ? "connected" : "not connected"
    let behind = peer.behind.map { $0 == 0 ? ", has everything" : ", lacks \($0) changesets" }
    let clock = peer.clockAhead.flatMap(clockText) ?? ""
    let error = peer.isConnected ? nil : peer.lastError.map { ": \($0)" }
    let declined = peer.declined.map { ", TAKES NOTHING of \($0)" } ?? ""
    let leftOut = peer.leftOut.map { ", NOTHING IS TAKEN of \($0)" } ?? ""
    let diskFull = peer.diskFull.map { ", TAKES NOTHING: \($0)" } ?? ""
    let divergence = peer.divergence.map { ", DIVERGED: \($0)" } ?? ""
    let name = peer.name.map { "\($0) at " } ?? ""
    return
      "\(name)\(peer.address) \(state)\(behind ?? "")\(clock)\(declined)\(leftOut)\(diskFull)"
      + divergence
      + (error ?? "")
  }

  /// The words for a clock that is off; nil while it is right enough.
  static func clockText(ahead milliseconds: Int64) -> String? {
    guard milliseconds.magnitude >= 1000 else { return nil }
    let seconds = Double(milliseconds.magnitude) / 1000
    let amount =
      seconds < 120 ? "\((seconds * 10).rounded() / 10) s" : "\(Int(seconds / 60)) minutes"
    return ", its CLOCK is \(amount) \(milliseconds > 0 ? "ahead" : "behind")"
  }
}
