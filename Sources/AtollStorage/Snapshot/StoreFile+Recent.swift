import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

// The last changesets of each author that a checkpoint has as cells. With their hashes another history of the
// author is told from the checkpoint's where it begins, as if they were still in the log; with their times
// and numbers of declarations what the checkpoint has of the author is divided there:
//
//     checkpoint   ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄ 61 62 63 64 │ 65 66          one history when it was made
//     log          cut off                   └── 63′ 64′ 65′    another, found since
//
//     63 to 66 are 3f….a1 from then on, 63′ to 65′ are 3f….d9, and 3f… ends with 62.
//
// The pages stay as they are. The tree of histories says under which name each row is laid.
extension StoreFile {
  /// The head of a checkpoint, read from its pages.
  struct CheckpointRead {
    let head: SnapshotHead
    /// Of which snapshot, and its first page's hash.
    let number: Int64
    let id: ChainHash?
    /// The head's authors by name.
    let indices: [Author: Int]
    /// As of which ``AuthorTable/checkpointVersion`` it is the file's.
    var version = 0

    init(_ head: SnapshotHead, number: Int64, id: ChainHash?) {
      (self.head, self.number, self.id) = (head, number, id)
      indices = Dictionary(
        head.authors.enumerated().map { ($1.author, $0) }, uniquingKeysWith: { first, _ in first })
    }
  }

  /// The head of the checkpoint; nil for a file whose log goes back to the beginning.
  func checkpointHead() throws -> SnapshotHead? { try readCheckpoint()?.head }

  private func readCheckpoint() throws -> CheckpointRead? {
    guard authors.hasCheckpoint else { return nil }
    if let known = caches.checkpoint, known.version == authors.checkpointVersion { return known }
    guard let number = try snapshotNumber(in: .checkpoint) else { return nil }
    let id = try pageHash(number, 0)
    if caches.checkpoint?.number != number || caches.checkpoint?.id != id {
      caches.checkpoint = CheckpointRead(try head(ofSnapshot: number), number: number, id: id)
    }
    caches.checkpoint?.version = authors.checkpointVersion
    return caches.checkpoint
  }

  /// Looks up a changeset that the checkpoint has as cells; nil for one too far back.
  func checkpointRecent(
    _ record: AuthorRecord, _ sequence: SequenceNumber
  ) throws -> SnapshotHead.Recent? {
    guard let checkpoint = record.checkpoint, record.first <= sequence,
      sequence <= checkpoint.sequence
    else {
      return nil
    }
    return try checkpointWriter(of: record)?.recent(sequence)
  }

  /// Tells if the checkpoint's part of a history could be divided at a changeset.
  func canDivideCheckpoint(_ record: AuthorRecord, at sequence: SequenceNumber) throws -> Bool {
    guard try checkpointRecent(record, sequence) != nil else { return false }
    return try sequence == record.first || checkpointRecent(record, sequence.previous) != nil
  }

  /// The history of the checkpoint that a record is, or is a part of.
  func checkpointWriter(of record: AuthorRecord) throws -> SnapshotHead.Writer? {
    guard let read = try readCheckpoint() else { return nil }
    var named: AuthorRecord? = record
    while let known = named {
      if let index = read.indices[known.author] {
        let writer = read.head.authors[index]
        let isPart = known === record || segments(of: writer).contains { $0.record === record }
        return isPart ? writer : nil
      }
      named = authors[known.parent]
    }
    return nil
  }

  /// A part of what a checkpoint has of an author, by the name that it has here.
  struct Segment {
    let record: AuthorRecord
    let first: SequenceNumber
    /// The last that the checkpoint has; `first - 1` for none.
    var last: SequenceNumber
    let began: UInt64
  }

  /// Divides a checkpoint's part of one history where the file knows of forks; in order.
  ///
  /// Empty if the author is not known here.
  func segments(of writer: SnapshotHead.Writer) -> [Segment] {
    guard var record = authors[writer.author] else { return [] }
    var segments = [
      Segment(record: record, first: writer.first, last: writer.sequence, began: writer.began)
    ]
    while authors.branchCount > 0 {
      let child = record.children.lazy.compactMap { self.authors[$0] }.first {
        writer.recent($0.first)?.hash.branch == $0.author.branch
      }
      guard let child else { break }
      segments[segments.count - 1].last = child.first.previous
      segments.append(
        Segment(record: child, first: child.first, last: writer.sequence, began: child.began))
      record = child
    }
    return segments
  }

  /// The number of declarations that an author had made before one of its changesets.
  func declaredCount(of writer: SnapshotHead.Writer, before sequence: SequenceNumber) -> Int {
    if sequence > writer.sequence { return writer.declared.count }
    return sequence <= writer.first ? 0 : writer.recent(sequence.previous)?.declared ?? 0
  }

  /// The changesets of others that an author had seen by one of its own, as far as its last ones tell.
  ///
  /// An author that it named later and not before counts as not seen.
  func seen(
    by writer: SnapshotHead.Writer, through last: SequenceNumber
  ) -> [SnapshotHead.Seen] {
    guard last < writer.sequence else { return writer.seen }
    var before: [UInt32: SequenceNumber] = [:]
    var after: Set<UInt32> = []
    for (offset, recent) in writer.recent.enumerated() {
      for seen in recent.seen {
        if writer.recentFirst.rawValue + UInt64(offset) <= last.rawValue {
          before[seen.author] = seen.sequence
        } else {
          after.insert(seen.author)
        }
      }
    }
    return writer.seen.compactMap { seen in
      guard after.contains(seen.author) else { return seen }
      return before[seen.author].map { SnapshotHead.Seen(author: seen.author, sequence: $0) }
    }
  }

  /// The last changesets of an author that are applied, for a snapshot; authors are numbered as `number` says.
  func recent(
    of record: AuthorRecord, number: (Int64) -> UInt32
  ) throws -> [SnapshotHead.Recent] {
    guard record.hasApplied else { return [] }
    let depth = UInt64(Limits.recentChangesets)
    let first = max(
      record.first.rawValue, record.sequence.rawValue - min(record.sequence.rawValue, depth - 1))
    var found: [SnapshotHead.Recent] = []
    var declared = try numbers.declared(by: record).count
    var next = record.sequence
    try log.forEachEntry(
      of: record, SequenceNumber(first)...next, descending: true
    ) { sequence, hash, bytes in
      guard sequence == next else { return false }
      let reader = try ChangesetReader(bytes, author: record.author)
      found.append(
        SnapshotHead.Recent(
          hash: hash, time: reader.time.rawValue, declared: declared,
          seen: try seen(reader.dependencies, by: record, number)))
      declared -= min(declared, reader.declarations.count)
      next = next.previous
      return true
    }
    if next.rawValue >= first {
      found += try checkpointRecent(of: record, first...next.rawValue, number)
    }
    return found.reversed()
  }

  private func seen(
    _ dependencies: [Dependency], by record: AuthorRecord, _ number: (Int64) -> UInt32
  ) throws -> [SnapshotHead.Seen] {
    try dependencies.compactMap { dependency in
      guard let named = authors.author(dependency.author, declaredBy: record) else { return nil }
      let other = try log.branch(of: named.author, with: dependency.sequence, dependency.hash)
      return SnapshotHead.Seen(
        author: number((other ?? named).number), sequence: dependency.sequence)
    }
  }

  /// Those of which the checkpoint tells, descending, as far as it does.
  private func checkpointRecent(
    of record: AuthorRecord, _ range: ClosedRange<UInt64>, _ number: (Int64) -> UInt32
  ) throws -> [SnapshotHead.Recent] {
    guard let checkpoint = record.checkpoint, range.upperBound <= checkpoint.sequence.rawValue,
      let head = try checkpointHead(), let writer = try checkpointWriter(of: record)
    else { return [] }
    let offset = declaredCount(of: writer, before: record.first)
    var found: [SnapshotHead.Recent] = []
    for sequence in range.reversed() {
      guard var recent = writer.recent(SequenceNumber(sequence)) else { break }
      recent.declared = max(0, recent.declared - offset)
      recent.seen = recent.seen.compactMap { seen in
        guard Int(seen.author) < head.authors.count,
          let other = segments(of: head.authors[Int(seen.author)])
            .last(where: { $0.first <= seen.sequence })
        else { return nil }
        return SnapshotHead.Seen(author: number(other.record.number), sequence: seen.sequence)
      }
      found.append(recent)
    }
    return found
  }
}

/// The recent changesets of a store's checkpoint, for its log.
struct RecentChangesets: CheckpointRecords {
  unowned let store: StoreFile

  func recentHash(_ record: AuthorRecord, _ sequence: SequenceNumber) throws -> ChainHash? {
    try store.checkpointRecent(record, sequence)?.hash
  }

  func recentTime(_ record: AuthorRecord, _ sequence: SequenceNumber) throws -> UInt64? {
    try store.checkpointRecent(record, sequence)?.time
  }
}
