package import AtollChanges
package import AtollVocabulary

/// An author as the log knows it: how far its chain is applied, and what of it is where.
///
/// Of an author with several branches each has a record, and so has their common history: a tree, in which
/// a record's changesets follow its parent's last one. `ChangesetLog+Branches.swift` draws it.
package final class AuthorRecord {
  /// The small number that stamps in rows carry; from 1.
  package let number: Int64
  package let author: Author
  /// The record whose changesets come before ``first``; 0 for one that begins at the beginning, and
  /// for a name of which no changeset is known.
  package var parent: Int64 = 0
  /// The first changeset that is this record's, and when it was written.
  package var first = SequenceNumber.first
  package var began: UInt64 = 0
  /// The records that go on where this one ends, by number.
  package internal(set) var children: [Int64] = []
  /// The last changeset applied, `first - 1` for none, and the chain up to it.
  package var sequence: SequenceNumber
  package var hash: ChainHash
  /// The deferred end of its chain: in the log and not applied; nil if there is none.
  package var deferred: Deferred?
  /// The last changeset that an operator has released: no stamp up to it is too far ahead.
  package internal(set) var released = SequenceNumber.none
  /// The superseded changesets, which change nothing: a new incarnation reissued them.
  package internal(set) var superseded: [ClosedRange<SequenceNumber>] = []
  /// The changesets that supersede them; a range that several name is in it several times.
  package internal(set) var supersedings: [Superseding] = []
  /// The last that counts, for an owner has removed the replica; nil if none has.
  package internal(set) var removal: Removal?
  /// The reissued ranges among the superseded ones, as far as they are known.
  package internal(set) var reissued: [ReissuedRange] = []
  /// The part of its chain that came with a snapshot instead of the log; nil if none did.
  package internal(set) var checkpoint: CheckpointHead?
  /// The last of its chain that was cut off the log; nil if the log has its first changeset.
  package internal(set) var truncationPoint: TruncationPoint?
  /// The gap: changesets of its chain that the checkpoint has and the log lacks.
  package internal(set) var gap: LogGap?
  /// The last changeset of it that this file's own changesets have named as a dependency.
  package var named: SequenceNumber
  /// The declarations of its applied changesets.
  package var declarations: DeclarationTable
  /// The last changeset of each other author that it had applied, by number; nil until it is read.
  package var seen: [Int64: SequenceNumber]?
  /// The authors whose entries of ``seen`` the file lacks.
  package var unsavedSeen: Set<Int64> = []
  /// The time of one of its changesets, which is asked for again and again.
  var knownTime: (sequence: SequenceNumber, time: UInt64)?

  init(
    number: Int64, author: Author, sequence: SequenceNumber, hash: ChainHash, named: SequenceNumber
  ) {
    self.number = number
    self.author = author
    self.sequence = sequence
    self.hash = hash
    self.named = named
    declarations = DeclarationTable(author: author)
  }

  /// The hash of a changeset where the log need not have it.
  func hashWithoutLog(of sequence: SequenceNumber) -> ChainHash? {
    if let checkpoint, checkpoint.sequence == sequence { return checkpoint.hash }
    if let truncationPoint, truncationPoint.sequence == sequence { return truncationPoint.hash }
    if let coming = gap?.coming, coming.sequence == sequence { return coming.hash }
    return nil
  }

  /// Some of it is applied.
  package var hasApplied: Bool { sequence >= first }
  /// Some of it is stored.
  package var isKnownHere: Bool { hasApplied || deferred != nil }
  /// It names a branch of which nothing is known here yet.
  package var isUnknownBranch: Bool { author.branch != .none && parent == 0 }

  /// The last changeset applied.
  package var head: ChangesetID { ChangesetID(author: author, sequence: sequence, hash: hash) }
  /// The last changeset stored: `head.sequence <= storedHead.sequence`.
  package var storedHead: ChangesetID {
    guard let deferred else { return head }
    return ChangesetID(author: author, sequence: deferred.last, hash: deferred.hash)
  }
}

extension AuthorRecord {
  /// Tells if a changeset counts for nothing: it was reissued, or its replica removed before.
  package func isSuperseded(_ sequence: SequenceNumber) -> Bool {
    removal.map { $0.last < sequence } ?? false || superseded.contains { $0.contains(sequence) }
  }

  /// Tells if the checkpoint has one of these changesets that is not superseded: it cannot be taken back.
  package func hasInCheckpoint(_ range: ClosedRange<SequenceNumber>) -> Bool {
    guard let checkpoint else { return false }
    var next = max(range.lowerBound, first)
    while let superseded = allSuperseded.first(where: { $0.contains(next) }) {
      next = superseded.upperBound.next
    }
    return next <= min(range.upperBound, checkpoint.sequence)
  }

  /// All that counts for nothing, also what does not exist yet: of a removal alone the range has no end.
  package var allSuperseded: [ClosedRange<SequenceNumber>] {
    superseded.filter { $0.lowerBound < Self.noLast }
      .map { $0.lowerBound...min($0.upperBound, Self.noLast.previous) }
      + (removal.map { [$0.last.next...Self.noLast] } ?? [])
  }

  /// The end of a range that has none.
  package static let noLast = SequenceNumber(Limits.sequenceNumber)

  /// Has changesets count for nothing until the record is read again: the one that supersedes them comes next.
  package func disregard(_ range: ClosedRange<SequenceNumber>) { superseded.append(range) }

  /// The last changeset that is applied and not superseded; `none` if there is no such one.
  ///
  /// A changeset that supersedes depends on nothing beyond: others may defer that by their clocks, and do not
  /// know yet that it counts for nothing.
  package var lastThatCounts: SequenceNumber {
    var last = min(sequence, removal?.last ?? sequence)
    while let range = superseded.first(where: { $0.contains(last) }) {
      last = SequenceNumber(range.lowerBound.rawValue - 1)
    }
    return last
  }

  /// The changeset that says something of another author's changesets.
  package struct Cause: Hashable {
    /// By number.
    package var writer: Int64
    package var sequence: SequenceNumber

    package init(writer: Int64, sequence: SequenceNumber) {
      self.writer = writer
      self.sequence = sequence
    }

    /// It is in the checkpoint, or was cut off the log.
    package static let inCheckpoint = Cause(writer: 0, sequence: .none)
  }

  /// A superseded range, and the changeset that says so.
  package struct Superseding: Hashable {
    package var range: ClosedRange<SequenceNumber>
    package var cause: Cause
  }

  /// The last changeset that counts of a removed replica's, and the changeset that removes it.
  package struct Removal: Hashable {
    package var last: SequenceNumber
    package var cause: Cause
  }

  /// A superseded range, and the author that reissued it from its second changeset on.
  package struct ReissuedRange {
    package var range: ClosedRange<SequenceNumber>
    /// By number.
    package var writer: Int64
    /// The first of the superseded ones, of which the writer's second is made.
    package var origin: SequenceNumber

    package init(
      range: ClosedRange<SequenceNumber>, writer: Int64, origin: SequenceNumber
    ) {
      self.range = range
      self.writer = writer
      self.origin = origin
    }

    /// The writer's changeset by which one of the range was reissued.
    package func successor(of sequence: SequenceNumber) -> SequenceNumber {
      SequenceNumber(sequence.rawValue - origin.rawValue + 2)
    }
  }

  /// The end of a chain, stored and not applied.
  package struct Deferred {
    package var last: SequenceNumber
    package var hash: ChainHash
    package var count: Int
    package var byteCount: Int
    /// Those of its last transaction, as long as the rest of that has still to come; 0 if it has come.
    package var openBytes = 0
    /// The declarations up to its last deferred changeset; nil until they are asked for.
    package var declarations: DeclarationTable?

    package var isOpen: Bool { openBytes > 0 }
  }
}

/// The last changeset of an author that the file has from a snapshot rather than from its log.
package struct CheckpointHead {
  package var sequence: SequenceNumber
  package var hash: ChainHash
  package var time: UInt64
}

/// The last of an author's changesets that was cut off the log.
package struct TruncationPoint {
  package var sequence: SequenceNumber
  package var hash: ChainHash
}

/// The changesets of an author that the checkpoint has and the log lacks: from behind the last that is
/// there to this one.
package struct LogGap {
  package var sequence: SequenceNumber
  package var hash: ChainHash
  /// The last that need not come, since the peers that were asked have cut it off.
  package var coming: TruncationPoint?
}

/// An entry of a log that is not what its author wrote.
package struct LogDamage: Error {
  package var detail: String
}
