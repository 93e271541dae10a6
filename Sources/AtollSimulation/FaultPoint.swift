package import AtollSQLite

/// The named points in its work at which a node can be made to die.
public enum FaultPoint: String, CaseIterable, Sendable {
  /// The changes of a transaction are made, and nobody has asked to commit.
  case writing
  /// The commit's pages are on their way into the write-ahead log.
  case committing
  /// All pages are written, none is flushed.
  case flushingCommit
  /// The commit is durable; nobody has heard of it.
  case committed
  /// The pages of a peer's batch are on their way.
  case applying
  /// All pages of the batch are written, none is flushed.
  case flushingBatch
  /// The batch is durable; the engine has not heard of it, and nothing is acknowledged.
  case applied
  /// A frame of changesets is made, and not sent.
  case sending
  /// A frame of changesets is on its way, and no more follows.
  case sent
  /// Applied changesets are about to be acknowledged.
  case acknowledging
  /// Applied changesets are acknowledged.
  case acknowledged
  /// The known holdings of peers are on their way into the file.
  case savingProgress
  /// The write-ahead log is moved into the database.
  case movingLog
  /// All of the log is moved, nothing is flushed.
  case flushingStore
  /// The pages of a snapshot are on their way into the file.
  case makingSnapshot
  /// Pages were read for a peer, and not sent.
  case sendingPages
  /// Pages that came are on their way into the file, or are there and more were not asked for.
  case keepingPages
  /// Pages that came are in the file.
  case keptPages
  /// A snapshot takes the place of what the file had.
  case installing
  /// All pages of the snapshot are written, none is flushed.
  case flushingSnapshot
  /// The snapshot is in place.
  case installed
  /// The backfill of a snapshot is on its way into the log.
  case keepingBackfill
  /// A checkpoint is on its way into the file, or what is below it out of the log.
  case truncating
  /// The file is opened after an earlier death.
  case opening
}

extension FaultPoint {
  /// Returns the disk's behaviour at this point; nil for points outside the disk.
  package func plan(using random: inout some RandomNumberGenerator) -> FaultDisk.Plan? {
    switch self {
    case .committing, .applying, .savingProgress, .makingSnapshot, .keepingPages, .installing,
      .keepingBackfill:
      FaultDisk.Plan(.cut, at: [.write], of: .log, after: Int.random(in: 0...6, using: &random))
    case .truncating:
      FaultDisk.Plan(.cut, at: [.write], of: .log, after: Int.random(in: 0...20, using: &random))
    case .flushingCommit, .flushingBatch, .flushingSnapshot:
      FaultDisk.Plan(.cut, at: [.flush], of: .log)
    case .movingLog:
      FaultDisk.Plan(.cut, at: [.write], of: .store, after: Int.random(in: 0...6, using: &random))
    case .flushingStore: FaultDisk.Plan(.cut, at: [.flush], of: .store)
    case .opening:
      FaultDisk.Plan(.cut, at: [.read, .write], after: Int.random(in: 0...30, using: &random))
    case .writing, .committed, .applied, .sending, .sent, .acknowledging, .acknowledged,
      .sendingPages, .keptPages, .installed:
      nil
    }
  }
}
