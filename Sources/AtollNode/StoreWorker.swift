import AtollChanges
import AtollPresence
import AtollReplication
import AtollSQLite
import AtollStorage
import AtollVocabulary

/// The work of a store's writer thread; confined to it.
final class StoreWorker {
  private let paths: StorePaths
  let file: StoreFile
  private let lock: WriteLock
  let meters: FileMeters
  let report: @Sendable ([StoreService.Report]) -> Void
  /// The last commit that was reported.
  private(set) var known: CommitNumber
  /// The last commit made here since it was last asked.
  private(set) var made: CommitNumber?
  /// The roster that was reported.
  private var knownRoster: Int64
  var permissions: WritePermissions
  /// Under which name the file was last reported to write.
  private var name: Author
  /// The snapshot that is being made.
  var making: SnapshotMaking?
  /// The version of the truncation point that was reported.
  var knownTruncationVersion: Int64 = 0
  var performer: ActionPerformer<StoreFile>
  var readAhead = LogReadAhead()
  let inspector: StoreInspector
  /// Cuts the log, on a thread of its own since that takes long; after how long, nil for never.
  private let truncator: StoreInspector
  private let truncationAge: Duration?
  /// The known holdings of others that could not be written; one entry a replica.
  private var unwritten: [PeerProgress] = []
  private var canWriteStatus = true
  /// Tells whether it was told that another file has taken the place of this one.
  private var isReplaced = false
  /// The state of the file, and as it was last reported.
  var examination: FileExamination
  private var reportedHealth = FileHealth()
  private var reportedMembers: [Member] = []
  private var reportedRemoved: [ReplicaID] = []
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
      performer = ActionPerformer(file)
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
    case .admit(let replica): admit(replica)
    case .damaged(let words): examination.record(damage: words)
    case .writeStatus(let status): write(status)
    case .measure: measure()
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

  func check() {
    do throws(StorageError) {
      try checkRoster()
      try checkTruncation()
      let number = try file.commitNumber()
      guard known < number else { return }
      meters.recordLocalCommits(number.rawValue - known.rawValue)
      let holdings = try holdings()
      let ahead = readAhead.read(file, except: nil)
      report([
        .advance(.logAdvanced(holdings), readAhead: ahead), .committed(number, after: known),
      ])
      known = number
      report(try performer.recordAdmissions().map { .event($0) })
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

  /// Commits made here need no check; nor do others' before them, which the holdings told include.
  func recordOwnCommits() {
    if let made, known < made {
      meters.recordRemoteCommits(made.rawValue - known.rawValue)
      known = made
    }
    made = nil
  }

  func holdings() throws(StorageError) -> Holdings { try file.holdings() }

  func remember(_ progress: [PeerProgress]) {
    for each in progress {
      unwritten.removeAll { $0.peer == each.peer }
      unwritten.append(each)
    }
    writeRemembered()
  }

  /// Writes what others are known to have; on a full disk it stays for the next time.
  func writeRemembered() {
    guard !unwritten.isEmpty else { return }
    do throws(StorageError) {
      _ = try performer.perform(.persistProgress(unwritten))
      unwritten = []
      isDiskFull = false
      report([.remembered])
    } catch {
      fail(.persistProgress(unwritten), error)
      if case .diskFull = error { return }
      unwritten = []
    }
  }

  /// Reports a full disk once, and everything else every time.
  func reportTrouble(_ doing: String, _ error: StorageError) {
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
    if examination.removed != reportedRemoved {
      reportedRemoved = examination.removed
      report([.removed(reportedRemoved)])
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
    recordOwnCommits()
  }

  private func admit(_ replica: ReplicaID) {
    do throws(StorageError) {
      guard try !file.isRemoved(replica) else { return }
      if try file.isOwner {
        guard try file.admit(replica, as: .writer) else { return }
        report([.admitted(replica)])
      } else {
        guard try AdmissionRequests(of: file).ask(for: replica) else { return }
        report([.asked(replica)])
      }
      check()
    } catch {
      examination.record(error)
      report([.trouble("admitting replica \(replica): \(error)")])
    }
    recordOwnCommits()
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
