package import AtollVocabulary

/// The digest of what a replica holds, and exactly when.
package struct FrontierDigest: Hashable, Sendable {
  /// A hash over the heads of that moment; equal where exactly the same was applied.
  package var frontier: ChainHash
  package var digest: StateDigest

  package init(frontier: ChainHash, digest: StateDigest) {
    self.frontier = frontier
    self.digest = digest
  }

  /// Of the moment at which `heads` were the last of everything applied, ascending by author.
  package init(heads: [ChangesetID], digest: StateDigest) {
    self.init(frontier: Self.frontier(of: heads), digest: digest)
  }

  /// SHA-256 over each head's author, sequence and hash: 64 bytes each, and 8 more of a branch.
  private static func frontier(of heads: [ChangesetID]) -> ChainHash {
    var hash = ContentDigest()
    for head in heads {
      hash.update(head.author.bytes)
      hash.update(head.sequence.rawValue)
      hash.update(head.hash.bytes)
    }
    return hash.finish()
  }
}

/// One step in the search for the objects by which two replicas differ.
///
/// Objects are spread over 2^64 places; a prefix of `level` digits in base 16 names those whose place
/// begins with it.
package struct DigestQuestion: Hashable, Sendable {
  package var storeID: StoreID
  /// Digits of each prefix, at most ``Limits/digestLevels``.
  package var level: Int
  /// Ascending, each below 16^level, at most ``Limits/digestPrefixes``.
  package var prefixes: [UInt64]
  /// True if the objects themselves are wanted, not sums over the sixteen parts of each prefix.
  package var wantsObjects: Bool

  package init(storeID: StoreID, level: Int, prefixes: [UInt64], wantsObjects: Bool) {
    self.storeID = storeID
    self.level = level
    self.prefixes = prefixes
    self.wantsObjects = wantsObjects
  }
}

/// The digests of a replica at the places of a question.
package struct DigestAnswer: Hashable, Sendable {
  /// The number of objects, deleted ones included, and the sum of their digests.
  package struct Part: Hashable, Sendable {
    package var count: UInt64
    package var digest: StateDigest

    package static let empty = Part(count: 0, digest: .zero)

    package init(count: UInt64, digest: StateDigest) {
      self.count = count
      self.digest = digest
    }

    /// One object more.
    package mutating func add(_ digest: StateDigest) {
      count += 1
      self.digest += digest
    }
  }

  package enum Found: Hashable, Sendable {
    /// Sixteen for each prefix, in order.
    case parts([Part])
    /// Ascending by place; the first ``Limits/digestObjects``.
    case objects([DigestedObject])
    /// Nobody looked: why.
    case nothing(reason: String)
  }

  package var current: FrontierDigest
  package var found: Found

  package init(current: FrontierDigest, found: Found) {
    self.current = current
    self.found = found
  }
}

/// An object by its name for people, and by its digest.
package struct DigestedObject: Hashable, Sendable {
  /// The same for every generation of the object, and for no other object.
  package var identity: StateDigest
  package var className: String
  /// As people read it; a long one is cut.
  package var key: String
  /// Odd while it is alive.
  package var generation: Generation
  package var digest: StateDigest

  package init(
    identity: StateDigest, className: String, key: String, generation: Generation,
    digest: StateDigest
  ) {
    self.identity = identity
    self.className = className
    self.key = key
    self.generation = generation
    self.digest = digest
  }
}
