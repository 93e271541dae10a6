import AtollChanges
package import AtollVocabulary

// What the base has cannot be taken back: of it there are only cells. A changeset that would have it taken
// back is held until the file goes on from another snapshot, made by somebody who has applied it.
extension StoreFile {
  /// What a snapshot must have for this file to go on where its base stands against it; nil if it does not.
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
            try contradictsBase(changeset, record, declarations)
          else { continue }
          wanted[record.author] = changeset.sequence
        }
        guard !wanted.entries.isEmpty else { return nil }
        for settlement in authors.settlements {
          guard let writer = authors[settlement.writer]?.author else { continue }
          wanted[writer] = max(wanted[writer], settlement.sequence)
        }
        for record in authors.records {
          guard let floor = record.floor?.sequence else { continue }
          wanted[record.author] = max(wanted[record.author], floor)
        }
        return wanted
      }
    }
  }

  /// Whether a changeset that is to be applied next of its author would have some of the base taken back, or
  /// may, so that nobody can tell here.
  ///
  /// - Parameters:
  ///   - changeset: Its dependencies are here.
  ///   - record: Its author; nil if nothing is known of it.
  ///   - declarations: What that has declared by then.
  /// - Returns: False for changesets that neither settle nor supersede.
  /// - Throws: If the file fails.
  func contradictsBase(
    _ changeset: ChangesetReader, _ record: AuthorRecord?, _ declarations: DeclarationTable
  ) throws -> Bool {
    guard authors.hasBase, changeset.isSettling || changeset.sequence == .first else {
      return false
    }
    var reader = changeset
    switch try reader.next() {
    case .settle(let settled):
      let past = try past(of: changeset, record, declarations)
      let heard = Set(settled.filter(\.isHeard).compactMap { declarations[$0.author] })
      return authors.records.contains { other in
        guard let base = other.base, other !== record, !heard.contains(other.author) else {
          return false
        }
        return base.sequence > past[other.number] ?? .none
      }
    case .supersede(let number, let first, let last):
      guard let author = declarations[number] else { return false }
      let past = try past(of: changeset, record, declarations)
      return authors.histories(of: author).contains { other in
        guard let base = other.base, other.first <= last, first <= base.sequence,
          !other.isSuperseded(max(first, other.first))
        else { return false }
        // What comes late has changed nothing.
        return !other.late.contains { settlement in
          settlement[other.number].late?.contains(max(first, other.first)) == true
            && past[settlement.writer] ?? .none >= settlement.sequence
        }
      }
    default: return false
    }
  }

  /// What the author of a changeset had applied, itself aside.
  private func past(
    of changeset: ChangesetReader, _ record: AuthorRecord?, _ declarations: DeclarationTable
  ) throws -> [Int64: SequenceNumber] {
    var past = try record.map(seen) ?? [:]
    for dependency in changeset.dependencies {
      guard let author = declarations[dependency.author],
        let other = try history(of: author, with: dependency.sequence, dependency.hash)
      else { continue }
      for (number, range) in parts(of: other.number, .first...dependency.sequence) {
        past[number] = max(past[number] ?? .none, range.upperBound)
      }
    }
    return past
  }
}
