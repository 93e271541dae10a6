import AtollChanges
import AtollLog
import AtollSQLite
import AtollVocabulary

// Creates and deletes that were lost. They leave no stamp of their own, so that what had come before is
// looked for in the log.
extension ObjectTables {
  /// Records unseen creates of an object that is deleted: of one made with nothing but a key, the key is lost.
  func recordLostCreates(
    _ entry: ClassEntry, _ row: LoadedRow, _ end: Ending, _ source: MergeSource
  ) throws {
    for item in try unseenOperations(.create, on: entry.id, row.key, source) {
      guard case .create(let object, _) = item.operation, object.generation == row.generation else {
        continue
      }
      try enter(
        Loss(
          rule: end.rule, losing: .created, losingStamp: item.stamp, winning: end.winning,
          winningStamp: end.stamp),
        at: LedgerPlace(entry: entry, key: row.key), source)
    }
  }

  /// Records a create of an object that was deleted by an author who had seen another create of it.
  func recordDroppedCreate(
    _ entry: ClassEntry, _ key: PersistedValue, _ fields: [CreatedField], _ stamp: LocalStamp,
    _ source: MergeSource
  ) throws {
    guard isLedgerOpen else { return }
    func enter(_ losing: LedgerValue, at path: String) throws {
      try self.enter(
        Loss(
          rule: .deleted, losing: losing, losingStamp: stamp, winning: .removed,
          winningStamp: nil),
        at: LedgerPlace(entry: entry, key: key, path: path), source)
    }
    for field in fields where field.isAssigned {
      try enter(
        try ledgerValue(field.value, source),
        at: try property(field.property, of: source.author).name)
    }
    if !fields.contains(where: \.isAssigned) { try enter(.created, at: "") }
  }

  /// Records the losses of an object's next generation: deletes of former ones that its maker had not seen.
  func recordRecreation(
    _ entry: ClassEntry, _ object: ObjectReference, _ stamp: LocalStamp, _ source: MergeSource
  ) throws {
    guard isLedgerOpen, object.generation > .first else { return }
    // Deletes of earlier generations were lost to those who made the next one.
    for item in try unseenOperations(.delete, on: entry.id, object.key, source) {
      guard case .delete(let deleted) = item.operation,
        Existence.created(after: deleted.generation) == object.generation
      else { continue }
      try enter(
        Loss(
          rule: .recreated, losing: .removed, losingStamp: item.stamp, winning: .created,
          winningStamp: stamp),
        at: LedgerPlace(entry: entry, key: object.key), source)
    }
  }

  /// Records a delete of an object that was made again by an author who had not seen the delete.
  func recordLateDelete(
    _ entry: ClassEntry, _ id: Int64, _ key: PersistedValue, _ stamp: LocalStamp,
    _ source: MergeSource
  ) throws {
    guard isLedgerOpen else { return }
    try aside {
      try enter(
        Loss(
          rule: .recreated, losing: .removed, losingStamp: stamp, winning: .created,
          winningStamp: try load(entry.table, id)?.state.base),
        at: LedgerPlace(entry: entry, key: key), source)
    }
  }

  /// Drops entries that are no losses any more: a lost delete, once its author has made the object again or
  /// deleted it after all, and an author's writes lost with an object, once the same author makes it again.
  func forgetLosses(
    with object: ObjectReference, _ entry: ClassEntry, _ source: MergeSource
  ) throws {
    guard ledger.isKept, object.generation.rawValue > 2 else { return }
    let statement = try statement(
      """
      DELETE FROM atoll_conflict WHERE class = ?1 AND key IS ?2 AND losing_mark >> 32 = ?3
      AND rule IN (?4, ?5)
      """)
    statement.bind(Int64(entry.id.rawValue), at: 1)
    statement.bind(object.key, at: 2)
    statement.bind(source.record.number, at: 3)
    statement.bind(ConflictRule.recreated.rawValue, at: 4)
    let lost = object.generation.isAlive ? ConflictRule.deleted : .recreated
    statement.bind(lost.rawValue, at: 5)
    try statement.run()
  }
}
