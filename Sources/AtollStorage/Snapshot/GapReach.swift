import AtollChanges
import AtollVocabulary

/// How far a peer gets with a log that has gaps: it cannot apply what depends on something in a gap that
/// it lacks, nor what depends on that.
///
/// Everything that a changeset depends on stands before it in the log, so that reading it once in order
/// says of each entry whether all of that is there.
struct GapReach {
  private let file: StoreFile
  /// What it has, and what it is given.
  private var reached: VersionVector

  /// Nil if it has all that is in gaps.
  init?(of file: StoreFile, beyond vector: VersionVector) {
    let lacks = file.authors.records.contains { record in
      record.gap.map { vector[record.author] < $0.sequence } ?? false
    }
    guard lacks else { return nil }
    self.file = file
    reached = vector
  }

  /// Whether all is there that an entry depends on; `bytes` are its.
  func includes(
    _ number: Int64, _ sequence: SequenceNumber, bytes: () -> [UInt8]
  ) throws -> Bool {
    guard let record = file.authors[number] else { return true }
    let previous = file.previous(sequence)
    guard previous == .none || hasReached(record, previous) else { return false }
    guard let reader = try? ChangesetReader(bytes(), author: record.author) else {
      // What is wrong with it, the check of the log's chains says.
      return true
    }
    return try reader.dependencies.allSatisfy { dependency in
      guard let named = record.authorNumber(dependency.author).flatMap({ file.authors[$0] }) else {
        return true
      }
      let other = try file.history(of: named.author, with: dependency.sequence, dependency.hash)
      return hasReached(other ?? named, dependency.sequence)
    }
  }

  mutating func note(_ author: Author, _ sequence: SequenceNumber) {
    reached[author] = max(reached[author], sequence)
  }

  private func hasReached(_ record: AuthorRecord, _ sequence: SequenceNumber) -> Bool {
    file.parts(of: record.number, .first...sequence).allSatisfy { number, range in
      file.authors[number].map { reached[$0.author] >= range.upperBound } ?? true
    }
  }
}
