package import AtollVocabulary

/// The beginning of a snapshot: its store, and the meaning of the numbers in its rows.
///
/// `protocol/snapshot.md` has the bytes. Classes, properties, tables and authors are numbered from 0
/// in the order given here; rows name them by these numbers.
package struct SnapshotHead: Hashable, Sendable {
  package var storeID: StoreID
  /// The time of the last changeset that counts: no stamp is later, and clocks go on from it.
  package var time: HybridTime
  package var classes: [Class] = []
  package var properties: [PropertyDeclaration] = []
  package var tables: [Table] = []
  package var authors: [Writer] = []

  package init(storeID: StoreID, time: HybridTime) {
    self.storeID = storeID
    self.time = time
  }

  /// A class, with the digest of all its objects; zero for an embedded one.
  package struct Class: Hashable, Sendable {
    package var declaration: ClassDeclaration
    package var digest: StateDigest

    package init(_ declaration: ClassDeclaration, digest: StateDigest) {
      self.declaration = declaration
      self.digest = digest
    }
  }

  /// A table of rows: a class's objects, or the contents of the collections at one place.
  package struct Table: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      /// Of the class of this number.
      case objects(UInt32)
      /// Held by the cells of an earlier table at one of its nodes.
      case held(table: UInt32, node: UInt32)
    }

    /// A place for a cell in each row: a property, within the slot at an earlier node or at the top.
    package struct Node: Hashable, Sendable {
      package var parent: UInt32?
      package var property: UInt32

      package init(parent: UInt32?, property: UInt32) {
        self.parent = parent
        self.property = property
      }
    }

    package var kind: Kind
    package var nodes: [Node]

    package init(_ kind: Kind, nodes: [Node]) {
      self.kind = kind
      self.nodes = nodes
    }
  }

  /// An author, or one of its histories, as of the frontier.
  package struct Writer: Hashable, Sendable {
    package var author: Author
    /// The history that this one goes on from.
    package var parent: UInt32?
    package var first: SequenceNumber
    package var began: UInt64
    /// The last changeset applied, with the chain up to it and its time; `first - 1` for none.
    package var sequence: SequenceNumber
    package var hash: ChainHash
    package var time: UInt64
    /// Its replica's signature under ``hash``; nil where the maker has none.
    package var seal: Seal?
    /// Up to where it was released, and the greatest time that was applied because of it.
    package var released = SequenceNumber.none
    package var releasedTime: UInt64 = 0
    package var superseded: [ClosedRange<SequenceNumber>] = []
    /// The changesets of others that it had applied when it last wrote.
    package var seen: [Seen] = []
    /// Its declarations, in its order.
    package var declared: [Declared] = []
    /// The last of its changesets that are applied, ascending, at most ``Limits/recentChangesets``.
    package var recent: [Recent] = []

    package init(
      author: Author, parent: UInt32?, first: SequenceNumber, began: UInt64,
      sequence: SequenceNumber, hash: ChainHash, time: UInt64
    ) {
      self.author = author
      self.parent = parent
      self.first = first
      self.began = began
      self.sequence = sequence
      self.hash = hash
      self.time = time
    }

    /// True if anything of it is in the snapshot.
    package var hasApplied: Bool { sequence >= first }
    package var head: ChangesetID { ChangesetID(author: author, sequence: sequence, hash: hash) }

    /// Its first changeset follows the last one of another history of the author.
    fileprivate func goesOn(from other: Writer) -> Bool {
      first == other.sequence.next && author.commonHistory == other.author.commonHistory
    }

    /// The number of the first of ``recent``; `sequence + 1` if there is none.
    package var recentFirst: SequenceNumber {
      SequenceNumber(sequence.rawValue + 1 - UInt64(recent.count))
    }

    /// Looks up one of the last changesets; nil for an earlier one, and for one beyond ``sequence``.
    package func recent(_ sequence: SequenceNumber) -> Recent? {
      guard recentFirst <= sequence, sequence <= self.sequence else { return nil }
      return recent[Int(sequence.rawValue - recentFirst.rawValue)]
    }
  }

  /// A changeset that a snapshot has as cells, so that another history of its author can be told from it.
  package struct Recent: Hashable, Sendable {
    /// The chain up to it.
    package var hash: ChainHash
    package var time: UInt64
    /// The number of those of ``Writer/declared`` that were declared by then.
    package var declared: Int
    /// The changesets that it depends on.
    package var seen: [Seen]

    package init(hash: ChainHash, time: UInt64, declared: Int, seen: [Seen]) {
      self.hash = hash
      self.time = time
      self.declared = declared
      self.seen = seen
    }
  }

  package struct Seen: Hashable, Sendable {
    package var author: UInt32
    package var sequence: SequenceNumber

    package init(author: UInt32, sequence: SequenceNumber) {
      self.author = author
      self.sequence = sequence
    }
  }

  /// A number of the head that an author has declared.
  package enum Declared: Hashable, Sendable {
    case `class`(UInt32)
    case property(UInt32)
    case author(UInt32)
  }

  /// Histories after those that they go on from, else in their order.
  package var parentsFirst: [Writer] {
    let depths = authors.map { writer in
      var (depth, parent) = (0, writer.parent)
      while let number = parent, Int(number) < authors.count, depth < authors.count {
        (depth, parent) = (depth + 1, authors[Int(number)].parent)
      }
      return depth
    }
    return authors.indices.sorted { (depths[$0], $0) < (depths[$1], $1) }.map { authors[$0] }
  }

  /// The histories for whose ends nothing vouches: that have no seal, and from which none goes on that has one.
  package var unsealed: [Writer] {
    var vouched: Set<Int> = []
    for number in authors.indices where authors[number].hasApplied && authors[number].seal != nil {
      var number = number
      while vouched.insert(number).inserted, let parent = authors[number].parent.map(Int.init),
        parent < authors.count, authors[number].goesOn(from: authors[parent])
      {
        number = parent
      }
    }
    return authors.indices.filter { authors[$0].hasApplied && !vouched.contains($0) }
      .map { authors[$0] }
  }

  /// The last changeset of each author that is in the snapshot.
  package var frontier: Holdings {
    Holdings(heads: authors.filter(\.hasApplied).map(\.head))
  }
}
