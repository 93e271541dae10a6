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

  package init(
    author: Author, first: SequenceNumber, changesets: [[UInt8]], headHash: ChainHash
  ) {
    self.author = author
    self.first = first
    self.changesets = changesets
    self.headHash = headHash
  }

  /// The number of the last changeset.
  package var last: SequenceNumber {
    SequenceNumber(first.rawValue &+ UInt64(changesets.count) &- 1)
  }

  /// Canonical bytes of all changesets together.
  package var byteCount: Int { changesets.reduce(0) { $0 + $1.count } }
}

/// A part of one changeset whose canonical bytes are too many for a frame.
///
/// Chunks of one changeset follow each other without overlap on one link, from offset 0 to `total`.
package struct ChangesetChunk: Hashable, Sendable {
  package var id: ChangesetID
  /// Canonical bytes of the whole changeset.
  package var total: Int
  /// Where `bytes` belong; `offset + bytes.count <= total`.
  package var offset: Int
  package var bytes: [UInt8]

  package init(id: ChangesetID, total: Int, offset: Int, bytes: [UInt8]) {
    self.id = id
    self.total = total
    self.offset = offset
    self.bytes = bytes
  }
}

/// Leave to send more of a chunked changeset.
package struct ChunkReceipt: Hashable, Sendable {
  package var author: Author
  package var sequence: SequenceNumber
  /// Bytes that have arrived, from the first.
  package var received: Int

  package init(author: Author, sequence: SequenceNumber, received: Int) {
    self.author = author
    self.sequence = sequence
    self.received = received
  }
}
