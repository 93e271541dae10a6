package import AtollChanges
package import AtollVocabulary
package import AtollWire

/// Everything an engine asks of the one who runs it; performed in the order given.
///
/// Each may be answered later by the event named in its comment, never from inside
/// ``Engine/handle(_:at:)``.
package enum Action: Hashable, Sendable {
  /// Open a stream to a peer. Answer: ``Event/linkOpened(_:_:)`` or
  /// ``Event/connectFailed(_:reason:)``.
  case connect(PeerID)
  /// Put a frame on a stream. No answer; a stream that cannot take it is closed by its owner.
  case send(LinkID, Frame)
  /// End a stream once what was sent is written. Answer: ``Event/linkClosed(_:reason:)``.
  case close(LinkID, CloseReason)
  /// Look into the log for what a peer lacks. Answer: ``Event/logRead(_:_:)`` or
  /// ``Event/logReadFailed(_:reason:)``, also if the link is gone meanwhile.
  case readLog(LinkID, LogRequest)
  /// Look for changesets to expedite. Answer: ``Event/expeditedRead(_:_:)``, also if
  /// the link is gone meanwhile.
  case readExpedited(LinkID, ExpediteRequest)
  /// Write changesets to the file, in this order. Answer: ``Event/applied(_:_:_:)``,
  /// ``Event/diskFull(_:reason:)`` or ``Event/applyFailed(_:reason:)``, also if the link is gone
  /// meanwhile.
  case apply(LinkID, [IncomingChangeset])
  /// Read the digest of what the file holds. Answer: ``Event/digestRead(_:_:)``, also if the link is
  /// gone meanwhile.
  case readDigest(LinkID)
  /// Look at all objects for somebody who searches for differences. Answer:
  /// ``Event/answered(_:_:)``, also if the link is gone meanwhile.
  case answer(LinkID, DigestQuestion)
  /// Apply what the file holds and may apply by now. Answer: ``Event/heldApplied(_:next:)`` or
  /// ``Event/heldApplyFailed``.
  case applyDeferred
  /// Make a snapshot of what the file holds. Answer: ``Event/snapshotMade(_:)``.
  case makeSnapshot
  /// Read pages for a peer. Answer: ``Event/snapshotRead(_:_:offer:)``, also if the link is gone.
  case readSnapshot(LinkID, SnapshotRequest)
  /// Keep the next pages of a snapshot; none to begin or to go on. Answer:
  /// ``Event/snapshotStaged(_:_:count:)`` or ``Event/snapshotFailed(_:reason:)``.
  case stageSnapshot(LinkID, ChainHash, [SnapshotPage])
  /// Go on from a snapshot that has come whole. Answer:
  /// ``Event/snapshotInstalled(_:_:_:_:)`` or ``Event/snapshotFailed(_:reason:)``.
  case installSnapshot(LinkID, ChainHash)
  /// Read backfill for a peer that began with a snapshot. Answer: ``Event/backfillRead(_:_:)``, also if
  /// the link is gone.
  case readBackfill(LinkID, BackfillRequest)
  /// Keep backfill below the snapshot that the file began with. Answer:
  /// ``Event/backfillKept(_:_:refusal:)`` or ``Event/snapshotFailed(_:reason:)``.
  case keepBackfill(LinkID, Backfill)
  /// Remember what others are known to have. No answer.
  case persistProgress([PeerProgress])
  /// Bring ``Event/timer`` at this instant; replaces the instant set before.
  case setTimer(Instant)
  /// Tell people. No answer.
  case report(StatusEvent)
}

/// The authors whose changesets may be expedited to a peer, and what that peer has.
package struct ExpediteRequest: Hashable, Sendable {
  /// The last changeset of each author that the peer has or was sent expedited; ascending by author.
  package var after: [VersionVector.Entry]
  /// Everything that the peer is known to hold.
  package var held: VersionVector
  /// Canonical bytes of all together, at most.
  package var byteLimit: Int

  package init(after: [VersionVector.Entry], held: VersionVector, byteLimit: Int) {
    self.after = after
    self.held = held
    self.byteLimit = byteLimit
  }
}

/// What one read of the log is to find.
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
