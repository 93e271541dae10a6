import AtollChanges
import AtollReplication
import AtollStorage
import AtollVocabulary
import AtollWire

// What a node's hub would do: perform the actions of its engine.

extension World {
  /// The longest that a disk takes to answer.
  private static let diskDelay = Duration.milliseconds(5)

  func perform(_ action: Action, of node: Int) {
    switch action {
    case .connect(let peer): connect(node, to: peer)
    case .send(let link, let frame): send(frame, over: link, from: node)
    case .close(let link, _): hangUp(link, of: node)
    case .store(let action): perform(action, of: node)
    case .setTimer(let instant):
      nodes[node].timerCount += 1
      schedule.add(
        .timer(node: node, life: nodes[node].life, count: nodes[node].timerCount), at: instant)
    case .report(let event): note(event, of: node)
    }
  }

  private func perform(_ action: StoreAction, of node: Int) {
    switch action {
    case .readLog(let link, let request): readLog(node, link, request)
    case .readExpedited(let link, let request): readExpedited(node, link, request)
    case .apply(let link, let batch): apply(node, link, batch)
    case .readDigest(let link):
      attempt(node, "reading its digest") { node throws(StorageError) in
        answer(node.number, .digestRead(link, try node.file?.frontierDigest()))
      }
    case .answer: break
    case .applyDeferred: applyDeferred(node)
    case .makeSnapshot: makeSnapshot(node)
    case .readSnapshot(let link, let request): readSnapshot(node, link, request)
    case .stageSnapshot(let link, let id, let pages): stage(node, link, id, pages)
    case .installSnapshot(let link, let id): install(node, link, id)
    case .readBackfill(let link, let request): readBackfill(node, link, request)
    case .keepBackfill(let link, let backfill): keep(node, link, backfill)
    case .persistProgress(let progress):
      attempt(node, "writing progress", at: [.savingProgress]) { node throws(StorageError) in
        try node.file?.setPeerProgress(progress)
      }
    }
  }

  private func readLog(_ number: Int, _ link: LinkID, _ request: LogRequest) {
    attempt(number, "reading its log") { node throws(StorageError) in
      guard let file = node.file else { return }
      let batch = try file.entries(
        lackedBy: request.lackedBy, after: request.after, limitBytes: request.byteLimit,
        endsAtGaps: true)
      answer(number, .logRead(link, batch))
    }
  }

  private func readExpedited(_ number: Int, _ link: LinkID, _ request: ExpediteRequest) {
    attempt(number, "reading its log") { node throws(StorageError) in
      guard let file = node.file else { return }
      let entries = try file.expeditableEntries(
        after: request.after, held: request.held, limitBytes: request.byteLimit)
      answer(number, .expeditedRead(link, entries))
    }
  }

  private func apply(_ number: Int, _ link: LinkID, _ batch: [IncomingChangeset]) {
    attempt(number, "applying", at: [.applying, .flushingBatch]) { node throws(StorageError) in
      guard let file = node.file else { return }
      if simulation.sabotage == .earlyAcknowledgement, number == 0 {
        return pretend(number, link, batch, try node.holdings())
      }
      let before = try node.holdings().held
      let outcomes = try file.apply(altered(batch, by: number))
      try countReissued(node, since: before)
      trace.combine(UInt64(outcomes.count))
      if dies(number, at: .applied) { return }
      if outcomes.contains(where: \.isBranched) {
        answer(number, .logStartChanged(try file.logStart()))
      }
      answer(number, .applied(link, outcomes, try node.holdings()))
      reportIncarnation(node)
    }
  }

  /// Counts what a node reissues: all others lack it.
  func countReissued(
    _ node: SimulatedNode, since before: VersionVector
  ) throws(StorageError) {
    guard isCalm, let file = node.file, before[file.author] == .none else { return }
    let made = try file.entries(lackedBy: before, after: .start, limitBytes: .max).entries
    let own = made.filter { $0.id.author.replica == file.author.replica }
    report.missingBytes += own.reduce(0) { $0 + $1.bytes.count } * others(than: node)
  }

  /// Tells the engine of a new incarnation: the file is a copy, or began with a snapshot.
  func reportIncarnation(_ node: SimulatedNode) {
    guard let author = node.file?.author, author != node.engine?.configuration.author else {
      return
    }
    answer(node.number, .incarnationStarted(author))
  }

  private func applyDeferred(_ number: Int) {
    attempt(number, "applying what is held") { node throws(StorageError) in
      guard let file = node.file else { return }
      let before = try node.holdings().held
      let next = try file.applyDeferred()
      try countReissued(node, since: before)
      answer(
        number,
        .heldApplied(try node.holdings(), next: next, wanting: try file.wantedOfSnapshot()))
      reportIncarnation(node)
    }
  }

  func answer(_ number: Int, _ event: Event) {
    let instant = now.advanced(by: chance(upTo: Self.diskDelay))
    schedule.add(.event(node: number, life: nodes[number].life, event), at: instant)
  }

  /// Nothing that an engine can report here may happen, but for clocks and connections.
  private func note(_ event: StatusEvent, of node: Int) {
    switch event {
    case .linked: announceMember(node)
    case .connectFailed, .caughtUp, .unlinked, .deferredByClock, .overflowing, .diskFull,
      .diskHasSpace, .peerDiskFull, .peerDiskHasSpace, .window, .bootstrapping, .bootstrapped,
      .wantingSnapshot, .snapshotEarly, .backfillLost:
      break
    case .branched, .equivocation:
      guard report.disksPutBack == 0 else { return report.forks += 1 }
      violate(.report, "node \(node): \(event)")
    case .refused, .diverged, .agreed, .snapshotRefused:
      violate(.report, "node \(node): \(event)")
    }
  }
}

// MARK: Sabotage

extension World {
  /// Says that a batch was applied.
  private func pretend(
    _ number: Int, _ link: LinkID, _ batch: [IncomingChangeset], _ holdings: Holdings
  ) {
    var holdings = holdings
    var outcomes: [ApplyOutcome] = []
    for changeset in batch {
      let hash = changeset.expectedHash ?? .origin(of: changeset.author)
      let id = ChangesetID(author: changeset.author, sequence: changeset.sequence, hash: hash)
      holdings.formUnion(Holdings(heads: [id]))
      outcomes.append(.applied(id))
    }
    answer(number, .applied(link, outcomes, holdings))
  }

  /// The batch, or one with another value in it once the accidents are over.
  private func altered(_ batch: [IncomingChangeset], by number: Int) -> [IncomingChangeset] {
    guard simulation.sabotage == .alteredOperation, number == 0, isCalm else { return batch }
    return batch.map { incoming in
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
}
