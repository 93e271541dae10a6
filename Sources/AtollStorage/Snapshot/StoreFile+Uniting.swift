import AtollChanges
import AtollLog
import AtollVocabulary

// A snapshot may know of forks of which this file does not, and the reverse: both trees are made one, before
// anything of the snapshot is laid.
//
//     here        1 2 3 ─────────── 4′ 5′          1 2 3 ─┬─ 4 5 6      the snapshot's
//     snapshot    1 2 3 4 5 6                             └─ 4′ 5′      in the log
//
// The hashes of the snapshot's last changesets tell where they part.
extension StoreFile {
  /// Gives each history of a snapshot its place in this file's tree, and divides what is one history here and
  /// several in the snapshot, or in both together.
  ///
  /// - Returns: Whether anything was divided.
  /// - Throws: ``SnapshotRefusal`` if an author has another history in it, and none of the hashes that are known
  ///   tells from where on.
  func unite(_ head: SnapshotHead) throws -> Bool {
    var isDivided = false
    for writer in head.parentsFirst {
      guard let parent = writer.parent else {
        let record = try authors.intern(writer.author)
        if writer.author.branch == .none { try follow(writer, from: record.number, &isDivided) }
        continue
      }
      guard Int(parent) < head.authors.count,
        let end = segments(of: head.authors[Int(parent)]).last
      else { throw SnapshotRefusal(reason: "a history that goes on from none") }
      if end.record.storedHead.sequence >= writer.first {
        try divide(end.record, at: writer.first)
        isDivided = true
      }
      // Of one that is only named, what comes before it may not all be applied.
      var last = head.authors[Int(parent)].head
      if !writer.hasApplied { (last.sequence, last.hash) = (writer.first.previous, writer.hash) }
      guard last.sequence.next == writer.first else {
        throw SnapshotRefusal(reason: "a history that goes on from the middle of another")
      }
      let child = try place(writer.author, after: end.record.number, last, began: writer.began)
      try follow(writer, from: child, &isDivided)
    }
    return isDivided
  }

  /// Goes along a history of the snapshot through those here that it has, up to where it is another.
  private func follow(
    _ writer: SnapshotHead.Writer, from start: Int64, _ isDivided: inout Bool
  ) throws {
    var number = start
    while let record = authors[number], record.isKnownHere || !record.children.isEmpty {
      let end = min(record.storedHead.sequence, writer.sequence)
      if let first = try firstDifference(record, writer, through: end),
        let recent = writer.recent(first)
      {
        let former = try log.hash(record, before: first)
        try divide(record, at: first)
        isDivided = true
        let last = ChangesetID(author: record.author, sequence: first.previous, hash: former)
        _ = try place(
          record.author.branch(recent.hash.branch), after: number, last, began: recent.time)
        return
      }
      guard writer.sequence > end, !record.children.isEmpty else { return }
      guard let recent = writer.recent(end.next), end < writer.first || writer.recent(end) != nil
      else {
        throw tooFarBack(writer)
      }
      // The rest has the name of one history or of several, and is divided either way.
      isDivided = true
      number = try place(
        record.author.branch(recent.hash.branch), after: number, record.storedHead,
        began: recent.time)
    }
  }

  /// The first changeset that is another in the snapshot; nil if none is, as far as hashes are known.
  private func firstDifference(
    _ record: AuthorRecord, _ writer: SnapshotHead.Writer, through end: SequenceNumber
  ) throws -> SequenceNumber? {
    var first = end
    guard try differs(record, writer, at: end) == true else { return nil }
    while first > max(record.first, writer.first) {
      guard let isDifferent = try differs(record, writer, at: first.previous) else {
        throw tooFarBack(writer)
      }
      guard isDifferent else { return first }
      first = first.previous
    }
    guard first == .first || record.first == writer.first else { throw tooFarBack(writer) }
    return first
  }

  private func differs(
    _ record: AuthorRecord, _ writer: SnapshotHead.Writer, at sequence: SequenceNumber
  ) throws -> Bool? {
    guard record.first <= sequence, writer.first <= sequence,
      let ours = record.storedHead.sequence == sequence
        ? record.storedHead.hash : try log.knownHash(record, sequence),
      let theirs = sequence == writer.sequence ? writer.hash : writer.recent(sequence)?.hash
    else { return nil }
    return ours != theirs
  }

  private func tooFarBack(_ writer: SnapshotHead.Writer) -> SnapshotRefusal {
    SnapshotRefusal(
      reason: "it has another history of \(writer.author), from more than "
        + "\(Limits.recentChangesets) changesets before its last one; make the file anew from a copy of the "
        + "peer's")
  }

  /// Divides a history of this file at one of its changesets.
  private func divide(_ record: AuthorRecord, at first: SequenceNumber) throws {
    let isInCheckpoint = record.checkpoint.map { first <= $0.sequence } ?? false
    guard try !isInCheckpoint || canDivideCheckpoint(record, at: first),
      try log.knownHash(record, first) != nil
    else {
      throw SnapshotRefusal(
        reason:
          "it has several histories of \(record.author), and which of them this file has as cells "
          + "is not known any more; make the file anew from a copy of the peer's")
    }
    try log.split(record, at: first)
    try rereadAuthors()
  }

  /// A history that follows a changeset; made if the file does not know it.
  ///
  /// - Returns: Its number.
  private func place(
    _ author: Author, after parent: Int64, _ last: ChangesetID, began: UInt64
  ) throws -> Int64 {
    if let record = authors[author], record.parent == parent { return record.number }
    let histories = authors.branches(of: author).count { $0.author.branch != .none }
    guard histories < Limits.ownBranches else {
      throw SnapshotRefusal(
        reason: "with it \(author.commonHistory) had more than \(Limits.ownBranches) histories")
    }
    let record = try authors.intern(author)
    guard record.parent == 0, record.number != parent else {
      throw SnapshotRefusal(reason: "\(author) goes on from another history than here")
    }
    (record.parent, record.first, record.began) = (parent, last.sequence.next, began)
    (record.sequence, record.hash, record.named) = (last.sequence, last.hash, last.sequence)
    try authors.place(record)
    return record.number
  }
}
