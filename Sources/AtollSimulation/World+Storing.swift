import AtollChanges
import AtollReplication
import AtollStorage
import AtollVocabulary

// An engine's actions on its file are done by the product's own `ActionPerformer`. Here is what may
// happen to a node on the way, and what is counted.

extension World {
  func perform(_ action: StoreAction, of number: Int) {
    attempt(number, action.doing, at: FaultPoint.during(action)) { node throws(StorageError) in
      if let pretended = try pretended(action, of: node) { return answer(number, pretended) }
      let before = action.changesObjects ? try node.moment() : nil
      let events = try node.perform(altered(action, by: number))
      if let before { try record(events, of: node, since: before) }
      countDeclined(action, events)
      if let point = events.lazy.compactMap(FaultPoint.after).first, dies(number, at: point) {
        return
      }
      for event in events { answer(number, event) }
      if before != nil { reportIncarnation(node) }
    }
  }

  /// Brings an event to a node's engine, as soon as its disk has answered.
  func answer(_ number: Int, _ event: Event) {
    var instant = now.advanced(by: chance(upTo: Self.diskDelay))
    // A node's reports come in their order; of most it does not matter.
    if case .connectAgain = event { instant = max(instant, nodes[number].lastAnswer) }
    nodes[number].lastAnswer = max(instant, nodes[number].lastAnswer)
    schedule.add(.event(node: number, life: nodes[number].life, event), at: instant)
  }

  /// The longest that a disk takes to answer.
  private static let diskDelay = Duration.milliseconds(5)

  /// Tells the engine of a new incarnation: the file is a copy, or began with a snapshot.
  func reportIncarnation(_ node: SimulatedNode) {
    guard let author = node.file?.author, author != node.engine?.configuration.author else {
      return
    }
    answer(node.number, .incarnationStarted(author))
  }

  /// Counts what came of an action that changes objects.
  private func record(
    _ events: [Event], of node: SimulatedNode, since before: SimulatedNode.Moment
  ) throws(StorageError) {
    // Under a new incarnation.
    var hasMade = node.file.map { before.stored[$0.author] == .none } ?? false
    for event in events {
      if case .applied(_, let outcomes, _) = event { trace.combine(UInt64(outcomes.count)) }
      if case .snapshotInstalled(_, let outcome, let holdings, _) = event {
        trace.combine(outcome == .installed ? 1 : 0)
        if outcome == .installed { report.snapshots += 1 }
        let author = before.author
        if node.file?.author == author, holdings.stored[author] > before.stored[author] {
          report.rescues += 1
          hasMade = true
        }
      }
    }
    if hasMade { try countMade(node, since: before.stored) }
  }

  /// Counts once more what came before the admission of its replica, and is sent again.
  private func countDeclined(_ action: StoreAction, _ events: [Event]) {
    guard isCalm, case .apply(_, let batch) = action else { return }
    for case .applied(_, let outcomes, _) in events {
      for (changeset, outcome) in zip(batch, outcomes) {
        guard case .overflowing(_, .notAdmitted) = outcome else { continue }
        report.missingBytes += changeset.bytes.count
      }
    }
  }

  /// Counts what a node reissues, or makes again after a snapshot: all others lack it.
  private func countMade(
    _ node: SimulatedNode, since before: VersionVector
  ) throws(StorageError) {
    guard isCalm, let file = node.file else { return }
    let made = try file.entries(lackedBy: before, after: .start, limitBytes: .max).entries
    let own = made.filter { $0.id.author.replica == file.author.replica }
    report.missingBytes += own.reduce(0) { $0 + $1.bytes.count } * others(than: node)
  }
}

extension FaultPoint {
  /// The points at which a node may die while it performs an action.
  static func during(_ action: StoreAction) -> [FaultPoint] {
    if case .apply = action { return [.applying, .flushingBatch] }
    if case .makeSnapshot = action { return [.makingSnapshot] }
    if case .stageSnapshot = action { return [.keepingPages] }
    if case .installSnapshot = action { return [.installing, .flushingSnapshot] }
    if case .keepBackfill = action { return [.keepingBackfill] }
    if case .persistProgress = action { return [.savingProgress] }
    return []
  }

  /// The points at which a node may die before its engine hears of an event.
  static func after(_ event: Event) -> FaultPoint? {
    if case .applied = event { return .applied }
    if case .snapshotRead = event { return .sendingPages }
    if case .snapshotStaged(_, _, let count) = event, count > 0 { return .keptPages }
    if case .snapshotInstalled = event { return .installed }
    return nil
  }
}

// MARK: Sabotage

extension World {
  /// The event that says that a batch was applied, where it is not.
  private func pretended(
    _ action: StoreAction, of node: SimulatedNode
  ) throws(StorageError) -> Event? {
    guard simulation.sabotage == .earlyAcknowledgement, node.number == 0,
      case .apply(let link, let batch) = action
    else { return nil }
    var holdings = try node.holdings()
    var outcomes: [ApplyOutcome] = []
    for changeset in batch {
      let hash = changeset.expectedHash ?? .origin(of: changeset.author)
      let id = ChangesetID(author: changeset.author, sequence: changeset.sequence, hash: hash)
      holdings.formUnion(Holdings(heads: [id]))
      outcomes.append(.applied(id))
    }
    return .applied(link, outcomes, holdings)
  }

  /// The action, or one that applies another value once the accidents are over.
  private func altered(_ action: StoreAction, by number: Int) -> StoreAction {
    guard simulation.sabotage == .alteredOperation, number == 0, isCalm,
      case .apply(let link, let batch) = action
    else { return action }
    return .apply(link, batch.map(altered))
  }

  private func altered(_ incoming: IncomingChangeset) -> IncomingChangeset {
    guard
      var changeset = try? Changeset(decoding: incoming.bytes, author: incoming.author),
      case .data(.increment(let path, let amount, let base))? = changeset.operations.last
    else { return incoming }
    changeset.operations[changeset.operations.count - 1] =
      .data(.increment(path, by: amount &+ 1, on: base))
    return IncomingChangeset(
      author: incoming.author, sequence: incoming.sequence, bytes: changeset.encoded())
  }
}
