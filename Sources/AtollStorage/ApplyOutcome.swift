package import AtollVocabulary

/// A changeset as a peer delivered it.
package struct IncomingChangeset: Hashable, Sendable {
  package var author: Author
  package var sequence: SequenceNumber
  package var bytes: [UInt8]
  /// What the sender says the chain is after this changeset; nil where it did not say.
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

/// What became of an incoming changeset.
package enum ApplyOutcome: Hashable, Sendable {
  case applied(ChainHash)
  /// It was here already, byte for byte.
  case duplicate
  /// These must be applied before it: the author's own previous one, or what it depends on.
  case missing([Missing])
  /// Stamped further ahead of the local clock than `Limits.clockDrift`, by this much: not kept,
  /// to be offered again.
  case quarantined(ahead: Duration)
  case refused(Refusal)
  /// Another changeset of this author and sequence is here already; both hashes.
  case equivocation(held: ChainHash, received: ChainHash)

  /// An author's changesets up to a sequence that are wanted first.
  package struct Missing: Hashable, Sendable {
    package var author: Author
    package var sequence: SequenceNumber

    package init(author: Author, sequence: SequenceNumber) {
      self.author = author
      self.sequence = sequence
    }
  }

  package enum Refusal: Hashable, Sendable {
    /// The bytes are no changeset; what is wrong with them.
    case malformed(String)
    /// The sender's chain hash is not the one these bytes give.
    case brokenChain(expected: ChainHash, found: ChainHash)
    /// It names a changeset by a hash other than the one held here.
    case otherHistory(Missing, expected: ChainHash, held: ChainHash)
  }
}
