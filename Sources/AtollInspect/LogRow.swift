import AtollChanges
import AtollStorage
import AtollVocabulary

/// One changeset of the log; a line of JSON of `atoll log`.
package struct LogRow: Codable, Hashable, Sendable {
  /// Its place in the log of this file.
  package let position: Int64
  package let author: String
  package let sequence: UInt64
  /// Hybrid time: milliseconds since 1970 and a counter, joined by a plus sign.
  package let time: String
  package let operations: Int
  package let dependencies: Int
  package let bytes: Int
  package let hash: String
  /// The hashes of the other changesets that its author's history goes on with; nil mostly.
  package let beside: [String]?
  /// True if the transaction goes on in the author's next changeset; nil if not.
  package let isContinued: Bool?

  private enum CodingKeys: String, CodingKey {
    case position, author, sequence, time, operations, dependencies, bytes, hash, beside
    case isContinued = "continued"
  }

  init(_ entry: LogEntry, _ forks: [HistoryFork]) throws {
    let changeset = try ChangesetReader(entry.bytes, author: entry.id.author)
    position = entry.position.rawValue
    author = "\(entry.id.author)"
    sequence = entry.id.sequence.rawValue
    time = "\(changeset.time)"
    operations = changeset.operationCount
    dependencies = changeset.dependencies.count
    bytes = entry.bytes.count
    hash = "\(entry.id.hash)"
    beside = forks.first { $0.firsts.contains(entry.id) }?.firsts.filter { $0 != entry.id }
      .map { "\($0.hash)" }
    isContinued = changeset.isContinued ? true : nil
  }
}

/// Some changesets of the log.
package struct LogPage: Codable, Hashable, Sendable {
  /// In the order in which the file got them.
  package let rows: [LogRow]
  /// The place after which the next page begins.
  package let next: Int64
  /// True if the log ends here.
  package let isLast: Bool
}

extension Inspection {
  /// Shows `body` the changesets after a place, in local order; a batch is in memory at a time.
  ///
  /// - Parameters:
  ///   - position: Begin after this place; 0 for the first of all.
  ///   - limit: At most so many; nil for all.
  ///   - body: Called with each.
  /// - Throws: `StorageError`, `ChangesetError` for a damaged entry, and what `body` throws.
  package func forEachLogRow(
    after position: Int64 = 0, limit: Int? = nil, _ body: (LogRow) throws -> Void
  ) throws {
    try atOneMoment {
      let forks = try file.forks()
      var position = LogPosition(position)
      var remaining = limit ?? .max
      while remaining > 0 {
        let batch = try file.entries(
          lackedBy: VersionVector(), after: position, limitBytes: Limits.batchBytes)
        for entry in batch.entries.prefix(remaining) { try body(LogRow(entry, forks)) }
        remaining -= min(remaining, batch.entries.count)
        if batch.isAtEnd { return }
        position = batch.next
      }
    }
  }

  /// At most `count` changesets after a place.
  package func log(after position: Int64 = 0, count: Int) throws -> LogPage {
    var rows: [LogRow] = []
    // One more than is shown tells whether there is another page.
    let wanted = max(count, 0)
    try forEachLogRow(after: position, limit: wanted + 1) { rows.append($0) }
    let shown = Array(rows.prefix(wanted))
    return LogPage(
      rows: shown, next: shown.last?.position ?? position, isLast: rows.count <= wanted)
  }
}
