/// The position of a changeset among its author's: 1, 2, 3 … without holes; 0 means none yet.
package struct SequenceNumber: Hashable, Sendable, Comparable {
  package var rawValue: UInt64

  package init(_ rawValue: UInt64) { self.rawValue = rawValue }

  package static let none = SequenceNumber(0)
  package static let first = SequenceNumber(1)
  /// No changeset's; in a request it stands for "none of this author's".
  package static let max = SequenceNumber(UInt64.max)

  package var next: SequenceNumber { SequenceNumber(rawValue &+ 1) }

  package static func < (a: SequenceNumber, b: SequenceNumber) -> Bool {
    a.rawValue < b.rawValue
  }
}

extension SequenceNumber: CustomStringConvertible {
  package var description: String { String(rawValue) }
}

/// The time, author and place in its changeset of an operation; "later" is the greater stamp.
///
/// Hybrid time respects causality, so a write that saw another is always later. Author and index
/// decide only between writes that did not see each other.
package struct Stamp: Hashable, Sendable {
  package var time: HybridTime
  package var author: Author
  /// Counts the operations of the changeset and every identity they make, from 0.
  package var index: UInt32

  package init(time: HybridTime, author: Author, index: UInt32) {
    self.time = time
    self.author = author
    self.index = index
  }
}

extension Stamp: Comparable {
  package static func < (a: Stamp, b: Stamp) -> Bool {
    (a.time, a.author, a.index) < (b.time, b.author, b.index)
  }
}

extension Stamp: CustomStringConvertible {
  package var description: String { "\(time)@\(author.shortDescription)#\(index)" }
}

/// The name of something a changeset made: a list element, or an object without a declared key.
package struct ChangeIdentity: Hashable, Sendable {
  package var author: Author
  package var sequence: SequenceNumber
  package var index: UInt32

  package init(author: Author, sequence: SequenceNumber, index: UInt32) {
    self.author = author
    self.sequence = sequence
    self.index = index
  }
}

extension ChangeIdentity: Comparable {
  package static func < (a: ChangeIdentity, b: ChangeIdentity) -> Bool {
    (a.author, a.sequence, a.index) < (b.author, b.sequence, b.index)
  }
}

extension ChangeIdentity: CustomStringConvertible {
  package var description: String { "\(author.shortDescription):\(sequence)#\(index)" }
}

/// The count of an object's creations and deletions: 0 unknown, odd alive, even deleted.
package struct Generation: Hashable, Sendable, Comparable {
  package var rawValue: UInt32

  package init(_ rawValue: UInt32) { self.rawValue = rawValue }

  package static let unknown = Generation(0)
  package static let first = Generation(1)

  package var isAlive: Bool { rawValue & 1 == 1 }

  package static func < (a: Generation, b: Generation) -> Bool { a.rawValue < b.rawValue }
}

extension Generation: CustomStringConvertible {
  package var description: String { String(rawValue) }
}

/// The hash of an author's changesets up to one of them: 32 bytes of SHA-256.
package struct ChainHash: Hashable, Sendable {
  /// Always ``byteCount`` long.
  package let bytes: [UInt8]

  package static let byteCount = 32

  /// Takes 32 bytes; nil for any other number.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = Array(bytes)
  }
}

extension ChainHash {
  /// The first sixteen bytes as two numbers, most significant byte first.
  package var words: (high: UInt64, low: UInt64) {
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    return (word(bytes[..<8]), word(bytes[8..<16]))
  }
}

extension ChainHash: CustomStringConvertible {
  package var description: String { Hexadecimal.text(bytes: bytes) }

  /// The first sixteen digits.
  package var shortDescription: String { String(description.prefix(16)) }
}
