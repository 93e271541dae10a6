import AtollChanges
package import AtollVocabulary

/// Turns a ``StoreAction`` into calls of a ``ReplicaStore``, and their results into ``Event``s.
///
/// The node, the simulation and the stories run the same one. It knows no thread, meter or fault: what
/// each of them adds stays around the call of ``perform(_:from:unless:)``.
///
///     Engine ── Action.store ──▶ ActionPerformer ── calls ──▶ ReplicaStore
///       ▲                              │
///       └────────── Event ◀────────────┘
package struct ActionPerformer<Store: ReplicaStore> {
  private let store: Store
  /// The changeset that is given to a peer in parts.
  private var cutting: LogEntry?
  /// Replicas of which nothing was taken, since no owner had admitted them; at most `Limits.declinesPassedOn`.
  private var unadmitted: Set<ReplicaID> = []

  package init(_ store: Store) { self.store = store }

  /// Performs an action; everything that it has written is durable then.
  ///
  /// - Parameters:
  ///   - action: What the engine asks for.
  ///   - peer: Who brings changesets, where some are to be applied.
  ///   - objection: Why nothing of a replica is taken, where changesets are to be applied.
  /// - Returns: The events that answer it, in order.
  /// - Throws: What the store throws; ``StoreAction/answer(failing:)`` has the event for it.
  package mutating func perform(
    _ action: StoreAction, from peer: Author? = nil, unless objection: Store.Objection? = nil
  ) throws(Store.Failure) -> [Event] {
    switch action {
    case .readLog(let link, let request): [try readLog(link, request)]
    case .readExpedited(let link, let request): [try readExpedited(link, request)]
    case .apply(let link, let batch): try apply(link, batch, from: peer, unless: objection)
    case .readDigest(let link): [.digestRead(link, try store.frontierDigest())]
    case .answer(let link, let question): [.answered(link, try store.answer(question))]
    case .applyDeferred: [try applyDeferred()] + (try recordAdmissions())
    case .makeSnapshot: [try makeSnapshot()]
    case .readSnapshot(let link, let request): [try readSnapshot(link, request)]
    case .stageSnapshot(let link, let id, let pages): [try stage(link, id, pages)]
    case .installSnapshot(let link, let id): [try install(link, id)] + (try recordAdmissions())
    case .readBackfill(let link, let request): [try readBackfill(link, request)]
    case .keepBackfill(let link, let backfill): [try keep(link, backfill)]
    case .persistProgress(let progress): try persist(progress)
    }
  }

  /// Looks whether a replica of which nothing was taken is admitted by now; to be called after commits of others.
  ///
  /// - Returns: The event that has the engine ask again, if one is.
  /// - Throws: What the store throws.
  package mutating func recordAdmissions() throws(Store.Failure) -> [Event] {
    guard !unadmitted.isEmpty else { return [] }
    var admitted: [ReplicaID] = []
    for replica in unadmitted where try store.admits(replica) { admitted.append(replica) }
    unadmitted.subtract(admitted)
    return admitted.isEmpty ? [] : [.connectAgain]
  }

  // MARK: The log

  private func readLog(_ link: LinkID, _ request: LogRequest) throws(Store.Failure) -> Event {
    .logRead(
      link,
      try store.entries(
        lackedBy: request.lackedBy, after: request.after, limitBytes: request.byteLimit,
        isChecked: true, isForPeer: true))
  }

  private func readExpedited(
    _ link: LinkID, _ request: ExpediteRequest
  ) throws(Store.Failure) -> Event {
    .expeditedRead(
      link,
      try store.expeditableEntries(
        after: request.after, stored: request.stored, limitBytes: request.byteLimit))
  }

  private mutating func readBackfill(
    _ link: LinkID, _ request: BackfillRequest
  ) throws(Store.Failure) -> Event {
    .backfillRead(link, try store.backfill(request, cutting: &cutting))
  }

  private func keep(_ link: LinkID, _ backfill: Backfill) throws(Store.Failure) -> Event {
    let refusal = try store.keep(backfill)
    return .backfillKept(link, try store.logStart(), refusal: refusal)
  }

  // MARK: The objects

  private mutating func apply(
    _ link: LinkID, _ batch: [IncomingChangeset], from peer: Author?,
    unless objection: Store.Objection?
  ) throws(Store.Failure) -> [Event] {
    let outcomes = try store.apply(batch, from: peer, unless: objection)
    var events = [Event.applied(link, outcomes, try store.holdings())]
    // A fork divides what is cut off the log as well, and what is missing in it.
    if outcomes.contains(where: \.isBranched) {
      events.insert(.logStartChanged(try store.logStart()), at: 0)
    }
    for (changeset, outcome) in zip(batch, outcomes) {
      guard case .overflowing(_, .notAdmitted) = outcome,
        unadmitted.count < Limits.declinesPassedOn
      else { continue }
      unadmitted.insert(changeset.author.replica)
    }
    // An admission may have come in the same batch, after the changesets that it lets in.
    return events + (try recordAdmissions())
  }

  private func applyDeferred() throws(Store.Failure) -> Event {
    let next = try store.applyDeferred()
    return .deferredApplied(
      try store.holdings(), next: next, wanting: try store.wantedOfSnapshot())
  }

  private func persist(_ progress: [PeerProgress]) throws(Store.Failure) -> [Event] {
    try store.setPeerProgress(progress)
    return []
  }

  // MARK: Snapshots

  private func makeSnapshot() throws(Store.Failure) -> Event {
    try store.makeSnapshot()
    return try snapshotMade()
  }

  /// Answers ``StoreAction/makeSnapshot`` where the caller has made one, in its own pieces.
  package func snapshotMade() throws(Store.Failure) -> Event {
    .snapshotMade(try store.snapshotOffer())
  }

  private func readSnapshot(
    _ link: LinkID, _ request: SnapshotRequest
  ) throws(Store.Failure) -> Event {
    let pages = try store.snapshotPages(of: request.id, from: request.first, count: request.count)
    return .snapshotRead(link, pages, offer: pages.isEmpty ? try store.snapshotOffer() : nil)
  }

  private func stage(
    _ link: LinkID, _ id: ChainHash, _ pages: [SnapshotPage]
  ) throws(Store.Failure) -> Event {
    let count = pages.isEmpty ? try store.beginStaging(id) : try store.stage(pages, of: id)
    return .snapshotStaged(link, id, count: count)
  }

  private func install(_ link: LinkID, _ id: ChainHash) throws(Store.Failure) -> Event {
    let outcome = try store.installSnapshot(id)
    return .snapshotInstalled(link, outcome, try store.holdings(), try store.logStart())
  }
}

// MARK: Failing

extension StoreAction {
  /// Answers an action that a store could not perform.
  ///
  /// - Parameter error: What the store threw.
  /// - Returns: The event for the engine, nil if it hears nothing, and whether people are to be told:
  ///   of the rest the engine tells them.
  package func answer(failing error: some StoreFailure) -> (event: Event?, isTrouble: Bool) {
    switch self {
    case .readLog(let link, _): (.logReadFailed(link, reason: "\(error)"), false)
    // It goes in its turn, and if the log cannot be read then, that is told.
    case .readExpedited(let link, _): (.expeditedRead(link, []), false)
    case .apply(let link, _):
      (
        error.isDiskFull
          ? .diskFull(link, reason: "\(error)") : .applyFailed(link, reason: "\(error)"), false
      )
    case .readDigest(let link): (.digestRead(link, nil), true)
    case .applyDeferred: (.deferredApplyFailed, true)
    case .makeSnapshot: (.snapshotMade(nil), true)
    case .readSnapshot(let link, _): (.snapshotRead(link, [], offer: nil), true)
    case .stageSnapshot(let link, _, _), .installSnapshot(let link, _), .keepBackfill(let link, _):
      (.snapshotFailed(link, reason: "\(error)"), false)
    case .readBackfill(let link, _):
      (.backfillRead(link, Backfill(truncationPoint: .none, state: .waiting, parts: [])), true)
    case .answer, .persistProgress: (nil, true)
    }
  }

  /// The action in words, for an error that it ended in.
  package var doing: String {
    switch self {
    case .readLog: "reading the log"
    case .readExpedited: "looking for changesets to expedite"
    case .apply: "applying changesets of peers"
    case .readDigest: "reading the digest"
    case .answer: "answering a search for differences"
    case .applyDeferred: "applying deferred changesets"
    case .makeSnapshot: "making a snapshot"
    case .readSnapshot: "reading a snapshot"
    case .stageSnapshot: "keeping the pages of a snapshot"
    case .installSnapshot: "installing a snapshot"
    case .readBackfill: "reading what a snapshot was made of"
    case .keepBackfill: "keeping what a snapshot was made of"
    case .persistProgress: "remembering what others have"
    }
  }
}
