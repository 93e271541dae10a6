import AtollSQLite
import AtollVocabulary

extension AuthorTable {
  /// Reads again what was settled.
  func refreshSettlements() throws(SQLiteError) {
    settlements = []
    for record in records where !record.late.isEmpty || record.unsettled != nil {
      (record.late, record.unsettled) = ([], nil)
    }
    if !canHaveSettlements {
      // A file of an earlier build that is only read has no such table.
      canHaveSettlements =
        try connection.integer(
          "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'atoll_settled')") == 1
    }
    guard canHaveSettlements,
      try connection.integer("SELECT EXISTS (SELECT 1 FROM atoll_settlement)") == 1
    else { return }
    let known = try connection.prepare(
      "SELECT number, writer, sequence FROM atoll_settlement ORDER BY number")
    var byNumber: [Int64: Settlement] = [:]
    while try known.step() {
      let settlement = Settlement(
        writer: known.int64(at: 1), sequence: SequenceNumber(known.uint64(at: 2)))
      byNumber[known.int64(at: 0)] = settlement
      settlements.append(settlement)
    }
    let entries = try connection.prepare(
      """
      SELECT settlement, author, settled, past, heard, late_first, late_last FROM atoll_settled
      """)
    while try entries.step() {
      guard let settlement = byNumber[entries.int64(at: 0)] else { continue }
      let (first, last) = (entries.uint64(at: 5), entries.uint64(at: 6))
      var entry = Settlement.Entry(
        settled: SequenceNumber(entries.uint64(at: 2)), past: SequenceNumber(entries.uint64(at: 3)),
        isHeard: entries.int64(at: 4) != 0)
      if first > 0, first <= last { entry.late = SequenceNumber(first)...SequenceNumber(last) }
      settlement.entries[entries.int64(at: 1)] = entry
      if entry.late != nil { self[entries.int64(at: 1)]?.late.append(settlement) }
    }
    try refreshLateRewritings()
  }

  private func refreshLateRewritings() throws(SQLiteError) {
    for record in records where !record.lateRewritten.isEmpty { record.lateRewritten = [] }
    let rewritten = try connection.prepare(
      "SELECT author, first, last, writer FROM atoll_late_rewritten ORDER BY writer")
    while try rewritten.step() {
      let (first, last) = (rewritten.uint64(at: 1), rewritten.uint64(at: 2))
      guard first <= last else { continue }
      self[rewritten.int64(at: 0)]?.lateRewritten.append(
        AuthorRecord.Rewriting(
          range: SequenceNumber(first)...SequenceNumber(last), writer: rewritten.int64(at: 3),
          origin: SequenceNumber(first)))
    }
  }

  /// The settlement of a changeset, if it is known.
  func settlement(_ writer: Int64, _ sequence: SequenceNumber) -> Settlement? {
    settlements.first { $0.writer == writer && $0.sequence == sequence }
  }

  /// Adds a settlement, whose entries are stored apart.
  func store(_ settlement: Settlement) throws(SQLiteError) {
    let statement = try connection.prepare(
      "INSERT INTO atoll_settlement (writer, sequence) VALUES (?, ?)")
    statement.bind(settlement.writer, at: 1)
    statement.bind(settlement.sequence.rawValue, at: 2)
    try statement.run()
    settlements.append(settlement)
    for number in settlement.entries.keys { try store(settlement, number) }
    for record in records { record.unsettled = nil }
  }

  /// What a settlement means for one author.
  func store(_ settlement: Settlement, _ number: Int64) throws(SQLiteError) {
    let entry = settlement[number]
    let statement = try connection.prepare(
      """
      INSERT OR REPLACE INTO atoll_settled
        (settlement, author, settled, past, heard, late_first, late_last)
      SELECT number, ?3, ?4, ?5, ?6, ?7, ?8 FROM atoll_settlement
      WHERE writer = ?1 AND sequence = ?2
      """)
    statement.bind(settlement.writer, at: 1)
    statement.bind(settlement.sequence.rawValue, at: 2)
    statement.bind(number, at: 3)
    statement.bind(entry.settled.rawValue, at: 4)
    statement.bind(entry.past.rawValue, at: 5)
    statement.bind(Int64(entry.isHeard ? 1 : 0), at: 6)
    statement.bind(entry.late?.lowerBound.rawValue ?? 0, at: 7)
    statement.bind(entry.late?.upperBound.rawValue ?? 0, at: 8)
    try statement.run()
  }

  /// Notes that a changeset comes late by a settlement.
  func noteLate(
    _ record: AuthorRecord, _ sequence: SequenceNumber, by settlement: Settlement
  ) throws(SQLiteError) {
    var entry = settlement[record.number]
    if let late = entry.late {
      guard !late.contains(sequence) else { return }
      entry.late = min(late.lowerBound, sequence)...max(late.upperBound, sequence)
    } else {
      entry.late = sequence...sequence
      record.late.append(settlement)
    }
    settlement[record.number] = entry
    try store(settlement, record.number)
  }
}
