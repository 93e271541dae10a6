import AtollChanges
import AtollVocabulary

/// An author as this file knows it: how far its chain is applied, and what its numbers mean here.
///
/// Of an author with several histories each has a record, and so has what they have in common: a tree,
/// in which a record's changesets follow its parent's last one. `StoreFile+Branches.swift` draws it.
final class AuthorRecord {
  /// The small number that stamps in rows carry; from 1.
  let number: Int64
  let author: Author
  /// The record whose changesets come before ``first``; 0 for one that begins at the beginning, and
  /// for a name of which no changeset is known.
  var parent: Int64 = 0
  /// The first changeset that is this record's, and when it was written.
  var first = SequenceNumber.first
  var began: UInt64 = 0
  /// The records that go on where this one ends, by number.
  var children: [Int64] = []
  /// The last changeset applied, `first - 1` for none, and the chain up to it.
  var sequence: SequenceNumber
  var hash: ChainHash
  /// What of its chain is in the log and not applied, waiting for a clock; nil if nothing is.
  var waiting: Waiting?
  /// Up to where an operator has released it: no stamp is too far ahead.
  var released = SequenceNumber.none
  /// The superseded changesets, which change nothing: a new incarnation reissued them.
  var superseded: [ClosedRange<SequenceNumber>] = []
  /// The reissued ranges among the superseded ones, as far as they are known.
  var reissued: [ReissuedRange] = []
  /// What of its chain came with a snapshot instead of the log; nil if nothing did.
  var checkpoint: CheckpointHead?
  /// The last of its chain that was cut off the log; nil if the log has its first changeset.
  var truncationPoint: TruncationPoint?
  /// The gap: changesets of its chain that the checkpoint has and the log lacks.
  var gap: LogGap?
  /// How far this file's own changesets have named this author as a dependency.
  var named: SequenceNumber
  var declarations: DeclarationTable
  /// How far it had applied other authors' changesets, by number; nil until it is read.
  var seen: [Int64: SequenceNumber]?
  /// Whose entries of ``seen`` the file lacks.
  var unsavedSeen: Set<Int64> = []
  /// The time of one of its changesets, which is asked for again and again.
  var knownTime: (sequence: SequenceNumber, time: UInt64)?
  /// The author's class, property and author numbers as local ones; index 0 of ``authors`` is its own.
  ///
  /// Each field of each operation asks here; nothing accesses them twice at once.
  @exclusivity(unchecked) var classes: [ClassID] = []
  @exclusivity(unchecked) var properties: [StoredProperty] = []
  @exclusivity(unchecked) var authors: [Int64]
  /// The way back, for the author that writes here: by local class and property number.
  @exclusivity(unchecked) var classNumbers: [UInt32?] = []
  @exclusivity(unchecked) var propertyNumbers: [UInt32?] = []
  var authorNumbers: [Int64: UInt32]
  var isStored = true
  /// The author as digests have it.
  private(set) lazy var digest = DigestHasher.author(author)

  init(
    number: Int64, author: Author, sequence: SequenceNumber, hash: ChainHash, named: SequenceNumber
  ) {
    self.number = number
    self.author = author
    self.sequence = sequence
    self.hash = hash
    self.named = named
    declarations = DeclarationTable(author: author)
    authors = [number]
    authorNumbers = [number: 0]
  }

  /// The hash of a changeset where the log need not have it.
  func hashWithoutLog(of sequence: SequenceNumber) -> ChainHash? {
    if let checkpoint, checkpoint.sequence == sequence { return checkpoint.hash }
    if let truncationPoint, truncationPoint.sequence == sequence { return truncationPoint.hash }
    if let coming = gap?.coming, coming.sequence == sequence { return coming.hash }
    return nil
  }

  /// Whether anything of it is applied.
  var hasApplied: Bool { sequence >= first }
  /// Whether anything of it has come.
  var isKnownHere: Bool { hasApplied || waiting != nil }
  /// Whether its name is one of several histories, none of which is known here yet.
  var isUnknownBranch: Bool { author.branch != .none && parent == 0 }

  /// Goes on with the numbers that the history before it had declared.
  func inherit(from parent: AuthorRecord) {
    declarations = parent.declarations
    classes = parent.classes
    properties = parent.properties
    authors = [number] + parent.authors.dropFirst()
    classNumbers = parent.classNumbers
    propertyNumbers = parent.propertyNumbers
    authorNumbers = parent.authorNumbers
    authorNumbers[parent.number] = nil
    authorNumbers[number] = 0
  }

  /// Forgets what its numbers mean.
  func forgetDeclarations() {
    declarations = DeclarationTable(author: author)
    (classes, properties, authors) = ([], [], [number])
    (classNumbers, propertyNumbers, authorNumbers) = ([], [], [number: 0])
  }

  /// The last changeset applied.
  var head: ChangesetID { ChangesetID(author: author, sequence: sequence, hash: hash) }
  /// The last changeset held: `head.sequence <= heldHead.sequence`.
  var heldHead: ChangesetID {
    guard let waiting else { return head }
    return ChangesetID(author: author, sequence: waiting.last, hash: waiting.hash)
  }

  func note(_ id: ClassID) {
    classNumbers.set(UInt32(classes.count), at: Int(id.rawValue))
    classes.append(id)
  }

  func note(_ property: StoredProperty) {
    propertyNumbers.set(UInt32(properties.count), at: Int(property.id.rawValue))
    properties.append(property)
  }

  func note(author other: Int64) {
    authorNumbers[other] = UInt32(authors.count)
    authors.append(other)
  }

  func classID(_ number: ClassNumber) -> ClassID? {
    number.rawValue < classes.count ? classes[Int(number.rawValue)] : nil
  }

  func property(_ number: PropertyNumber) -> StoredProperty? {
    number.rawValue < properties.count ? properties[Int(number.rawValue)] : nil
  }

  func authorNumber(_ number: AuthorNumber) -> Int64? {
    number.rawValue < authors.count ? authors[Int(number.rawValue)] : nil
  }

  func number(of id: ClassID) -> ClassNumber? {
    let index = Int(id.rawValue)
    return index < classNumbers.count ? classNumbers[index].map(ClassNumber.init) : nil
  }

  func number(of id: PropertyID) -> PropertyNumber? {
    let index = Int(id.rawValue)
    return index < propertyNumbers.count ? propertyNumbers[index].map(PropertyNumber.init) : nil
  }
}

extension AuthorRecord {
  func isSuperseded(_ sequence: SequenceNumber) -> Bool {
    superseded.contains { $0.contains(sequence) }
  }

  /// The last changeset that is applied and not superseded; `none` if there is no such one.
  ///
  /// A changeset that supersedes depends on nothing beyond: others may defer that by their clocks, and do not
  /// know yet that it counts for nothing.
  var lastThatCounts: SequenceNumber {
    var last = sequence
    while let range = superseded.first(where: { $0.contains(last) }) {
      last = SequenceNumber(range.lowerBound.rawValue - 1)
    }
    return last
  }

  /// A superseded range, and the author that reissued it from its second changeset on.
  struct ReissuedRange {
    var range: ClosedRange<SequenceNumber>
    /// By number.
    var writer: Int64
    /// The first of the superseded ones, of which the writer's second is made.
    var origin: SequenceNumber

    /// The writer's changeset by which one of the range was reissued.
    func successor(of sequence: SequenceNumber) -> SequenceNumber {
      SequenceNumber(sequence.rawValue - origin.rawValue + 2)
    }
  }

  /// The end of a chain, held and not applied.
  struct Waiting {
    var last: SequenceNumber
    var hash: ChainHash
    var count: Int
    var byteCount: Int
    /// Those of its last transaction, as long as the rest of that has still to come; 0 if it has come.
    var openBytes = 0
    /// What the author has declared by its last held changeset; nil until it is asked for.
    var declarations: DeclarationTable?

    var isOpen: Bool { openBytes > 0 }
  }
}

extension Array {
  fileprivate mutating func set<Wrapped>(_ value: Wrapped, at index: Int)
  where Element == Wrapped? {
    while count <= index { append(nil) }
    self[index] = value
  }
}
