import AtollChanges
import AtollPresence
import AtollReplication
import AtollStorage
import AtollVocabulary
private import Foundation
private import Synchronization

/// Looks at all rows of a store, on a thread and a connection of its own.
///
/// One look after the other, and a few that wait; further ones are refused.
final class StoreInspector: Sendable {
  private struct Look: Sendable {
    var body: @Sendable (StoreFile) throws -> [StoreService.Report]
    var failed: @Sendable (String) -> [StoreService.Report]
  }

  private struct State {
    var isLooking = false
    var waiting: [Look] = []
    var externalChange = StateDigest.zero
    /// The times at which the log was last measured, and at which it was last checked for a cut.
    var measuredAt: ContinuousClock.Instant?
    var truncatedAt: ContinuousClock.Instant?
    /// The time at which the rows were last compared with their digests, and whether there is a
    /// reason to repeat it.
    var comparedAt: ContinuousClock.Instant?
    var isSuspicious = false
    /// The commits of others at the last look: by SQLite's count, and by Atoll's.
    var others: Int64?
    var number: CommitNumber?
  }

  private let paths: StorePaths
  private let options: StoreOptions
  private let report: @Sendable ([StoreService.Report]) -> Void
  private let state = Mutex(State())
  /// Looks that wait.
  private static let bound = 8
  private static let stackBytes = 4 << 20

  /// Looks at a store that is there: a file that was removed meanwhile is not made again.
  ///
  /// - Parameters:
  ///   - paths: Of the store.
  ///   - options: The options of each opening.
  ///   - report: Hears what was found, on the inspector's thread.
  init(
    _ paths: StorePaths,
    options: StoreOptions = StoreOptions(isReadOnly: true, mayCreate: false),
    report: @escaping @Sendable ([StoreService.Report]) -> Void
  ) {
    self.paths = paths
    var options = options
    options.mayCreate = false
    self.options = options
    self.report = report
  }

  /// The digest of what was modified externally, at the last comparison of rows and digests.
  var externalChange: StateDigest { state.withLock { $0.externalChange } }

  /// Answers a search for differences; `current` goes with an answer that tells of nothing.
  func answer(_ link: LinkID, _ question: DigestQuestion, current: FrontierDigest) {
    look { file in
      var performer = ActionPerformer(file)
      return try performer.perform(.answer(link, question)).map { .event($0) }
    } failed: { reason in
      [.event(.answered(link, DigestAnswer(current: current, found: .nothing(reason: reason))))]
    }
  }

  /// Compares what the rows hold with what was written, and looks at every page of the file.
  func checkDigests() {
    look { [self] file in
      let found = try file.checkDigests()
      state.withLock { state in
        state.externalChange = found.reduce(.zero) { $0 + $1.found - $1.kept }
      }
      return (found.isEmpty ? [] : [.modifiedExternally(classes: found.map(\.class.name))])
        + (try file.pageFindings()).prefix(1).map { .damaged("the file is damaged: \($0)") }
    } failed: { reason in
      [.trouble("comparing the rows with their digests: \(reason)")]
    }
  }

  /// Compares the rows with their digests now and then, and soon after somebody has committed what is no
  /// commit of a store.
  ///
  /// - Parameters:
  ///   - others: The count of SQLite, which every commit of another connection changes.
  ///   - number: The last commit of a store.
  func checkRows(others: Int64, number: CommitNumber) {
    let now = ContinuousClock.now
    let isDue = state.withLock { state in
      if let known = state.others, known != others, state.number == number {
        state.isSuspicious = true
      }
      (state.others, state.number) = (others, number)
      // The rows were compared when the store was opened.
      guard let last = state.comparedAt else {
        state.comparedAt = now
        return false
      }
      let wait = state.isSuspicious ? Limits.statusHeartbeat : Limits.rowCheckInterval
      guard last.duration(to: now) >= wait else { return false }
      (state.comparedAt, state.isSuspicious) = (now, false)
      return true
    }
    if isDue { checkDigests() }
  }

  /// Looks how long the log is, unless that was done not long ago.
  func measureLog(_ meters: FileMeters) {
    guard isDue(\.measuredAt, every: Limits.logMeasureInterval) else { return }
    look { file in
      let (changesets, bytes) = try file.logSize()
      meters.recordLog(changesets: changesets, bytes: bytes)
      return []
    } failed: { reason in
      [.trouble("measuring the log: \(reason)")]
    }
  }

  /// Cuts the log below what every member has applied and is that old, unless it was looked at not long
  /// ago, or next to nothing would go.
  ///
  /// Writers wait for a thousand changesets at a time, and for a few pages of the checkpoint.
  func truncateLog(olderThan age: Duration) {
    guard isDue(\.truncatedAt, every: Limits.truncationInterval) else { return }
    look { file in
      let left = try file.finishTruncation()
      guard try file.logStart().missing == nil,
        try file.truncationPlan(olderThan: age).removable >= Limits.leastTruncationBytes
      else { return left.changesets > 0 ? [.truncated(left)] : [] }
      return [.truncated(try file.truncateLog(olderThan: age))]
    } failed: { reason in
      [.trouble("truncating the log: \(reason)")]
    }
  }

  /// Tells whether something was not done for so long; it is from now on.
  private func isDue(
    _ last: any WritableKeyPath<State, ContinuousClock.Instant?> & Sendable,
    every interval: Duration
  ) -> Bool {
    let now = ContinuousClock.now
    return state.withLock { state in
      if let last = state[keyPath: last], last.duration(to: now) < interval { return false }
      state[keyPath: last] = now
      return true
    }
  }

  private func look(
    _ body: @escaping @Sendable (StoreFile) throws -> [StoreService.Report],
    failed: @escaping @Sendable (String) -> [StoreService.Report]
  ) {
    let (isTaken, isFirst) = state.withLock { state in
      guard state.waiting.count < Self.bound else { return (false, false) }
      state.waiting.append(Look(body: body, failed: failed))
      defer { state.isLooking = true }
      return (true, !state.isLooking)
    }
    guard isTaken else {
      return report(failed("this node is looking at its rows for others; ask again"))
    }
    guard isFirst else { return }
    let thread = Thread { [self] in
      Thread.current.name = "atoll-inspect"
      while let next = next() { report(reports(of: next)) }
    }
    thread.stackSize = Self.stackBytes
    thread.start()
  }

  private func next() -> Look? {
    state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.isLooking = false
      return nil
    }
  }

  private func reports(of look: Look) -> [StoreService.Report] {
    do {
      let file = try StoreFile.open(paths.store, options: options)
      defer { file.close() }
      return try look.body(file)
    } catch {
      let isDamage = (error as? StorageError)?.isDamage == true
      return look.failed("\(error)") + (isDamage ? [.damaged("\(error)")] : [])
    }
  }
}
