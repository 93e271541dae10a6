package import AtollPresence
import AtollChanges
import AtollStorage
import AtollVocabulary

/// A store's identity, its contents and the node that serves it; the JSON of `atoll status`.
package struct StatusReport: Codable, Hashable, Sendable {
  package let store: String
  package let replica: String
  /// The name of this replica; nil if nobody named it.
  package let name: String?
  /// The word for this replica's admission: `founder`, `owner`, `writer`, `requested`, or `nothing`; nil if the store
  /// has no owners.
  package let admittedAs: String?
  /// The number of replicas that wait for their admission; nil if none does.
  package let admissionRequests: Int?
  /// The names of the replicas that have written here, by id; nil if none has one.
  package let names: [String: String]?
  /// Live objects by class name; classes of one name are counted together.
  package let objects: [String: Int]
  /// The last applied changeset of each author.
  package let applied: [String: UInt64]
  /// The last stored changeset of each author; nil if all that is stored is applied.
  package let stored: [String: UInt64]?
  /// Authors with deferred changesets, which are stored and not applied yet; nil if there are none.
  package let deferred: [Deferred]?
  /// Milliseconds by which this replica's own time is ahead of what others accept; nil if it is not.
  package let ahead: Int64?
  package let digest: String?
  /// Names under which authors declared different types; nil if there are none.
  package let clashes: [Clash]?
  /// Authors with several histories, since a disk was rolled back; nil if there are none.
  package let forks: [Fork]?
  /// The last words of the node that serves the store; nil if there is none, or it is not well.
  package let servedBy: StoreStatus?
  /// The state of the node: `serving`, `ended` without a word, `silent`, or `unreadable`; nil if there
  /// is none.
  package let daemon: String?
  /// `ok`, `degraded` or `failing`, by the worst of the conditions.
  package let health: String
  /// Conditions that keep the store or its node from their work, or that a person should look at; nil if
  /// there are none.
  package let conditions: [HealthCondition.Report]?

  /// The severity of the worst condition; nil if there are none.
  package var severity: HealthCondition.Severity? { HealthCondition.Severity(rawValue: health) }

  /// The deferred changesets of one author.
  package struct Deferred: Codable, Hashable, Sendable {
    package let author: String
    /// The name of the author's replica; nil if nobody named it.
    package let name: String?
    package let changesets: Int
    /// Milliseconds by which its first and last stamp are ahead of this clock.
    package let firstAhead: Int64
    package let lastAhead: Int64
    /// True if they wait for the rest of their transaction.
    package let awaitsRest: Bool

    init(_ deferred: DeferredChangesets, _ names: ReplicaNames) {
      author = "\(deferred.author)"
      name = names[deferred.author.replica]
      changesets = deferred.count
      firstAhead = Int64(deferred.firstAhead / .milliseconds(1))
      lastAhead = Int64(deferred.lastAhead / .milliseconds(1))
      awaitsRest = deferred.awaitsRest
    }
  }

  /// One name, with the authors of each type that was declared under it.
  package struct Clash: Codable, Hashable, Sendable {
    package let `class`: String
    /// Nil if classes of one name differ: by their key, or in that one of them is embedded.
    package let property: String?
    /// Authors by type.
    package let types: [String: [String]]

    init(_ clash: SchemaClash) {
      `class` = clash.className
      property = clash.property
      types = Dictionary(
        clash.variants.map { ($0.type, $0.authors.map(\.description)) }, uniquingKeysWith: +)
    }
  }

  /// An author whose history divides.
  package struct Fork: Codable, Hashable, Sendable {
    package let author: String
    /// The name of the author's replica; nil if nobody named it.
    package let name: String?
    /// The first number that stands for several changesets.
    package let sequence: UInt64
    /// Of these changesets.
    package let hashes: [String]

    init(_ fork: HistoryFork, _ names: ReplicaNames) {
      author = "\(fork.author)"
      name = names[fork.author.replica]
      sequence = fork.firsts.first?.sequence.rawValue ?? 0
      hashes = fork.firsts.map { "\($0.hash)" }
    }
  }
}

extension Inspection {
  /// The status of the store.
  ///
  /// - Parameters:
  ///   - service: The state of its node, of which ``service`` is the present one.
  ///   - withDigest: Also computes the digest of all objects, which reads them.
  /// - Returns: The status, on one snapshot of the file.
  /// - Throws: `StorageError` if the file cannot be read.
  package func status(_ service: ServiceState, withDigest: Bool = false) throws -> StatusReport {
    try atOneMoment { try StatusReport(file, service, withDigest: withDigest) }
  }
}

extension StatusReport {
  fileprivate init(_ file: StoreFile, _ service: ServiceState, withDigest: Bool) throws {
    store = "\(file.storeID)"
    replica = "\(file.author)"
    let names = try file.replicaNames()
    name = names[file.author.replica]
    admittedAs =
      file.storeID.isOwned ? try AdmissionRow.word(for: file.author.replica, in: file) : nil
    let requests = try AdmissionRequests(of: file).pending().count
    admissionRequests = requests == 0 ? nil : requests
    objects = Dictionary(
      try file.counts().map { ($0.class.name, $0.objects) }, uniquingKeysWith: +)
    applied = Self.sequences(try file.appliedVector())
    let stored = try file.holdings().stored
    let named = stored.entries.map(\.author.replica).compactMap { replica in
      names[replica].map { ("\(replica)", $0) }
    }
    self.names = named.isEmpty ? nil : Dictionary(named) { $1 }
    let waiting = try file.deferredChangesets()
    deferred = waiting.isEmpty ? nil : waiting.map { Deferred($0, names) }
    self.stored = waiting.isEmpty ? nil : Self.sequences(stored)
    let timeAhead = try file.ownTimeAhead()
    ahead = timeAhead.map { Int64($0 / .milliseconds(1)) }
    digest = withDigest ? "\(try file.digest())" : nil
    let clashes = try file.schemaClashes().map(Clash.init)
    self.clashes = clashes.isEmpty ? nil : clashes
    let forks = try file.forks().map { Fork($0, names) }
    self.forks = forks.isEmpty ? nil : forks
    (daemon, servedBy) = Self.facts(service)
    let ofClocks = HealthCondition.ofClocks(
      timeAhead: timeAhead,
      deferred: waiting.compactMap {
        DeferredByClock($0.author, count: $0.count, ahead: $0.lastAhead)
      })
    let found = Self.conditions(of: service, and: ofClocks)
    health = found.verdict
    conditions = found.isEmpty ? nil : found.map(HealthCondition.Report.init)
  }

  private static func sequences(_ vector: VersionVector) -> [String: UInt64] {
    Dictionary(
      vector.entries.map { ("\($0.author)", $0.sequence.rawValue) }, uniquingKeysWith: max)
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

  /// The conditions that a node tells, that its silence tells, and that the file tells by itself.
  private static func conditions(
    of service: ServiceState, and ofFile: [HealthCondition]
  ) -> [HealthCondition] {
    var found = service.status?.conditions ?? []
    switch service {
    case .nobody, .serving: break
    case .ended(let status):
      // Its view of others ended with it.
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
    return found + ofFile.filter { condition in !found.contains { $0.kind == condition.kind } }
  }
}
