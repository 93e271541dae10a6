package import AtollVocabulary

/// A request of a replica that took a snapshot, for the changesets below it that its log lacks.
package struct BackfillRequest: Hashable, Sendable {
  /// The changesets that the log already has: `after <= through`.
  package var after: VersionVector
  /// The frontier of the snapshot.
  package var through: VersionVector
  /// The part of the next changeset that is here.
  package var part: ChunkReceipt?

  package init(after: VersionVector, through: VersionVector, part: ChunkReceipt? = nil) {
    self.after = after
    self.through = through
    self.part = part
  }
}

/// An answer to a backfill request: changesets in the order of the sender's log.
package struct Backfill: Hashable, Sendable {
  /// The sender's truncation point: the last changesets that were cut off its log.
  package var truncationPoint: Holdings
  package var state: State
  /// Consecutive ones of each author; only the last can be less than a whole changeset.
  package var parts: [ChangesetChunk]

  /// The raw value is the byte in a frame.
  package enum State: UInt8, Hashable, Sendable {
    /// There is more of it.
    case more = 0
    /// That is all there is here.
    case end = 1
    /// That is all there is here as yet: the sender waits for some of it itself.
    case waiting = 2
  }

  package init(truncationPoint: Holdings, state: State, parts: [ChangesetChunk]) {
    self.truncationPoint = truncationPoint
    self.state = state
    self.parts = parts
  }
}

/// The start of a replica's log.
package struct LogStart: Hashable, Sendable {
  /// The truncation point, behind which the log does not go back: a peer that lacks any of it needs a
  /// snapshot.
  package var truncationPoint: VersionVector
  /// The snapshot that such a peer can be offered.
  package var offer: SnapshotOffer?
  /// The backfill that has still to come, below a snapshot that was taken.
  package var missing: BackfillRequest?

  package init(
    truncationPoint: VersionVector = VersionVector(), offer: SnapshotOffer? = nil,
    missing: BackfillRequest? = nil
  ) {
    self.truncationPoint = truncationPoint
    self.offer = offer
    self.missing = missing
  }
}
