import AtollChanges
import AtollLog
import AtollSQLite
package import AtollVocabulary

// The checkpoint's changesets cannot be taken back: only their cells are here. A changeset that
// supersedes some of it, or removes who wrote it, is deferred until the file goes on from another
// checkpoint, made by a replica that has applied it.
extension StoreFile {
  /// The frontier that a checkpoint must include for this file to go on; nil if nothing contradicts its own.
  package func wantedOfSnapshot() throws(StorageError) -> VersionVector? {
    guard authors.hasCheckpoint, authors.hasDeferred else { return nil }
    return try doing("looking for what contradicts the checkpoint") {
      try snapshot {
        var wanted = VersionVector()
        for record in authors.records where record.deferred != nil {
          guard log.isParentApplied(record),
            let logged = try log.entry(record, record.sequence.next)
          else { continue }
          let changeset = try ChangesetReader(logged.bytes, author: record.author)
          let declarations = try declarations(of: record, upTo: changeset)
          guard try isApplied(changeset.dependencies, declarations),
            try contradictsCheckpoint(changeset, of: record, declarations)
          else { continue }
          wanted[record.author] = changeset.sequence
        }
        guard !wanted.entries.isEmpty else { return nil }
        for record in authors.records {
          guard let truncationPoint = record.truncationPoint?.sequence else { continue }
          wanted[record.author] = max(wanted[record.author], truncationPoint)
        }
        return wanted
      }
    }
  }

  /// The declarations of an author whose next changeset is deferred, that changeset's included.
  private func declarations(
    of record: AuthorRecord, upTo changeset: ChangesetReader
  ) throws -> DeclarationTable {
    // One that was applied before a clock repair has its declarations adopted already.
    if try log.isDeclared(record, changeset.sequence) { return record.declarations }
    let parent = record.hasApplied ? nil : authors[record.parent]
    var declarations = (parent ?? record).declarations
    try declarations.adopt(changeset.declarations)
    return declarations
  }

  /// Tells if a changeset takes back some of what the checkpoint has.
  ///
  /// - Parameters:
  ///   - changeset: A changeset whose dependencies are applied.
  ///   - record: Its author; nil if nothing of it is known here.
  ///   - declarations: The declarations of its author, its own included.
  /// - Returns: False for a changeset that takes nothing back.
  /// - Throws: If the file fails.
  func contradictsCheckpoint(
    _ changeset: ChangesetReader, of record: AuthorRecord?, _ declarations: DeclarationTable
  ) throws -> Bool {
    guard authors.hasCheckpoint else { return false }
    // The file whose log is replayed here has applied it all the same: before it took this checkpoint.
    guard incoming.supersededInOriginal.isEmpty else { return false }
    var reader = changeset
    // Both are said by the first operation. One that supersedes may itself have been reissued.
    guard let operation = try reader.next() else { return false }
    if let word = declarations.ownersWord(operation) {
      let past = try past(of: changeset, record, declarations)
      return try removalBook.contradictsCheckpoint(word, by: declarations.author.replica) {
        past[$0.number] ?? .none
      }
    }
    guard case .control(.supersede(let number, let first, let last)) = operation,
      let author = declarations[number]
    else { return false }
    return authors.branches(of: author).contains { $0.hasInCheckpoint(first...last) }
  }

  /// An author of whom a snapshot counts what counts for nothing here; nil if there is none.
  func contradicted(by head: SnapshotHead) -> Author? {
    for writer in head.authors {
      for segment in segments(of: writer) {
        var last = segment.last
        while let range = writer.superseded.first(where: { $0.contains(last) }) {
          last = range.lowerBound.previous
        }
        if last >= segment.first, segment.record.isSuperseded(last) { return segment.record.author }
      }
    }
    return nil
  }

  /// The last changeset of each author that the author of one had applied, by number.
  private func past(
    of changeset: ChangesetReader, _ record: AuthorRecord?, _ declarations: DeclarationTable
  ) throws -> [Int64: SequenceNumber] {
    var past = try record.map(log.seen) ?? [:]
    for dependency in changeset.dependencies {
      guard let author = declarations[dependency.author] else { continue }
      var other = try log.branch(of: author, with: dependency.sequence, dependency.hash)
      var last = dependency.sequence
      while let seen = other {
        past[seen.number] = max(past[seen.number] ?? .none, last)
        (last, other) = (seen.first.previous, authors[seen.parent])
      }
    }
    return past
  }
}
