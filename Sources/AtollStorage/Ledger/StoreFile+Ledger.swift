import AtollChanges
import AtollLog
import AtollSQLite
package import AtollVocabulary

// The ledger itself: `atoll_conflict`, written in the transaction of the merge, bounded, and local:
// nothing in it is sent, digested or exported.
extension StoreFile {
  /// The lost writes that are kept, oldest first; of one class, of one object.
  package func conflicts(
    of classID: ClassID? = nil, key: PersistedValue? = nil
  ) throws(StorageError) -> [Conflict] {
    try doing("reading the conflicts") {
      try refreshBeforeReading()
      let condition =
        classID == nil ? "" : " WHERE class = ?1" + (key == nil ? "" : " AND key IS ?2")
      let statement = try statement(Self.selection + condition + " ORDER BY number")
      if let classID { statement.bind(Int64(classID.rawValue), at: 1) }
      if classID != nil, let key { statement.bind(key, at: 2) }
      var conflicts: [Conflict] = []
      while try statement.step() {
        if let conflict = conflict(statement) { conflicts.append(conflict) }
      }
      return conflicts
    }
  }

  /// The numbers of the entries there are, ascending.
  package func conflictNumbers() throws(StorageError) -> [Int64] {
    try doing("reading the conflicts") {
      let statement = try statement("SELECT number FROM atoll_conflict ORDER BY number")
      var numbers: [Int64] = []
      while try statement.step() { numbers.append(statement.int64(at: 0)) }
      return numbers
    }
  }

  /// One entry; nil if it was dismissed, or went with the oldest.
  package func conflict(_ number: Int64) throws(StorageError) -> Conflict? {
    try doing("reading a conflict") {
      try refreshBeforeReading()
      let statement = try statement(Self.selection + " WHERE number = ?")
      statement.bind(number, at: 1)
      defer { statement.reset() }
      return try statement.step() ? conflict(statement) : nil
    }
  }

  /// Takes an entry out of the ledger, in the open write transaction.
  package func dismissConflict(_ number: Int64) throws(StorageError) {
    try doing("dismissing a conflict") {
      let transaction = try current("dismissing a conflict")
      let statement = try statement("DELETE FROM atoll_conflict WHERE number = ?")
      statement.bind(number, at: 1)
      try statement.run()
      // A commit of its own even if nothing else is written: observers hear of it.
      transaction.hasLocalChanges = true
    }
  }

  private static let selection =
    """
    SELECT number, class, key, path, rule, losing, losing_time, losing_mark, winning, \
    winning_time, winning_mark FROM atoll_conflict
    """

  private func conflict(_ row: Statement) -> Conflict? {
    let classID = ClassID(Int32(truncatingIfNeeded: row.int64(at: 1)))
    guard let entry = catalog.entry(classID), let rule = ConflictRule(rawValue: row.int64(at: 4))
    else { return nil }
    return Conflict(
      number: row.int64(at: 0), className: entry.name, classID: classID,
      key: row.value(entry.keyType, at: 2), path: row.string(at: 3), rule: rule,
      losing: side(row, at: 5), winning: side(row, at: 8))
  }

  private func side(_ row: Statement, at first: Int32) -> ConflictSide {
    let value = LedgerValue(bytes: row.bytes(at: first))
    guard !row.isNull(at: first + 1) else {
      return ConflictSide(value: value, author: nil, time: nil)
    }
    let stamp = LocalStamp(time: row.uint64(at: first + 1), mark: row.uint64(at: first + 2))
    return ConflictSide(
      value: value, author: authors[stamp.author]?.author,
      time: HybridTime(rawValue: stamp.time))
  }

  /// Takes in authors and classes that other processes have added: a declaration of a class that the catalog
  /// does not have yet would be passed over, so both are read in one snapshot.
  func refreshBeforeReading() throws {
    try connection.inOneSnapshot {
      _ = try lookAtState()
      if transaction == nil { try refreshAuthors() }
    }
  }

  // MARK: Writing

}
