package import AtollChanges
package import AtollVocabulary

/// Everything that an engine asks of its store; ``Action/store(_:)`` carries it.
///
/// Each may be answered later by the event named in its comment, in the order in which they were
/// asked or not, and also if the link is gone meanwhile.
package enum StoreAction: Hashable, Sendable {
  /// Look into the log for what a peer lacks. Answer: ``Event/logRead(_:_:)`` or
  /// ``Event/logReadFailed(_:reason:)``.
  case readLog(LinkID, LogRequest)
  /// Look for changesets to expedite. Answer: ``Event/expeditedRead(_:_:)``.
  case readExpedited(LinkID, ExpediteRequest)
  /// Write changesets to the file, in this order. Answer: ``Event/applied(_:_:_:)``,
  /// ``Event/diskFull(_:reason:)`` or ``Event/applyFailed(_:reason:)``.
  case apply(LinkID, [IncomingChangeset])
  /// Read the digest of what the file holds. Answer: ``Event/digestRead(_:_:)``.
  case readDigest(LinkID)
  /// Look at all objects for somebody who searches for differences. Answer:
  /// ``Event/answered(_:_:)``.
  case answer(LinkID, DigestQuestion)
  /// Apply what the file holds and may apply by now. Answer: ``Event/deferredApplied(_:next:wanting:)``
  /// or ``Event/deferredApplyFailed``.
  case applyDeferred
  /// Make a snapshot of what the file holds. Answer: ``Event/snapshotMade(_:)``.
  case makeSnapshot
  /// Read pages for a peer. Answer: ``Event/snapshotRead(_:_:offer:)``.
  case readSnapshot(LinkID, SnapshotRequest)
  /// Keep the next pages of a snapshot; none to begin or to go on. Answer:
  /// ``Event/snapshotStaged(_:_:count:)`` or ``Event/snapshotFailed(_:reason:)``.
  case stageSnapshot(LinkID, ChainHash, [SnapshotPage])
  /// Go on from a snapshot that has come whole. Answer:
  /// ``Event/snapshotInstalled(_:_:_:_:)`` or ``Event/snapshotFailed(_:reason:)``.
  case installSnapshot(LinkID, ChainHash)
  /// Read backfill for a peer that began with a snapshot. Answer: ``Event/backfillRead(_:_:)``.
  case readBackfill(LinkID, BackfillRequest)
  /// Keep backfill below the snapshot that the file began with. Answer:
  /// ``Event/backfillKept(_:_:refusal:)`` or ``Event/snapshotFailed(_:reason:)``.
  case keepBackfill(LinkID, Backfill)
  /// Remember what others are known to have. No answer.
  case persistProgress([PeerProgress])
}

extension StoreAction {
  /// Tells whether it brings changesets or a snapshot into the objects, so that there may be a commit.
  package var changesObjects: Bool {
    switch self {
    case .apply, .applyDeferred, .installSnapshot: true
    case .readLog, .readExpedited, .readDigest, .answer, .makeSnapshot, .readSnapshot,
      .stageSnapshot, .readBackfill, .keepBackfill, .persistProgress:
      false
    }
  }
}

/// The authors whose changesets may be expedited to a peer, and what that peer has.
package struct ExpediteRequest: Hashable, Sendable {
  /// The last changeset of each author that the peer has or was sent expedited; ascending by author.
  package var after: [VersionVector.Entry]
  /// Everything that the peer is known to hold.
  package var stored: VersionVector
  /// Canonical bytes of all together, at most.
  package var byteLimit: Int

  package init(after: [VersionVector.Entry], stored: VersionVector, byteLimit: Int) {
    self.after = after
    self.stored = stored
    self.byteLimit = byteLimit
  }
}

/// The changesets that one read of the log is to find.
package struct LogRequest: Hashable, Sendable {
  /// Changesets in here are skipped.
  package var lackedBy: VersionVector
  /// Only entries behind this position.
  package var after: LogPosition
  /// Canonical bytes to stop after; the first entry comes whole, whatever its size.
  package var byteLimit: Int

  package init(lackedBy: VersionVector, after: LogPosition, byteLimit: Int) {
    self.lackedBy = lackedBy
    self.after = after
    self.byteLimit = byteLimit
  }
}
