import AtollSQLite
import AtollVocabulary

// What files of earlier builds have otherwise: put right once, when they are opened for writing.
//
// In format 1 deleted objects without a declared key were remembered, each deletion's key in two places;
// they and removed list elements counted in digests, which some files did not have at all.
extension StoreFile {
  func upgrade() throws {
    guard !options.isReadOnly, try isOld() else { return }
    try begin(.schema, timeout: options.lockTimeout)
    do {
      let transaction = try current("upgrading the file")
      if try isOld() {
        try remakeDead()
        try remakeDigests(transaction)
        try connection.execute("PRAGMA user_version = \(StoreLayout.format)")
      }
      try statement("COMMIT").run()
      abandonUnchanged(transaction)
    } catch {
      abandon()
      throw error
    }
  }

  /// Whether the digests kept in the file are another build's, if there are any.
  func isOld() throws -> Bool {
    try connection.integer("PRAGMA user_version") ?? 0 < Int64(StoreLayout.format)
  }

  private func remakeDead() throws {
    try connection.execute(
      """
      CREATE TEMP TABLE former_dead AS SELECT * FROM main.atoll_dead; DROP TABLE main.atoll_dead
      """)
    try make("atoll_dead", StoreLayout.deadTable)
    for entry in objectClasses where entry.keyType != .identity {
      try connection.execute(
        """
        INSERT INTO atoll_dead (class, key, life)
        SELECT class, ifnull(key, \(entry.nilKeySQL)), life FROM former_dead
        WHERE class = \(entry.id.rawValue)
        """)
    }
    try connection.execute("DROP TABLE former_dead")
  }

  private func make(_ table: String, _ sql: String) throws {
    try connection.execute(sql)
    for trigger in StoreLayout.triggers(on: table, of: connection) {
      try connection.execute(trigger)
    }
  }

  private func remakeDigests(_ transaction: WriteTransaction) throws {
    if try !connection.texts("SELECT name FROM sqlite_schema").contains("atoll_digest") {
      try make("atoll_digest", StoreLayout.digestTable)
    }
    try connection.execute("DELETE FROM atoll_digest")
    for entry in objectClasses { redigest(entry, plus: try computedDigest(entry)) }
    try storeDigests(transaction)
  }
}
