import AtollChanges
import AtollVocabulary

/// The part of a log with gaps that a peer can apply: not what depends on something in a gap that it lacks,
/// nor what depends on that.
///
/// Everything that a changeset depends on stands before it in the log, so that reading it once in order
/// says of each entry whether all of that is there.
struct GapReach {
  private let log: ChangesetLog
  /// The changesets that the peer has, and those that it is given.
  private var reached: VersionVector

  /// Nil if it has all that is in gaps.
  init?(of log: ChangesetLog, beyond vector: VersionVector) {
    let lacks = log.authors.records.contains { record in
      record.gap.map { vector[record.author] < $0.sequence } ?? false
    }
    guard lacks else { return nil }
    self.log = log
    reached = vector
  }

  /// Tells whether all is there that an entry depends on; `bytes` are its.
  func includes(
    _ number: Int64, _ sequence: SequenceNumber, bytes: () -> [UInt8]
  ) throws -> Bool {
    guard let record = log.authors[number] else { return true }
    let previous = sequence.previous
    guard previous == .none || hasReached(record, previous) else { return false }
    guard let reader = try? ChangesetReader(bytes(), author: record.author) else {
      // The check of the log's chains reports the fault.
      return true
    }
    return try reader.dependencies.allSatisfy { dependency in
      guard let named = log.authors.author(dependency.author, declaredBy: record) else {
        return true
      }
      let other = try log.branch(of: named.author, with: dependency.sequence, dependency.hash)
      return hasReached(other ?? named, dependency.sequence)
    }
  }

  /// Adds an entry that the peer is given.
  mutating func add(_ author: Author, _ sequence: SequenceNumber) {
    reached[author] = max(reached[author], sequence)
  }

  private func hasReached(_ record: AuthorRecord, _ sequence: SequenceNumber) -> Bool {
    log.parts(of: record.number, .first...sequence).allSatisfy { number, range in
      log.authors[number].map { reached[$0.author] >= range.upperBound } ?? true
    }
  }
}
