import AtollChanges
import AtollLog
import AtollVocabulary

/// The changesets that truncating the log removed.
package struct LogTruncation: Hashable, Sendable {
  package var changesets = 0
  package var bytes = 0
}

// Truncation: what every member has applied, and is old enough, goes from the log. All objects as they were
// there become the file's checkpoint, so that whoever comes late is given them, and objects can still be made
// anew. Tombstones of list elements are collected with it. Those of objects with a declared key stay: nothing
// that a late replica writes brings such an object back.
extension StoreFile {
  /// Shortens the log as far as nobody needs it.
  ///
  /// The objects of that time are made again in a file of their own, from the last checkpoint and the log;
  /// writers are not kept waiting. Killed at any point, it leaves the log as it was, or is finished by
  /// ``finishTruncation()`` or the next one.
  ///
  /// - Parameter age: How old what is removed has to be.
  /// - Returns: What was removed.
  /// - Throws: `notWritable` while what a snapshot was made of has still to come.
  package func truncateLog(olderThan age: Duration) throws(StorageError) -> LogTruncation {
    let plan = try truncationPlan(olderThan: age)
    return try doing("truncating the log") {
      try checkNothingIsAwaited()
      let checkpoint = try snapshot { log.checkpointVector }
      var frontier = plan.frontier
      if frontier.includes(checkpoint) {
        if frontier != checkpoint, let made = try makeCheckpoint(at: frontier) {
          frontier = made
          try tables.collectTombstones { body in
            try quietly("collecting tombstones of list elements", body)
          }
        } else {
          frontier = checkpoint
        }
      } else {
        // Not all members have applied what the checkpoint has: it stays, and the log is cut below.
        frontier = frontier.common(with: checkpoint)
      }
      try quietly("truncating the log") { try log.raiseTruncationPoints(to: frontier) }
      return try removeTruncated()
    }
  }

  /// Removes what a truncation that was killed has left below the truncation point.
  package func finishTruncation() throws(StorageError) -> LogTruncation {
    try doing("truncating the log") { try removeTruncated() }
  }

  /// Tells if what an entry depends on is here, and beyond what is replayed.
  ///
  /// There may be as many changesets of another branch of its author.
  private func isBeyondFrontier(_ outcome: ApplyOutcome) throws -> Bool {
    switch outcome {
    case .missing: true
    case .equivocation(let known, let named):
      try log.branch(of: known.author, with: known.sequence, named) != nil
    case .applied, .deferred, .branched, .duplicate, .detached, .overflowing, .refused: false
    }
  }

  private func checkNothingIsAwaited() throws {
    guard try !log.isAwaitingBackfill else {
      throw StorageError.notYet(
        path: path, doing: "truncating the log",
        detail: "the changesets of its snapshot have not all come",
        remedy: "Let it be served until `atoll status` names no history that is missing")
    }
  }

  /// Makes a snapshot of the objects as they were at a frontier, and what the log goes on from.
  ///
  /// The holdings of others are reported author by author, so an effect may be known before its
  /// cause.
  ///
  /// - Returns: How much of the frontier has all its causes in it; nil if nothing beyond the present checkpoint has.
  private func makeCheckpoint(at frontier: VersionVector) throws -> VersionVector? {
    let former = try makeEmpty()
    let making: SnapshotMaking
    let reached: VersionVector
    do {
      try former.copyCheckpoint(of: self)
      try nameBranches(in: former)
      try replay(into: former, upTo: frontier) { entry, outcome in
        if try isBeyondFrontier(outcome) { return true }
        throw StorageError.damaged(
          path: path,
          detail: "log entry \(entry.position) does not apply: \(outcome). `atoll verify` says more"
        )
      }
      reached = try former.holdings().applied
      // A log is not cut where others would not take the snapshot in its place.
      let stranger = try former.unadmitted(in: former.appliedHeads)
      guard reached != log.checkpointVector, stranger == nil else {
        former.close()
        return nil
      }
      making = try SnapshotMaking(of: former, into: self)
    } catch {
      former.close()
      throw error
    }
    while try !making.advance() {}
    try quietly("truncating the log") {
      guard let number = try snapshotNumber(in: .whole) else { return }
      let head = try head(ofSnapshot: number)
      try log.dropCheckpoint()
      for writer in head.authors where writer.hasApplied {
        guard let record = authors[writer.author] else { continue }
        try log.storeCheckpoint(writer.sequence, writer.hash, time: writer.time, of: record)
      }
      try setState(.checkpoint, ofSnapshot: number)
    }
    try authors.refreshCheckpoint()
    return reached
  }

  /// Removes the entries below the truncation point, a few in each transaction.
  func removeTruncated() throws -> LogTruncation {
    var removed = LogTruncation()
    while true {
      let part = try quietly("truncating the log") {
        try log.removeTruncated(limit: Self.removedAtOnce)
      }
      guard part.changesets > 0 else { return removed }
      removed.changesets += part.changesets
      removed.bytes += part.bytes
    }
  }

  /// Changesets removed in one transaction, for which writers wait.
  private static let removedAtOnce = 1000
}
