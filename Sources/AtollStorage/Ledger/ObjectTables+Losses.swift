import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

// Lost writes are entered in the transaction of the merge that loses them.
extension ObjectTables {
  /// Enters a lost write, in place of those before it in its cell that its author had seen.
  func enter(_ loss: Loss, at place: LedgerPlace, _ source: MergeSource) throws {
    let place = try describe(place)
    guard let entry = place.entry else { return }
    try supersede(loss.losing, at: place, entry, source)
    let insert = try statement(
      """
      INSERT INTO atoll_conflict (class, key, path, cell_table, cell_row, cell_ordinal, rule,
      losing, losing_time, losing_mark, winning, winning_time, winning_mark)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    insert.clear()
    insert.bind(Int64(entry.id.rawValue), at: 1)
    insert.bind(place.key, at: 2)
    insert.bind(place.path, at: 3)
    if let cell = place.cell {
      insert.bind(Int64(cell.table), at: 4)
      insert.bind(cell.row, at: 5)
      insert.bind(Int64(cell.ordinal), at: 6)
    }
    insert.bind(loss.rule.rawValue, at: 7)
    insert.bind(loss.losing.bytes, at: 8)
    insert.bind(loss.losingStamp.time, at: 9)
    insert.bind(loss.losingStamp.mark, at: 10)
    insert.bind(loss.winning.bytes, at: 11)
    if let stamp = loss.winningStamp {
      insert.bind(stamp.time, at: 12)
      insert.bind(stamp.mark, at: 13)
    }
    try insert.run()
    let prune = try statement("DELETE FROM atoll_conflict WHERE number <= ?")
    prune.bind(connection.lastInsertedRow - Int64(Limits.conflicts), at: 1)
    try prune.run()
  }

  /// Drops entries of a cell whose write the author of the changeset being merged had seen.
  ///
  /// It went on from there, and only its last word was lost. Steps stay, each for itself, and a move
  /// says nothing of the element's value. What others wrote whom the author has not seen is not even
  /// looked at, so that a cell may have any number of entries.
  func supersede(
    _ next: LedgerValue, at place: LedgerPlace, _ entry: ClassEntry, _ source: MergeSource
  ) throws {
    if case .step = next { return }
    let seen = try log.seen(by: source.record)
    guard seen.count < Self.askedAuthors else {
      return try supersede(next, at: place, entry, .min ... .max, source)
    }
    for author in Set(seen.keys).union([source.record.number]) {
      let marks = author << 32...author << 32 | Int64(UInt32.max)
      try supersede(next, at: place, entry, marks, source)
    }
  }

  /// Authors whose entries are asked for one by one; if there are more, all of a cell are read.
  private static let askedAuthors = 8

  private func supersede(
    _ next: LedgerValue, at place: LedgerPlace, _ entry: ClassEntry, _ marks: ClosedRange<Int64>,
    _ source: MergeSource
  ) throws {
    let find = try statement(
      """
      SELECT number, losing_time, losing_mark, losing FROM atoll_conflict
      WHERE class = ? AND key IS ? AND path = ? AND (substr(losing, 1, 1) = x'06') = 0
      AND losing_mark BETWEEN ? AND ?
      """)
    find.bind(Int64(entry.id.rawValue), at: 1)
    find.bind(place.key, at: 2)
    find.bind(place.path, at: 3)
    find.bind(marks.lowerBound, at: 4)
    find.bind(marks.upperBound, at: 5)
    var entries: [(number: Int64, stamp: LocalStamp)] = []
    while try find.step() {
      guard LedgerValue(bytes: find.bytes(at: 3)).givesWay(to: next) else { continue }
      entries.append(
        (find.int64(at: 0), LocalStamp(time: find.uint64(at: 1), mark: find.uint64(at: 2))))
    }
    for (number, stamp) in entries where try !isConcurrent(stamp, with: source) {
      let statement = try statement("DELETE FROM atoll_conflict WHERE number = ?")
      statement.bind(number, at: 1)
      try statement.run()
    }
  }

  /// Puts what was done to an element into the entry of its insert; false if the ledger has none.
  ///
  /// The position to which it was moved is lost with it, without an entry of its own.
  func fold(
    _ losing: LedgerValue, intoInsertOf element: LocalElement, at place: LedgerPlace
  ) throws -> Bool {
    guard let entry = place.entry else { return false }
    let find = try statement(
      """
      SELECT number FROM atoll_conflict
      WHERE class = ? AND key IS ? AND path = ? AND (substr(losing, 1, 1) = x'06') = 0
      AND losing_mark = ?
      """)
    find.bind(Int64(entry.id.rawValue), at: 1)
    find.bind(place.key, at: 2)
    find.bind(place.path, at: 3)
    find.bind(element.mark, at: 4)
    guard try find.step() else { return false }
    let number = find.int64(at: 0)
    find.reset()
    if case .moved = losing { return true }
    let update = try statement("UPDATE atoll_conflict SET losing = ? WHERE number = ?")
    update.bind(losing.bytes, at: 1)
    update.bind(number, at: 2)
    try update.run()
    return true
  }
}

extension LedgerValue {
  /// True if an entry with this value is done with once the next one for its cell comes.
  fileprivate func givesWay(to next: LedgerValue) -> Bool {
    switch (self, next) {
    case (.step, _), (_, .step): false
    case (.moved, .moved), (.moved, .removed): true
    case (.moved, _), (_, .moved): false
    case (_, _): true
    }
  }
}
