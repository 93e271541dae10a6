package import AtollVocabulary

/// A part of one changeset whose canonical bytes are too many for a frame.
///
/// Chunks of one changeset follow each other without overlap on one link, from offset 0 to `total`.
package struct ChangesetChunk: Hashable, Sendable {
  package var id: ChangesetID
  /// Canonical bytes of the whole changeset.
  package var total: Int
  /// The place of `bytes`; `offset + bytes.count <= total`.
  package var offset: Int
  package var bytes: [UInt8]
  /// The author's signature for the changeset; nil only in backfill, where one further on vouches for it.
  package var seal: Seal?

  package init(id: ChangesetID, total: Int, offset: Int, bytes: [UInt8], seal: Seal? = nil) {
    self.id = id
    self.total = total
    self.offset = offset
    self.bytes = bytes
    self.seal = seal
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
