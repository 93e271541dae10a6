import AtollChanges
import AtollLog
package import AtollVocabulary

/// A removal that takes back what the replica wrote from some moment on, such as after its key was stolen.
///
/// Of a removed replica counts what the removal has in its past (`protocol/owners.md`). An ordinary one has all that
/// its owner had applied. This one is an incarnation of the owner by itself, and names as dependencies the last changesets of
/// that replica before the moment.
///
///     W      1   2   3   4        written by W, and 3 and 4 by a thief with its key
///     owner  …   …   …   5        had applied all of it
///     owner' 1 → W 2              removes W: 3 and 4 change nothing any more
package struct UndoingRemoval {
  private let file: StoreFile
  private let replica: ReplicaID
  private var doing: String { "removing replica \(replica) and taking back what it wrote" }

  package init(of replica: ReplicaID, from file: StoreFile) {
    (self.replica, self.file) = (replica, file)
  }

  /// Removes the replica, which may be removed already.
  ///
  /// - Parameter moment: What its changesets are stamped with from then on, by the replica's own clock, counts no more.
  /// - Returns: The number of changesets that counted here, and do not any more.
  /// - Throws: `notYet` if some of that was cut off the log, and as ``StoreFile/remove(_:)``.
  package func run(since moment: WallTime) throws(StorageError) -> Int {
    try file.checkRemoval(of: replica, doing)
    let key = file.replicaKey
    let (kept, undone) = try file.doing(doing) { try file.snapshot { try divide(at: moment) } }
    let causes = try [OwnersWord.cause(of: file.author.replica, in: file)].compactMap(\.self) + kept
    guard let key else { throw .openedForReading(path: file.path, doing: doing) }
    try OwnersWord(said: .removal, replica: replica)
      .write(in: file, by: key, after: causes, doing: doing)
    return undone
  }

  /// The last changesets of each history before a moment, and how many of those after them count.
  private func divide(at moment: WallTime) throws -> (kept: [ChangesetID], undone: Int) {
    var (kept, undone): ([ChangesetID], Int) = ([], 0)
    guard try !file.log.isAwaitingBackfill else {
      throw cannot(
        "the changesets of its snapshot have not all come", "Try it again when they have")
    }
    for record in file.authors.records
    where record.author.replica == replica && record.hasApplied {
      let last = try lastBefore(moment, of: record)
      if last >= record.first, let hash = try file.log.knownHash(record, last) {
        kept.append(ChangesetID(author: record.author, sequence: last, hash: hash))
      }
      if last < record.sequence {
        undone += (last.next.rawValue...record.sequence.rawValue).count {
          !record.isSuperseded(SequenceNumber($0))
        }
      }
    }
    return (kept, undone)
  }

  private func lastBefore(
    _ moment: WallTime, of record: AuthorRecord
  ) throws -> SequenceNumber {
    let start = record.checkpoint?.sequence ?? record.first.previous
    var last = start
    try file.log.forEachEntry(
      of: record, start.next...max(start.next, record.sequence), descending: true
    ) { sequence, _, bytes in
      let time = try ChangesetReader(bytes, author: record.author).time
      guard time.milliseconds < moment.milliseconds else { return true }
      last = sequence
      return false
    }
    if last == start, let checkpoint = record.checkpoint,
      HybridTime(rawValue: checkpoint.time).milliseconds >= moment.milliseconds
    {
      throw cannot(
        "its changesets up to \(checkpoint.sequence) of \(record.author) are cut off the log, some of them later",
        "Take a later moment, as `atoll log` shows it, and put the rest right by hand")
    }
    return last
  }

  private func cannot(_ detail: String, _ remedy: String) -> StorageError {
    .notYet(path: file.path, doing: doing, detail: detail, remedy: remedy)
  }
}

extension WallTime {
  /// The millisecond that a number of seconds since 1970 lies in; the nearest that there is for one beyond all stamps.
  package init(secondsSince1970 seconds: Double) {
    let limit = Double(Limits.stampMilliseconds)
    let milliseconds = (seconds * 1000).rounded(.down)
    self.init(milliseconds: Int64(milliseconds.isNaN ? 0 : min(max(milliseconds, -limit), limit)))
  }
}
