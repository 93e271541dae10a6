import AtollChanges
import AtollNode
import AtollPresence
import AtollStorage
import AtollVocabulary

/// What `atoll status` tells, as text and, encoded, as JSON.
struct StatusReport: Encodable {
  let store: String
  let replica: String
  /// What this replica is called; nil if nobody said.
  let name: String?
  /// The names of the replicas that have written here, by id; nil if none has one.
  let names: [String: String]?
  /// Live objects by class name; classes of one name are counted together.
  let objects: [String: Int]
  /// The last applied changeset of each author.
  let applied: [String: UInt64]
  /// The last held changeset of each author; nil if everything held is applied.
  let held: [String: UInt64]?
  /// Authors with deferred changesets, which are stored and not applied yet; nil if there are none.
  let deferred: [Deferred]?
  /// How many milliseconds this replica's own time is ahead of what others accept; nil if it is not.
  let ahead: Int64?
  let digest: String?
  /// Names under which authors declared different types; nil if there are none.
  let clashes: [Clash]?
  /// Authors with several histories, since a disk was put back; nil if there are none.
  let forks: [Fork]?
  /// The node that serves the store; nil if nobody does, or it is not well.
  let servedBy: StoreStatus?
  /// How the node is: `serving`, `ended` without a word, `silent`, or `unreadable`; nil if there is
  /// none.
  let daemon: String?
  /// `ok`, `degraded` or `failing`, by the worst of the conditions.
  let health: String
  /// What keeps the store or its node from their work, or a person should look at.
  let conditions: [HealthCondition.Report]?
  /// As found.
  let found: [HealthCondition]
  private let service: ServiceState
  private let vector: VersionVector
  private let heldVector: VersionVector

  private enum CodingKeys: String, CodingKey {
    case store, replica, name, names, objects, applied, held, deferred, ahead, digest, clashes
    case forks, servedBy, daemon, health, conditions
  }

  /// The deferred changesets of one author.
  struct Deferred: Encodable {
    let author: String
    /// What the author's replica is called; nil if nobody said.
    let name: String?
    let changesets: Int
    /// How far its first and last stamp are ahead of this clock, in milliseconds.
    let firstAhead: Int64
    let lastAhead: Int64
    /// Whether they wait for the rest of their transaction.
    let awaitsRest: Bool

    init(_ deferred: DeferredChangesets, _ names: ReplicaNames) {
      author = "\(deferred.author)"
      name = names[deferred.author.replica]
      changesets = deferred.count
      firstAhead = Int64(deferred.firstAhead / .milliseconds(1))
      lastAhead = Int64(deferred.lastAhead / .milliseconds(1))
      awaitsRest = deferred.awaitsRest
    }

    var line: String {
      let reason =
        if lastAhead > 0 {
          "stamped up to \(Duration.milliseconds(lastAhead)) ahead of this clock"
        } else if awaitsRest {
          "of a transaction whose rest has still to come"
        } else {
          "stamped after others that are ahead of this clock"
        }
      return "waiting  \(changesets) changesets of \(name.map { "\($0) (\(author))" } ?? author), "
        + reason
    }
  }

  /// One name, and who declared which type under it.
  struct Clash: Encodable {
    let `class`: String
    let property: String?
    /// Authors by type.
    let types: [String: [String]]
    fileprivate let line: String

    private enum CodingKeys: String, CodingKey {
      case `class`, property, types
    }

    init(_ clash: SchemaClash) {
      `class` = clash.className
      property = clash.property
      types = Dictionary(
        clash.variants.map { ($0.type, $0.authors.map(\.description)) }, uniquingKeysWith: +)
      line = "clash    \(clash)"
    }
  }

  /// An author whose history divides.
  struct Fork: Encodable {
    let author: String
    /// What the author's replica is called; nil if nobody said.
    let name: String?
    /// The first number that stands for several changesets.
    let sequence: UInt64
    /// Of these changesets.
    let hashes: [String]

    init(_ fork: HistoryFork, _ names: ReplicaNames) {
      author = "\(fork.author)"
      name = names[fork.author.replica]
      sequence = fork.firsts.first?.sequence.rawValue ?? 0
      hashes = fork.firsts.map { "\($0.hash)" }
    }

    var line: String {
      "forked   \(name.map { "\($0) (\(author))" } ?? author) at changeset \(sequence), which is "
        + "\(hashes.joined(separator: " and ")); all are kept"
    }
  }

  /// Reads what there is to tell, on one snapshot.
  init(_ file: StoreFile, withDigest: Bool) throws {
    try file.beginRead()
    store = "\(file.storeID)"
    replica = "\(file.author)"
    let names = try file.replicaNames()
    name = names[file.author.replica]
    objects = Dictionary(
      try file.counts().map { ($0.class.name, $0.objects) }, uniquingKeysWith: +)
    vector = try file.appliedVector()
    applied = Dictionary(
      vector.entries.map { ("\($0.author)", $0.sequence.rawValue) }, uniquingKeysWith: max)
    heldVector = try file.holdings().held
    let named = heldVector.entries.map(\.author.replica).compactMap { replica in
      names[replica].map { ("\(replica)", $0) }
    }
    self.names = named.isEmpty ? nil : Dictionary(named) { $1 }
    let waiting = try file.deferredChangesets().map { Deferred($0, names) }
    deferred = waiting.isEmpty ? nil : waiting
    held =
      waiting.isEmpty
      ? nil
      : Dictionary(
        heldVector.entries.map { ("\($0.author)", $0.sequence.rawValue) }, uniquingKeysWith: max)
    ahead = try file.ownTimeAhead().map { Int64($0 / .milliseconds(1)) }
    digest = withDigest ? "\(try file.digest())" : nil
    let clashes = try file.schemaClashes().map(Clash.init)
    self.clashes = clashes.isEmpty ? nil : clashes
    let forks = try file.forks().map { Fork($0, names) }
    self.forks = forks.isEmpty ? nil : forks
    service = ServiceState(ofStoreAt: file.path, at: SystemClock.wallTime().milliseconds)
    (daemon, servedBy) = Self.facts(service)
    found = Self.conditions(of: service, of: try Self.clockConditions(of: file))
    health = found.verdict
    conditions = found.isEmpty ? nil : found.map(HealthCondition.Report.init)
  }

  /// The conditions that can be read from the file alone.
  private static func clockConditions(of file: StoreFile) throws -> [HealthCondition] {
    HealthCondition.ofClocks(
      timeAhead: try file.ownTimeAhead(),
      deferred: try file.deferredChangesets().compactMap {
        DeferredByClock($0.author, count: $0.count, ahead: $0.lastAhead)
      })
  }

  /// The conditions that a node tells, that its silence tells, and that the file tells by itself.
  private static func conditions(
    of service: ServiceState, of file: [HealthCondition]
  ) -> [HealthCondition] {
    var found = service.status?.conditions ?? []
    switch service {
    case .nobody, .serving: break
    case .ended(let status):
      // What it saw of others ended with it.
      found = [
        HealthCondition(
          .daemonGone,
          "\(status.agent), process \(status.processID), ended without saying so: it was killed, or "
            + "the machine went down")
      ]
    case .silent(let status, let time):
      found.append(
        HealthCondition(
          .daemonSilent, "process \(status.processID) has said nothing for \(time)"))
    case .unreadable(let words):
      found.append(
        HealthCondition(
          .daemonSilent, "somebody serves the store, and how is not known: \(words)"))
    }
    return found + file.filter { condition in !found.contains { $0.kind == condition.kind } }
  }

  /// The lines for people.
  var lines: [String] {
    var lines = ["store    \(store)", "replica  \(replica)"]
    if let name { lines.append("name     \(name)") }
    lines += (names ?? [:]).sorted { $0.key < $1.key }.filter { !replica.hasPrefix($0.key) }
      .map { "named    \($0.key.prefix(8)) is \($0.value)" }
    lines += objects.sorted { $0.key < $1.key }.map { "objects  \($0.value) \($0.key)" }
    lines.append("applied  \(vector)")
    if let deferred {
      lines.append("held     \(heldVector)")
      lines += deferred.map(\.line)
    }
    if let ahead { lines.append(Self.warning(ahead)) }
    if let digest { lines.append("digest   \(digest)") }
    lines += (clashes ?? []).map(\.line) + (forks ?? []).map(\.line)
    return lines + Self.lines(service)
      + found.map { "\($0.kind.severity.rawValue.uppercased()) \($0)" }
  }

  private static func warning(_ ahead: Int64) -> String {
    "warning  this replica's own time is \(Duration.milliseconds(ahead)) too far ahead of its clock: "
      + "others hold what it writes and do not apply it. If the clock is right, run `atoll clock repair`"
  }

  private static func facts(_ service: ServiceState) -> (String?, StoreStatus?) {
    switch service {
    case .nobody: (nil, nil)
    case .serving(let status): ("serving", status)
    case .ended: ("ended", nil)
    case .silent: ("silent", nil)
    case .unreadable: ("unreadable", nil)
    }
  }

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

  /// What people should know of a clock that is off; nil while it is right enough.
  static func clockText(ahead milliseconds: Int64) -> String? {
    guard milliseconds.magnitude >= 1000 else { return nil }
    let seconds = Double(milliseconds.magnitude) / 1000
    let amount =
      seconds < 120 ? "\((seconds * 10).rounded() / 10) s" : "\(Int(seconds / 60)) minutes"
    return ", its CLOCK is \(amount) \(milliseconds > 0 ? "ahead" : "behind")"
  }
}
