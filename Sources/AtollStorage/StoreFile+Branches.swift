import AtollChanges
import AtollSQLite
import AtollVocabulary

// An author has several histories if its disk was put back as it had been. Each has a record, and so
// has what they have in common:
//
//     3f…  1 2 3 ─┬─ 3f….a1  4 5 ─┬─ 3f….b7  6 7 8
//                 │               └─ 3f….c2  6
//                 └─ 3f….d9  4 5 6 7
//
// A record is named by the hash of its first changeset, so that everyone who knows the same
// changesets has the same tree, in whatever order they came. Who wrote before knowing of a fork names
// the author without a branch, or a branch that has forked since; which history is meant follows
// from the hashes of the writer's dependencies.
extension StoreFile {
  /// The record that has a changeset, by number and hash; nil if none here does.
  func history(
    of author: Author, with sequence: SequenceNumber, _ hash: ChainHash
  ) throws -> AuthorRecord? {
    for record in authors.histories(of: author)
    where record.first <= sequence && sequence <= record.heldHead.sequence {
      let head = record.heldHead
      let known = head.sequence == sequence ? head.hash : try knownHash(record, sequence)
      if known == hash { return record }
      // Of what came with the checkpoint only the last hashes are known.
      if known == nil, let checkpoint = record.checkpoint, sequence < checkpoint.sequence,
        record.author == author || authors.histories(of: author).count == 1
      {
        return record
      }
    }
    return nil
  }

  /// Where a changeset of `source` refers to, that names an author and one of its changesets.
  func history(
    _ number: AuthorNumber, _ sequence: SequenceNumber, of source: AuthorRecord
  ) throws -> Int64 {
    let local = try authorNumber(number, of: source)
    guard authors.branchCount > 0, let start = authors[local] else { return local }
    return try history(from: start, seenBy: source) { $0.first <= sequence }.number
  }

  /// Where a changeset of `source` refers to, that names an author and a time.
  func history(
    _ number: AuthorNumber, at time: HybridTime, of source: AuthorRecord
  ) throws -> Int64 {
    let local = try authorNumber(number, of: source)
    guard authors.branchCount > 0, let start = authors[local] else { return local }
    return try history(from: start, seenBy: source) { $0.began <= time.rawValue }.number
  }

  /// An operation whose hidden keys name the histories in which the objects were made.
  func resolving(_ operation: Operation, of source: AuthorRecord) throws -> Operation {
    guard authors.branchCount > 0 else { return operation }
    var hidden = HiddenKeys(store: self, source: source)
    return try operation.transformed(by: &hidden)
  }

  private struct HiddenKeys: OperationTransform {
    let store: StoreFile
    let source: AuthorRecord

    func object(_ old: ObjectReference) throws -> ObjectReference {
      guard case .identity(var identity) = old.key else { return old }
      let number = source.declarations.number(of: identity.author)
      let start =
        identity.author == source.author.commonHistory
        ? source : number.flatMap { source.authorNumber($0) }.flatMap { store.authors[$0] }
      guard let start = start ?? store.authors[identity.author] else { return old }
      let found = try store.history(from: start, seenBy: source) { $0.first <= identity.sequence }
      identity.author = found.author
      return ObjectReference(class: old.class, key: .identity(identity), generation: old.generation)
    }
  }

  /// Up to the record that reaches far enough back, then down those that `source` knew.
  private func history(
    from start: AuthorRecord, seenBy source: AuthorRecord, where reaches: (AuthorRecord) -> Bool
  ) throws -> AuthorRecord {
    var record = try meant(by: start)
    while !reaches(record), let parent = authors[record.parent] { record = parent }
    while let child = try record.children.lazy.compactMap({ self.authors[$0] })
      .first(where: { try reaches($0) && knows(source, $0) })
    {
      record = child
    }
    return record
  }

  /// A name of which nothing is known here stands for the history it would name.
  private func meant(by record: AuthorRecord) throws -> AuthorRecord {
    guard record.isUnknownBranch else { return record }
    for other in authors.histories(of: record.author) {
      let statement = try statement(
        "SELECT hash FROM atoll_log WHERE author = ? AND hash >= ? ORDER BY hash LIMIT 1")
      statement.bind(other.number, at: 1)
      statement.bind(record.author.bytes.suffix(8) + [UInt8](repeating: 0, count: 24), at: 2)
      defer { statement.reset() }
      if try statement.step(), ChainHash(statement.bytes(at: 0))?.branch == record.author.branch {
        return other
      }
    }
    return record
  }

  /// Whether an author had seen anything of a history, its own aside: who learns that its own has a
  /// fork writes no more under that name.
  private func knows(_ source: AuthorRecord, _ record: AuthorRecord) throws -> Bool {
    try seen(by: source)[record.number] != nil
  }

  /// A range of one history's changesets by the records that have them.
  func parts(
    of number: Int64, _ range: ClosedRange<SequenceNumber>
  ) -> [(Int64, ClosedRange<SequenceNumber>)] {
    var parts: [(Int64, ClosedRange<SequenceNumber>)] = []
    var (record, last) = (authors[number], range.upperBound)
    while let known = record, range.lowerBound <= last {
      let first = max(known.first, range.lowerBound)
      if first <= last { parts.append((known.number, first...last)) }
      last = min(last, SequenceNumber(known.first.rawValue - 1))
      record = authors[known.parent]
    }
    return parts
  }

  /// Whether all that comes before a record's first changeset is applied.
  func isParentApplied(_ record: AuthorRecord) -> Bool {
    guard let parent = authors[record.parent] else { return true }
    return parent.sequence.next >= record.first
  }
}
