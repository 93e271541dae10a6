import AtollChanges
import AtollStorage
import AtollVocabulary

/// One changeset of the log, with its operations in words.
package struct ChangesetReport: Codable, Hashable, Sendable {
  package struct Dependency: Codable, Hashable, Sendable {
    package let author: String
    package let sequence: UInt64
  }

  package let row: LogRow
  package let operations: [String]
  /// True if it has more operations than are told.
  package let isCut: Bool
  package let dependencies: [Dependency]
}

extension Inspection {
  /// The entry of the log at a position.
  ///
  /// - Parameters:
  ///   - position: As ``LogRow/position`` has it.
  ///   - limit: Operations that are told, at most.
  /// - Returns: The changeset; nil if the log has none there.
  /// - Throws: `StorageError` if the log cannot be read.
  package func changeset(at position: Int64, limit: Int) throws -> ChangesetReport? {
    try atOneMoment {
      guard position > 0 else { return nil }
      let batch = try file.entries(
        lackedBy: VersionVector(), after: LogPosition(position - 1), limitBytes: 1)
      guard let entry = batch.entries.first, entry.position.rawValue == position else { return nil }
      let row = try LogRow(entry, try file.forks())
      let shown = try file.shown(entry, limit: limit)
      return ChangesetReport(
        row: row, operations: shown.operations, isCut: row.operations > limit,
        dependencies: shown.dependencies.map {
          ChangesetReport.Dependency(author: "\($0.author)", sequence: $0.sequence.rawValue)
        })
    }
  }

  /// A page of the log from its end: the entries before a position, newest first.
  ///
  /// - Parameters:
  ///   - end: Only entries before it; nil for all.
  ///   - author: Only this author's; nil for all.
  ///   - count: Entries on the page, at most.
  /// - Returns: The page; with an author it may have fewer entries and not be the last.
  /// - Throws: `StorageError` if the log cannot be read.
  package func logBackwards(
    before end: Int64?, author: String? = nil, count: Int
  ) throws -> LogBackwards {
    try atOneMoment {
      let forks = try file.forks()
      var end = try min(end ?? .max, file.lastLogPosition().rawValue + 1)
      var rows: [LogRow] = []
      var looked = 0
      while rows.count < count, end > 1, looked < Self.lookedBackwards {
        let start = max(0, end - 1 - Int64(Self.window))
        var window: [LogRow] = []
        try forEachEntry(after: start, before: end) { entry in
          if author == nil || author == "\(entry.id.author)" {
            window.append(try LogRow(entry, forks))
          }
        }
        looked += Self.window
        let wanted = window.suffix(count - rows.count)
        rows += wanted.reversed()
        end = wanted.count < window.count ? wanted.first?.position ?? start + 1 : start + 1
      }
      return LogBackwards(rows: rows, next: end, isLast: end <= 1)
    }
  }

  /// Positions that are looked at in one go, and at most for one page.
  private static let window = 128
  private static let lookedBackwards = 1 << 14

  private func forEachEntry(
    after start: Int64, before end: Int64, _ body: (LogEntry) throws -> Void
  ) throws {
    var position = LogPosition(start)
    while true {
      let batch = try file.entries(
        lackedBy: VersionVector(), after: position, limitBytes: Limits.batchBytes)
      for entry in batch.entries {
        guard entry.position.rawValue < end else { return }
        try body(entry)
      }
      if batch.isAtEnd || batch.next.rawValue >= end { return }
      position = batch.next
    }
  }
}

/// Entries of the log from its end.
package struct LogBackwards: Codable, Hashable, Sendable {
  /// Newest first.
  package let rows: [LogRow]
  /// The position before which the next page ends.
  package let next: Int64
  /// True if nothing older is in the log.
  package let isLast: Bool
}
