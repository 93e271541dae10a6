import AtollChanges
package import AtollVocabulary

// What the checkpoint has cannot be taken back: of it there are only cells. A changeset that supersedes some
// of it is deferred until the file goes on from another checkpoint, made by a replica that has applied it.
extension StoreFile {
  /// The frontier that a checkpoint must include for this file to go on; nil if nothing contradicts its own.
  package func wantedOfSnapshot() throws(StorageError) -> VersionVector? {
    guard authors.hasBase, authors.isAnyWaiting else { return nil }
    return try doing("looking for what contradicts the base") {
      try snapshot {
        var wanted = VersionVector()
        for record in authors.records where record.waiting != nil {
          guard let logged = try logged(record, record.sequence.next) else { continue }
          let changeset = try ChangesetReader(logged.bytes, author: record.author)
          var declarations = record.declarations
          try declarations.adopt(changeset.declarations)
          guard try isApplied(changeset.dependencies, declarations),
            try contradictsBase(changeset, declarations)
          else { continue }
          wanted[record.author] = changeset.sequence
        }
        guard !wanted.entries.isEmpty else { return nil }
        for record in authors.records {
          guard let floor = record.floor?.sequence else { continue }
          wanted[record.author] = max(wanted[record.author], floor)
        }
        return wanted
      }
    }
  }

  /// Tells if a changeset supersedes some of what the checkpoint has.
  ///
  /// - Parameters:
  ///   - changeset: A changeset whose dependencies are applied.
  ///   - declarations: The declarations of its author, its own included.
  /// - Returns: False for a changeset that supersedes nothing.
  /// - Throws: If the file fails.
  func contradictsBase(
    _ changeset: ChangesetReader, _ declarations: DeclarationTable
  ) throws -> Bool {
    guard authors.hasBase, changeset.sequence == .first else { return false }
    var reader = changeset
    guard case .supersede(let number, let first, let last) = try reader.next(),
      let author = declarations[number]
    else { return false }
    return authors.histories(of: author).contains { other in
      guard let base = other.base, other.first <= last, first <= base.sequence else { return false }
      return !other.isSuperseded(max(first, other.first))
    }
  }
}
