import AtollChanges
import AtollReplication
import AtollStorage
import AtollVocabulary

// An engine's actions on the file are done by its `ActionPerformer`. Here is what a node adds:
// permissions, meters, other threads for what takes long, what is read ahead, and who else is told.
extension StoreWorker {
  func perform(_ action: StoreAction, from sender: WritePermissions.Sender?) {
    if case .makeSnapshot = action { return makeSnapshot() }
    if case .answer(let link, let question) = action { return answer(link, question) }
    if case .persistProgress(let progress) = action { return remember(progress) }
    do throws(StorageError) {
      let events = try measuring(action) { () throws(StorageError) in
        try performer.perform(action, from: sender?.author, unless: objection(from: sender))
      }
      report(events.flatMap { reports(of: $0, to: action) })
      if case .apply = action { writeRemembered() }
    } catch {
      fail(action, error)
    }
    if action.changesObjects { recordOwnCommits() }
  }

  private func measuring(
    _ action: StoreAction, _ body: () throws(StorageError) -> [Event]
  ) throws(StorageError) -> [Event] {
    if case .apply = action { return try meters.apply.measure(body) }
    if case .readLog = action { return try meters.logRead.measure(body) }
    return try body()
  }

  /// Why nothing is taken of some replicas that this one brings; nil if all may do everything.
  ///
  /// An author of whom nothing is taken is left out, as if the disk were full. Where the store has owners, they
  /// say who may write, and the file looks at that.
  private func objection(from sender: WritePermissions.Sender?) -> StoreFile.Objection? {
    guard !file.storeID.isOwned, !permissions.isUnlimited else { return nil }
    let sender = sender ?? WritePermissions.Sender()
    let (permissions, own) = (permissions, file.author.replica)
    return { replica, identity in
      permissions.objection(
        to: replica, own: own, identity.flatMap { NodeIdentity(bytes: $0) }, from: sender)
    }
  }

  /// The reports of an event that answers an action, with what is told besides.
  private func reports(of event: Event, to action: StoreAction) -> [StoreService.Report] {
    switch (action, event) {
    case (.readLog(let link, let request), .logRead(_, let batch)):
      readAhead.record(link, request, batch)
      examination.record(read: nil)
      return [.event(event)]
    case (.apply(let link, let changesets), .applied(_, let outcomes, _)):
      readAhead.record(link, changesets)
      let ahead = made == nil ? [] : readAhead.read(file, except: link)
      return declined(link, changesets, outcomes) + [.advance(event, readAhead: ahead)] + commits()
    case (.readDigest, .digestRead(let link, var current?)):
      current.digest += inspector.externalChange
      return [.event(.digestRead(link, current))]
    case (.applyDeferred, .deferredApplied), (.installSnapshot, .snapshotInstalled):
      return [.event(event)] + commits()
    case (_, _): return [.event(event)]
    }
  }

  /// The authors of whom nothing was taken, by the reason.
  private func declined(
    _ link: LinkID, _ changesets: [IncomingChangeset], _ outcomes: [ApplyOutcome]
  ) -> [StoreService.Report] {
    guard !permissions.isUnlimited || file.storeID.isOwned else { return [] }
    var declined: [LeavingOut: [Author]] = [:]
    for (changeset, outcome) in zip(changesets, outcomes) {
      guard case .overflowing(_, let reason) = outcome, reason == .role || reason == .notAdmitted,
        !declined[reason, default: []].contains(changeset.author)
      else { continue }
      declined[reason, default: []].append(changeset.author)
    }
    // Changesets that came before the admission of their replica, in one batch, are asked for again already.
    declined[.notAdmitted]?.removeAll { (try? file.admits($0.replica)) == true }
    return declined.filter { !$1.isEmpty }.map { .declined(link, $1, $0) }
  }

  private func commits() -> [StoreService.Report] {
    made.map { [.committed($0, after: known)] } ?? []
  }

  /// Reports what became of an action that the file could not do.
  func fail(_ action: StoreAction, _ error: StorageError) {
    if case .readLog = action {
      examination.record(read: error)
    } else {
      examination.record(error)
    }
    // A beginning of the batch may be in the file.
    if case .apply = action { check() }
    let (event, isTrouble) = action.answer(failing: error)
    if isTrouble { reportTrouble(action.doing, error) }
    if let event { report([.event(event)]) }
  }

  private func answer(_ link: LinkID, _ question: DigestQuestion) {
    do throws(StorageError) {
      try inspector.answer(link, question, current: file.frontierDigest())
    } catch {
      fail(.answer(link, question), error)
    }
  }
}
