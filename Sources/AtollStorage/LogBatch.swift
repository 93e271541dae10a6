package import AtollVocabulary

/// A place in the local order of the log; 0 is before the first entry.
package struct LogPosition: Hashable, Sendable, Comparable {
  package let rawValue: Int64
  package init(_ rawValue: Int64) { self.rawValue = rawValue }
  package static let start = LogPosition(0)
  package static func < (a: LogPosition, b: LogPosition) -> Bool { a.rawValue < b.rawValue }
}

/// One changeset as the log keeps it: the exact bytes its author encoded.
package struct LogEntry: Hashable, Sendable {
  package var position: LogPosition
  package var author: Author
  package var sequence: SequenceNumber
  package var bytes: [UInt8]
  /// The author's chain up to and including this changeset.
  package var hash: ChainHash

  package init(
    position: LogPosition, author: Author, sequence: SequenceNumber, bytes: [UInt8],
    hash: ChainHash
  ) {
    self.position = position
    self.author = author
    self.sequence = sequence
    self.bytes = bytes
    self.hash = hash
  }
}

/// Part of the log in local order.
package struct LogBatch: Hashable, Sendable {
  package var entries: [LogEntry]
  /// Where to read on; entries the asker holds are skipped, so this may pass the last entry.
  package var next: LogPosition
  package var isAtEnd: Bool

  package init(entries: [LogEntry], next: LogPosition, isAtEnd: Bool) {
    self.entries = entries
    self.next = next
    self.isAtEnd = isAtEnd
  }
}
