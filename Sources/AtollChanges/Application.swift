package import AtollVocabulary

/// A changeset on its way into a file.
package struct IncomingChangeset: Hashable, Sendable {
  package var author: Author
  package var sequence: SequenceNumber
  /// Canonical bytes, as their author made them.
  package var bytes: [UInt8]
  /// The chain hash the sender has for it; nil inside a run, whose last changeset carries it.
  package var expectedHash: ChainHash?
  /// Its author's signature; nil inside a run, and for what no peer brings.
  package var seal: Seal?

  package init(
    author: Author, sequence: SequenceNumber, bytes: [UInt8], expectedHash: ChainHash? = nil,
    seal: Seal? = nil
  ) {
    self.author = author
    self.sequence = sequence
    self.bytes = bytes
    self.expectedHash = expectedHash
    self.seal = seal
  }
}

/// The outcome of one incoming changeset.
package enum ApplyOutcome: Hashable, Sendable {
  /// It is in the file now, with its log entry.
  case applied(ChangesetID)
  /// It was there already, with the same hash.
  case duplicate
  /// Not kept: these have to be applied first (its author's previous one, or what it names).
  case missing(VersionVector)
  /// In the log and forwarded, not applied yet: stamped `ahead` too far in front of the local clock,
  /// or, if that is nil, waiting for the rest of its transaction, or behind another that waits.
  case deferred(ChangesetID, ahead: Duration?)
  /// Not kept, and its author is left out for a while: to be offered again then.
  case overflowing(retryAfter: Duration, because: LeavingOut = .deferred)
  /// Applied or deferred, beside another changeset of this author and number: its history has branches
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

/// Why an author's changesets are left out for a while, on the link that brought them.
package enum LeavingOut: Hashable, Sendable {
  /// It may not be applied yet, and as much is deferred as may be.
  case deferred
  /// So many of its author's changesets are deferred already.
  case deferredOfAuthor(Int)
  /// So many histories of its author are here already, and the author itself did not bring it.
  case histories(Int)
  /// The sender has brought so many authors lately of whom nothing was here.
  case authors(Int)
  /// The sender may only bring what known replicas wrote, and this one's key is not known here.
  case unknown
  /// The key of its author may not write.
  case role
  /// The store has owners, and none has admitted its replica.
  case notAdmitted
}

extension LeavingOut: CustomStringConvertible {
  package var description: String {
    switch self {
    case .deferred: "it may not be applied yet, and as much as may be is deferred already"
    case .deferredOfAuthor(let count):
      "\(count) changesets of its author wait for a clock already; `atoll clock repair` there helps"
    case .histories(let count):
      "its author has \(count) histories here, and another one is taken from that replica alone; "
        + "link to it, or retire its copies"
    case .authors(let count):
      "the peer has brought \(count) authors within \(Limits.authorsInterval) of whom nothing was "
        + "here"
    case .unknown:
      "the role of the peer lets it bring only what known replicas wrote, and the key of this one "
        + "is not known here; link to it once, or give the peer the role write"
    case .role: "the role of its author in the roster does not let it write"
    case .notAdmitted:
      "no owner of the store has admitted its replica, as far as is known here; `atoll admit` does, where an "
        + "owner is"
    }
  }
}

extension ApplyOutcome {
  /// True for a changeset that has shown another history of its author.
  package var isBranched: Bool { if case .branched = self { true } else { false } }

  /// True if the changeset is in the log, by now or from before.
  package var isKept: Bool {
    switch self {
    case .applied, .deferred, .branched, .duplicate: true
    case .missing, .overflowing, .detached, .equivocation, .refused: false
    }
  }
}
