/// The 128-bit random name of a store file, drawn when the file is made.
package struct ReplicaID: Hashable, Sendable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension ReplicaID {
  /// Sixteen bytes, big-endian.
  package var bytes: [UInt8] {
    [high, low].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
  }

  package init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    func word(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: word(bytes[..<8]), low: word(bytes[8...]))
  }
}

extension ReplicaID: Comparable {
  /// Orders by the sixteen bytes, big-endian.
  package static func < (a: ReplicaID, b: ReplicaID) -> Bool {
    (a.high, a.low) < (b.high, b.low)
  }
}

extension ReplicaID: CustomStringConvertible {
  /// Thirty-two lower-case hexadecimal digits.
  package var description: String { Hexadecimal.text(high) + Hexadecimal.text(low) }

  /// The first eight digits, for log lines where the whole name would drown the rest.
  package var shortDescription: String { String(description.prefix(8)) }

  /// Reads thirty-two hexadecimal digits; nil for anything else.
  package init?(_ text: String) {
    guard text.utf8.count == 32, let (high, low) = Hexadecimal.pair(text) else { return nil }
    self.init(high: high, low: low)
  }
}

/// One uninterrupted run of a replica's history: a file that was restored or copied starts another.
///
/// Random rather than counted, because two copies of one file would count alike.
package struct Incarnation: Hashable, Sendable, Comparable {
  package var rawValue: UInt64

  package init(_ rawValue: UInt64) { self.rawValue = rawValue }

  package static func < (a: Incarnation, b: Incarnation) -> Bool { a.rawValue < b.rawValue }
}

/// One of several histories that a replica wrote in one incarnation, because its disk was rolled back:
/// the first eight bytes of the hash of the first changeset by which it differs from the others.
package struct Branch: Hashable, Sendable, Comparable {
  package var rawValue: UInt64

  package init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// The common history: the part before any fork, and the whole where only one history is known.
  package static let none = Branch(0)

  package static func < (a: Branch, b: Branch) -> Bool { a.rawValue < b.rawValue }
}

/// The writer of a changeset: a replica in one of its incarnations, and one of its histories.
///
/// Ordered as replica bytes, then incarnation, then branch, big-endian (`protocol/changeset.md`,
/// "Authors"). Inside a file authors are interned to small integers; between modules they travel whole.
package struct Author: Hashable, Sendable {
  package var replica: ReplicaID
  package var incarnation: Incarnation
  /// ``Branch/none`` unless two histories are known.
  package var branch: Branch

  package init(replica: ReplicaID, incarnation: Incarnation, branch: Branch = .none) {
    self.replica = replica
    self.incarnation = incarnation
    self.branch = branch
  }

  /// The same author without a branch, as it names itself: what all its histories have in common.
  package var commonHistory: Author { Author(replica: replica, incarnation: incarnation) }

  /// One of this author's histories.
  package func branch(_ branch: Branch) -> Author {
    Author(replica: replica, incarnation: incarnation, branch: branch)
  }
}

extension Author: Comparable {
  package static func < (a: Author, b: Author) -> Bool {
    (a.replica, a.incarnation, a.branch) < (b.replica, b.incarnation, b.branch)
  }
}

extension Author: CustomStringConvertible {
  /// Replica, incarnation and, where there is one, branch in hexadecimal, joined by dots.
  package var description: String {
    "\(replica).\(Hexadecimal.text(incarnation.rawValue))"
      + (branch == .none ? "" : ".\(Hexadecimal.text(branch.rawValue))")
  }

  /// The first eight digits of the replica and four of the incarnation and of the branch.
  package var shortDescription: String {
    "\(replica.shortDescription).\(Hexadecimal.text(incarnation.rawValue).prefix(4))"
      + (branch == .none ? "" : ".\(Hexadecimal.text(branch.rawValue).prefix(4))")
  }

  /// Reads what ``description`` writes; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard 2...3 ~= parts.count, let replica = ReplicaID(String(parts[0])),
      parts.dropFirst().allSatisfy({ $0.utf8.count == 16 }),
      let incarnation = UInt64(parts[1], radix: 16)
    else { return nil }
    self.init(replica: replica, incarnation: Incarnation(incarnation))
    guard parts.count == 3 else { return }
    guard let branch = UInt64(parts[2], radix: 16), branch != 0 else { return nil }
    self.branch = Branch(branch)
  }
}

/// The 128-bit name of a store; stores of different names never exchange anything.
package struct StoreID: Hashable, Sendable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension StoreID: CustomStringConvertible {
  /// Thirty-two lower-case hexadecimal digits.
  package var description: String { Hexadecimal.text(high) + Hexadecimal.text(low) }

  /// Reads thirty-two hexadecimal digits; nil for anything else.
  package init?(_ text: String) {
    guard text.utf8.count == 32, let (high, low) = Hexadecimal.pair(text) else { return nil }
    self.init(high: high, low: low)
  }
}
