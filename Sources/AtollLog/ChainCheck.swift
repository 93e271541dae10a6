import AtollChanges
import AtollVocabulary

/// The check that an entry read from the log is what was put there: a bit that a disk has lost must not be
/// passed on, where only the last hash of a run would tell.
struct ChainCheck {
  private let log: ChangesetLog
  /// The last entry of each author that was read, by the author's number.
  private var last: [Int64: ChangesetID] = [:]

  init(of log: ChangesetLog) { self.log = log }

  /// - Throws: ``LogDamage`` if the entry's bytes do not lead from the hash before it to its own.
  mutating func check(_ entry: LogEntry, of number: Int64) throws {
    let previous = try hash(before: entry.id, number)
    guard previous?.following(entry.bytes) == entry.id.hash else {
      throw LogDamage(
        detail: "changeset \(entry.id.sequence) of \(entry.id.author.shortDescription) in the log "
          + "does not give its hash \(entry.id.hash.shortDescription), and is not passed on")
    }
    last[number] = entry.id
  }

  private func hash(before id: ChangesetID, _ number: Int64) throws -> ChainHash? {
    if id.sequence == .first { return .origin(of: id.author) }
    if let last = last[number], last.sequence.next == id.sequence { return last.hash }
    let previous = id.sequence.previous
    if let logged = try log.loggedHash(number, previous) { return logged }
    if let hash = log.authors[number]?.hashWithoutLog(of: previous) { return hash }
    // The first of a branch follows the common history, of which the log may be cut off.
    var record = log.authors[number]
    while let known = record, previous < known.first { record = log.authors[known.parent] }
    guard let record, record.number != number else { return nil }
    return try log.knownHash(record, previous)
  }
}
