package import AtollVocabulary

/// A changeset on its way into a file.
package struct IncomingChangeset: Hashable, Sendable {
  package var author: Author
  package var sequence: SequenceNumber
  /// Canonical bytes, as their author made them.
  package var bytes: [UInt8]
  /// The chain hash the sender has for it; nil inside a run, whose last changeset carries it.
  package var expectedHash: ChainHash?

  package init(
    author: Author, sequence: SequenceNumber, bytes: [UInt8], expectedHash: ChainHash? = nil
  ) {
    self.author = author
    self.sequence = sequence
    self.bytes = bytes
    self.expectedHash = expectedHash
  }
}

/// What became of one incoming changeset.
package enum ApplyOutcome: Hashable, Sendable {
  /// It is in the file now, with its log entry.
  case applied(ChangesetID)
  /// It was there already, with the same hash.
  case duplicate
  /// Not kept: these have to be applied first (its author's previous one, or what it names).
  case missing(VersionVector)
  /// In the log and forwarded, not applied yet: stamped `ahead` too far in front of the local clock,
  /// or, if that is nil, waiting for the rest of its transaction, or behind another that waits.
  case held(ChangesetID, ahead: Duration?)
  /// Not kept: it may not be applied yet, and too much is held already; to be offered again.
  case overflowing(retryAfter: Duration)
  /// Applied or held, beside another changeset of this author and number: its history has branches
  /// from here on, which are both kept.
  case branched(ChangesetID, beside: ChangesetID)
  /// Not kept: it follows another changeset than the one that is here under the number before it; the
  /// sender has to begin earlier.
  case detached(after: ChangesetID)
  /// Not kept: it depends on another changeset of an author than the one here of that number.
  case equivocation(known: ChangesetID, received: ChainHash)
  /// Not applied: bytes that are no changeset, a broken chain, or a bound exceeded.
  case refused(reason: String)
}

extension ApplyOutcome {
  /// Whether the changeset is in the log, by now or from before.
  package var isKept: Bool {
    switch self {
    case .applied, .held, .branched, .duplicate: true
    case .missing, .overflowing, .detached, .equivocation, .refused: false
    }
  }
}
