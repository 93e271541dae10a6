import AtollChanges
import AtollPresence
import AtollReplication
import AtollSQLite
import AtollStorage
import AtollVocabulary

/// What happens on a store's writer thread; confined to it.
final class StoreWorker {
  private let paths: StorePaths
  let file: StoreFile
  private let lock: WriteLock
  private let meters: FileMeters
  let report: @Sendable ([StoreService.Report]) -> Void
  /// The last commit that was reported.
  private(set) var known: CommitNumber
  /// The last commit made here since it was last asked.
  private(set) var made: CommitNumber?
  /// The roster that was reported.
  private var knownRoster: Int64
  private var permissions: WritePermissions
  /// Under which name the file was last reported to write.
  private var name: Author
  /// The snapshot that is being made.
  var making: SnapshotMaking?
  /// The version of the truncation point that was reported.
  var knownTruncationVersion: Int64 = 0
  /// The changeset that is given to a peer in parts.
  var cutting: LogEntry?
  private var readAhead = LogReadAhead()
  private let inspector: StoreInspector
  /// Cuts the log, on a thread of its own since that takes long; after how long, nil for never.
  private let truncator: StoreInspector
  private let truncationAge: Duration?
  /// What others are known to have and could not be written; one entry a replica.
  private var unwritten: [PeerProgress] = []
  private var canWriteStatus = true
  /// Tells whether it was told that another file has taken the place of this one.
  private var isReplaced = false
  /// The state of the file, and as it was last reported.
  var examination: FileExamination
  private var reportedHealth = FileHealth()
  private var reportedMembers: [Member] = []
  private var guesses = PairingGuesses()
  /// A full disk was reported, and is not reported again.
  private var isDiskFull = false
  /// The timeout of the daemon lock: a process that only asks whether it is taken holds it briefly.
  private static let lockTimeout = Duration.milliseconds(500)

  init(
    _ paths: StorePaths, options: StoreOptions, truncationAge: Duration?, meters: FileMeters,
    report: @escaping @Sendable ([StoreService.Report]) -> Void
  ) throws(NodeError) {
    self.paths = paths
    lock = try Self.lock(paths, holderName: options.holderName)
    do throws(StorageError) {
      file = try StoreFile.open(paths.store, options: options)
      known = try file.commitNumber()
      name = file.author
      knownRoster = try file.rosterVersion()
      permissions = WritePermissions(try file.roster(), pinned: try file.pinnedIdentities())
    } catch {
      throw .storage(error)
    }
    examination = FileExamination(path: paths.store)
    self.meters = meters
    self.report = report
    inspector = StoreInspector(paths, report: report)
    truncator = StoreInspector(paths, options: options, report: report)
    self.truncationAge = truncationAge
    file.onCommit = { [unowned self] commit in made = commit.number }
  }

  private static func lock(_ paths: StorePaths, holderName: String) throws(NodeError) -> WriteLock {
    do throws(WriteLock.Failure) {
      let lock = try WriteLock(path: paths.daemonLock, holderName: holderName)
      try lock.acquire(timeout: lockTimeout)
      return lock
    } catch {
      switch error {
      case .timedOut(let holder, _):
        throw .alreadyServed(store: paths.store, holder: holder ?? "another process")
      case .system(let failure): throw .lockFile(path: paths.daemonLock, detail: failure.words)
      }
    }
  }

  func opened() throws(NodeError) -> StoreService.Opened {
    do throws(StorageError) {
      return StoreService.Opened(
        storeID: file.storeID, author: file.author, holdings: try holdings(),
        known: try file.peerProgress().map(\.progress), commit: known,
        roster: try file.roster(), pinned: try file.pinnedIdentities(),
        isPaused: try file.pausedSince() != nil, logStart: try file.logStart(),
        timeAhead: try file.ownTimeAhead())
    } catch {
      throw .storage(error)
    }
  }

  /// Works off what waited together: what peers wait for first, records of it last.
  func perform(_ requests: [StoreService.Request]) {
    for request in requests where !request.isRecord { perform(request) }
    reportIncarnation()
    reportHealth()
    for request in requests where request.isRecord { perform(request) }
  }

  private func perform(_ request: StoreService.Request) {
    switch request {
    case .check: check()
    case .store(let action, let sender): perform(action, from: sender)
    case .forget(let link): readAhead.forget(link)
    case .introduce(let identity): introduce(identity)
    case .pin(let replica, let identity): pin(replica, identity)
    case .checkDigests: inspector.checkDigests()
    case .redeem(let attempt): redeem(attempt)
    case .announce: announce()
    case .damaged(let words): examination.record(damage: words)
    case .writeStatus(let status): write(status)
    case .measure: measure()
    }
  }

  private func perform(_ action: StoreAction, from sender: WritePermissions.Sender?) {
    switch action {
    case .readLog(let link, let request): readLog(link, request)
    case .readExpedited(let link, let request): readExpedited(link, request)
    case .apply(let link, let changesets):
      apply(link, changesets, from: sender ?? WritePermissions.Sender())
    case .readDigest(let link): readDigest(link)
    case .answer(let link, let question): answer(link, question)
    case .applyDeferred: applyDeferred()
    case .makeSnapshot: makeSnapshot()
    case .readSnapshot(let link, let request): readSnapshot(link, request)
    case .stageSnapshot(let link, let id, let pages): stage(link, id, pages)
    case .installSnapshot(let link, let id): install(link, id)
    case .readBackfill(let link, let request): readBackfill(link, request)
    case .keepBackfill(let link, let backfill): keep(link, backfill)
    case .persistProgress(let progress): remember(progress)
    }
  }

  func close() {
    StoreStatus.remove(beside: paths)
    file.close()
    lock.release()
  }

  /// Reports a new incarnation: the file is a copy, was restored, or repaired its clock.
  private func reportIncarnation() {
    guard file.author != name else { return }
    name = file.author
    report([.event(.incarnationStarted(name))])
  }

  // MARK: Each kind of request

  private func check() {
    do throws(StorageError) {
      try checkRoster()
      try checkTruncation()
      let number = try file.commitNumber()
      guard known < number else { return }
      meters.noteLocalCommits(number.rawValue - known.rawValue)
      let holdings = try holdings()
      let ahead = readAhead.read(file, except: nil)
      report([
        .advance(.logAdvanced(holdings), readAhead: ahead), .committed(number, after: known),
      ])
      known = number
    } catch {
      examination.record(error)
      report([.trouble("looking for new commits: \(error)")])
    }
  }

  private func checkRoster() throws(StorageError) {
    let version = try file.rosterVersion()
    guard version != knownRoster else { return }
    let roster = try file.roster()
    permissions = WritePermissions(roster, pinned: try file.pinnedIdentities())
    report([.roster(roster), .paused(try file.pausedSince() != nil)])
    knownRoster = version
  }

  private func redeem(_ attempt: PairingAttempt) {
    var isGood = false
    do throws(StorageError) {
      isGood = try attempt.redeem(in: file, &guesses)
      try checkRoster()
    } catch {
      examination.record(error)
      report([.trouble("pairing with \(attempt.identity): \(error)")])
    }
    report([.redeemed(attempt.number, isGood)])
  }

  private func readLog(_ link: LinkID, _ request: LogRequest) {
    do throws(StorageError) {
      let batch = try meters.logRead.measure { () throws(StorageError) in
        try file.entries(
          lackedBy: request.lackedBy, after: request.after, limitBytes: request.byteLimit,
          endsAtGaps: true)
      }
      readAhead.note(link, request, batch)
      examination.record(read: nil)
      report([.event(.logRead(link, batch))])
    } catch {
      examination.record(read: error)
      report([.event(.logReadFailed(link, reason: "\(error)"))])
    }
  }

  private func readExpedited(_ link: LinkID, _ request: ExpediteRequest) {
    do throws(StorageError) {
      let entries = try file.expeditableEntries(
        after: request.after, held: request.held, limitBytes: request.byteLimit)
      report([.event(.expeditedRead(link, entries))])
    } catch {
      examination.record(error)
      // It goes in its turn, and if the log cannot be read then, that is told.
      report([.event(.expeditedRead(link, []))])
    }
  }

  private func apply(
    _ link: LinkID, _ changesets: [IncomingChangeset], from peer: WritePermissions.Sender
  ) {
    do throws(StorageError) {
      let outcomes = try meters.apply.measure { () throws(StorageError) in
        permissions.isUnlimited
          ? try file.apply(changesets, from: peer.author)
          : try applyPermitted(link, changesets, from: peer)
      }
      readAhead.note(link, changesets)
      let event = Event.applied(link, outcomes, try holdings())
      let ahead = made == nil ? [] : readAhead.read(file, except: link)
      // A fork divides what is cut off the log as well, and what is missing in it.
      if outcomes.contains(where: \.isBranched) { try reportLogStart() }
      var reports = [StoreService.Report.advance(event, readAhead: ahead)]
      if let made { reports.append(.committed(made, after: known)) }
      report(reports)
      writeRemembered()
    } catch {
      examination.record(error)
      // A beginning of the batch may be in the file.
      check()
      if case .diskFull = error {
        report([.event(.diskFull(link, reason: "\(error)"))])
      } else {
        report([.event(.applyFailed(link, reason: "\(error)"))])
      }
    }
    noteOwnCommits()
  }

  /// Applies what the roster lets in; what may not be taken is answered as if the disk were full, so
  /// that its author is left out.
  private func applyPermitted(
    _ link: LinkID, _ changesets: [IncomingChangeset], from peer: WritePermissions.Sender
  ) throws(StorageError) -> [ApplyOutcome] {
    let (permissions, own) = (permissions, file.author.replica)
    let outcomes = try file.apply(changesets, from: peer.author) { replica, identity in
      permissions.objection(
        to: replica, own: own, identity.flatMap { NodeIdentity(bytes: $0) }, from: peer)
    }
    var declined: [Author] = []
    for (changeset, outcome) in zip(changesets, outcomes) {
      guard case .overflowing(_, .role) = outcome, !declined.contains(changeset.author) else {
        continue
      }
      declined.append(changeset.author)
    }
    if !declined.isEmpty { report([.declined(link, declined)]) }
    return outcomes
  }

  private func introduce(_ identity: NodeIdentity) {
    do throws(StorageError) {
      try file.setIdentity(identity.bytes)
      check()
    } catch {
      examination.record(error)
      report([.trouble("saying who this replica is: \(error)")])
    }
  }

  private func pin(_ replica: ReplicaID, _ identity: NodeIdentity) {
    do throws(StorageError) {
      try file.pin(replica, to: identity)
      // The replica's changesets that were left out are asked for again at once.
      try checkRoster()
    } catch {
      report([.trouble("remembering the key of replica \(replica): \(error)")])
    }
  }

  private func readDigest(_ link: LinkID) {
    do throws(StorageError) {
      var held = try file.frontierDigest()
      held.digest += inspector.externalChange
      report([.event(.digestRead(link, held))])
    } catch {
      examination.record(error)
      report([.event(.digestRead(link, nil)), .trouble("reading the digest: \(error)")])
    }
  }

  private func answer(_ link: LinkID, _ question: DigestQuestion) {
    do throws(StorageError) {
      try inspector.answer(link, question, held: file.frontierDigest())
    } catch {
      examination.record(error)
      report([.trouble("answering a search for differences: \(error)")])
    }
  }

  private func applyDeferred() {
    do throws(StorageError) {
      let next = try file.applyDeferred()
      var reports = [
        StoreService.Report.event(
          .heldApplied(try holdings(), next: next, wanting: try file.wantedOfSnapshot()))
      ]
      if let made { reports.append(.committed(made, after: known)) }
      report(reports)
    } catch {
      reportTrouble("applying what is held", error)
      report([.event(.heldApplyFailed)])
    }
    noteOwnCommits()
  }

  /// Commits made here need no check; nor do others' before them, which the holdings told include.
  func noteOwnCommits() {
    if let made, known < made {
      meters.noteRemoteCommits(made.rawValue - known.rawValue)
      known = made
    }
    made = nil
  }

  func holdings() throws(StorageError) -> Holdings { try file.holdings() }

  private func remember(_ progress: [PeerProgress]) {
    for each in progress {
      unwritten.removeAll { $0.peer == each.peer }
      unwritten.append(each)
    }
    writeRemembered()
  }

  /// Writes what others are known to have; on a full disk it stays for the next time.
  private func writeRemembered() {
    guard !unwritten.isEmpty else { return }
    do throws(StorageError) {
      try file.setPeerProgress(unwritten)
      unwritten = []
      isDiskFull = false
      report([.remembered])
    } catch {
      reportTrouble("remembering what others have", error)
      if case .diskFull = error { return }
      unwritten = []
    }
  }

  /// Reports a full disk once, and everything else every time.
  private func reportTrouble(_ doing: String, _ error: StorageError) {
    examination.record(error)
    if case .diskFull = error {
      guard !isDiskFull else { return }
      isDiskFull = true
    }
    report([.trouble("\(doing): \(error)")])
  }

  /// Reports the state of the file, and who exists, if that is another one.
  private func reportHealth() {
    if examination.members != reportedMembers {
      reportedMembers = examination.members
      report([.members(reportedMembers)])
    }
    guard examination.health != reportedHealth else { return }
    reportedHealth = examination.health
    report([.fileHealth(reportedHealth)])
  }

  private func measure() {
    meters.measure(paths)
    inspector.measureLog(meters)
  }

  /// Looks whether somebody changed the file behind the library's back: its rows, or all of it.
  private func checkFile() {
    do throws(StorageError) {
      try file.checkReplacement()
      isReplaced = false
      inspector.checkRows(others: try file.commitsOfOthers(), number: known)
    } catch {
      if !isReplaced { report([.trouble("\(error)")]) }
      isReplaced = true
    }
  }

  private func announce() {
    do throws(StorageError) {
      if try file.announce() { check() }
    } catch {
      examination.record(error)
      report([.trouble("announcing this replica: \(error)")])
    }
    noteOwnCommits()
  }

  /// Comes again and again, whatever else happens.
  private func write(_ status: StoreStatus) {
    if let truncationAge { truncator.truncateLog(olderThan: truncationAge) }
    checkFile()
    examination.look(at: file)
    reportHealth()
    do {
      try status.write(beside: paths)
      canWriteStatus = true
      report([.remembered])
    } catch {
      if canWriteStatus { report([.trouble("writing \(paths.status): \(error)")]) }
      canWriteStatus = false
    }
  }
}
