package import AtollChanges
package import AtollVocabulary

/// Consecutive changesets of one author.
package struct ChangesetRun: Hashable, Sendable {
  package var author: Author
  /// The number of the first; the others follow without holes.
  package var first: SequenceNumber
  /// Canonical bytes; never empty.
  package var changesets: [[UInt8]]
  /// The author's chain hash after the last.
  package var headHash: ChainHash
  /// The author's signature under that hash.
  package var seal: Seal

  package init(
    author: Author, first: SequenceNumber, changesets: [[UInt8]], headHash: ChainHash, seal: Seal
  ) {
    self.author = author
    self.first = first
    self.changesets = changesets
    self.headHash = headHash
    self.seal = seal
  }

  /// The number of the last changeset.
  package var last: SequenceNumber {
    SequenceNumber(first.rawValue &+ UInt64(changesets.count) &- 1)
  }

  /// Canonical bytes of all changesets together.
  package var byteCount: Int { changesets.reduce(0) { $0 + $1.count } }
}
