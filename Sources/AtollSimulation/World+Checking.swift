import AtollChanges
import AtollSQLite
import AtollStorage
import AtollVocabulary

// The promises, checked on the way and at the end.

extension World {
  /// The time in which nodes have to become equal after the last accident; a clock that was far
  /// ahead has to be waited for.
  private static let recoveryBound = Duration.seconds(400)
  private static let checkInterval = Duration.seconds(2)

  /// Ends the accidents; from here on nodes have to become equal.
  func calm() {
    isCalm = true
    calmAt = now
    heal()
    if simulation.hasForger { replaceForger() }
    changesetBytesAtCalm = changesetBytes
    report.missingBytes = missingBytes()
    report.links = linkCount
    if simulation.sabotage == .silence, let file = nodes[0].file {
      attempt(0, "reading its commit number") { node throws(StorageError) in
        node.observer.ignored = CommitNumber(try file.commitNumber().rawValue + 1)
      }
    }
    if simulation.sabotage == .alteredOperation || simulation.sabotage == .silence {
      incrementOnce()
    }
  }

  /// The change that a sabotaged node alters: everybody else's counter gets another value.
  private func incrementOnce() {
    var random = SeededGenerator(seed: random.next())
    let last = simulation.sabotage == .silence ? 0 : conditions.nodeCount - 1
    attempt(last, "incrementing") { node throws(StorageError) in
      try node.write { workload, file throws(StorageError) in
        try workload.increment(file, using: &random)
      }
      try announce(node)
    }
  }

  /// Compares nodes of equal vectors, and ends the run when all have.
  func check() {
    if simulation.hasOwners, isCalm { admitAll() }
    var vectors: [Int: VersionVector] = [:]
    var gaps: Set<Int> = []
    for node in nodes where node.isUp {
      attempt(node.number, "reading its vector") { node throws(StorageError) in
        let holdings = try node.holdings()
        vectors[node.number] = holdings.applied
        if try node.file?.logStart().missing != nil { gaps.insert(node.number) }
        try observe(node, holdings.stored)
      }
    }
    compare(vectors)
    checkLogs()
    checkHistories()
    for node in nodes where node.isUp { checkBeliefs(of: node) }
    let areEqual = nodes.allSatisfy {
      $0.isDormant || vectors[$0.number] == vectors[0] && $0.isUp && !gaps.contains($0.number)
    }
    if isCalm, areEqual {
      report.recovery = now.duration(since: calmAt)
      report.recoveryBytes = changesetBytes - changesetBytesAtCalm
      report.violations += Checker.economy(report)
      isDone = true
    } else if isCalm, now.duration(since: calmAt) > Self.recoveryBound {
      let texts = nodes.filter { !$0.isDormant }.map {
        "node \($0.number) \(vectors[$0.number] ?? VersionVector())"
          + (gaps.contains($0.number) ? " with gaps in its log" : "")
      }
      violate(
        .liveness,
        "\(Self.recoveryBound) after the last accident: \(texts.joined(separator: ", "))")
    } else {
      schedule.add(.check, at: now.advanced(by: Self.checkInterval))
    }
  }

  /// Checks the observed commits of a file, and the sum of its transfers.
  private func observe(_ node: SimulatedNode, _ stored: VersionVector) throws(StorageError) {
    report.violations += Checker.observation(
      node.number, node.observer.problems, seen: node.observer.seen, stored: stored)
    guard let file = node.file, let workload = node.workload else { return }
    // Money that was moved into an account of a removed replica's is gone.
    guard report.removals == 0 else { return }
    let (sum, expected) = try workload.total(file)
    report.violations += Checker.conservation(node.number, sum: sum, expected: expected)
  }

  /// The bytes of all changesets that some nodes have and others lack, for each that lacks them.
  private func missingBytes() -> Int {
    var sizes: [ChangesetID: Int] = [:]
    var vectors: [VersionVector] = []
    for node in nodes where node.isUp {
      attempt(node.number, "reading its log") { node throws(StorageError) in
        guard let file = node.file else { return }
        vectors.append(try file.holdings().stored)
        for entry in try Self.log(of: file) { sizes[entry.id] = entry.bytes.count }
      }
    }
    return sizes.reduce(0) { sum, entry in
      let (id, size) = entry
      return sum + size * vectors.count { $0[id.author] < id.sequence }
    }
  }

  /// The bytes of the changesets of the last transaction that a node wrote.
  func newBytes(of node: SimulatedNode) throws(StorageError) -> Int {
    guard let file = node.file else { return 0 }
    let stored = try file.holdings().stored
    var known = stored
    known[file.author] = .none
    let own = try file.entries(lackedBy: known, after: .start, limitBytes: .max).entries
    let before = own.dropLast().lastIndex { entry in
      (try? ChangesetReader(entry.bytes, author: file.author))?.isContinued != true
    }
    return own[(before.map { $0 + 1 } ?? 0)...].reduce(0) { $0 + $1.bytes.count }
  }

  func others(than node: SimulatedNode) -> Int {
    nodes.count { !$0.isDormant && $0.number != node.number }
  }

  /// The number of linked pairs of nodes without faults, a copy of a node like the node.
  private var linkCount: Int {
    let isCopied = nodes.last?.isDormant == false
    let copied = conditions.edges.count { $0.0 == conditions.copied || $0.1 == conditions.copied }
    return conditions.edges.count + (isCopied ? copied + 1 : 0)
  }

  /// Looks into the files of nodes that have the same vector as another, unless it was done before.
  private func compare(_ vectors: [Int: VersionVector]) {
    let alike = nodes.filter { node in
      guard let vector = vectors[node.number], !vector.isEmpty else { return false }
      return nodes.contains { $0.number != node.number && vectors[$0.number] == vector }
    }
    guard alike.contains(where: { $0.comparedAt != vectors[$0.number] }) else { return }
    for node in alike { node.comparedAt = vectors[node.number] }
    let states = alike.compactMap { state(of: $0.number, isExporting: false) }
    report.violations += Checker.divergence(among: states)
  }

  /// Looks at every file closely.
  func conclude() {
    report.duration = now.duration(since: Instant(nanoseconds: 0))
    report.traceHash = trace.value
    let states = nodes.filter(\.isUp).compactMap { state(of: $0.number, isExporting: true) }
    report.digest = states.first.map { "\($0.digest)" } ?? ""
    report.violations += Checker.divergence(among: states)
    if isDone { checkHistories() }
    var everything = VersionVector()
    for node in nodes { everything.formUnion(node.committed) }
    for state in states {
      let node = nodes[state.node]
      report.violations += Checker.durability(state, node.committed, promised: node.promised)
      if isDone { report.violations += Checker.completeness(state, everything) }
      inspect(node)
      if isDone { checkApplication(on: node) }
    }
  }

  private func state(of number: Int, isExporting: Bool) -> ReplicaState? {
    var state: ReplicaState?
    attempt(number, "reading its state") { node throws(StorageError) in
      state = try ReplicaState(of: node, isExporting: isExporting)
    }
    return state
  }

  private func inspect(_ node: SimulatedNode) {
    guard let file = node.file else { return }
    if simulation.sabotage == .externallyModifiedRow { modifyExternally(node) }
    attempt(node.number, "inspecting its file") { node throws(StorageError) in
      report.violations += Checker.integrity(node.number, try file.verify())
      var log = try Self.log(of: file)
      if simulation.sabotage == .disorder { log.reverse() }
      let checkpoint = try file.logCheckpoint()?.frontier ?? .none
      report.violations += Checker.log(node.number, log, after: checkpoint)
    }
  }

  /// Modifies rows as a foreign program would that switches triggers off.
  private func modifyExternally(_ node: SimulatedNode) {
    let connection = try? Connection(path: node.path, access: .readWrite)
    try? connection?.execute("UPDATE Account SET balance = balance + 1")
  }

  static func log(of file: StoreFile) throws(StorageError) -> [LogEntry] {
    var entries: [LogEntry] = []
    var position = LogPosition.start
    while true {
      let batch = try file.entries(
        lackedBy: VersionVector(), after: position, limitBytes: Limits.batchBytes)
      entries += batch.entries
      guard !batch.isAtEnd, batch.next > position else { return entries }
      position = batch.next
    }
  }
}
