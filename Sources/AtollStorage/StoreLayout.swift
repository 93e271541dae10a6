import AtollLog
import AtollSQLite

/// The tables of bookkeeping, and the numbers that mark a file as a store.
enum StoreLayout {
  /// "Atol" in ASCII.
  static let applicationID: Int32 = 0x4174_6F6C
  /// Raised with every change that an older build could not read.
  static let format: Int32 = 4
  /// No build will ever have a greater one.
  static let greatestFormat: Int32 = 10_000

  /// Bookkeeping tables; those of classes and lists are made by ``Catalog``.
  static let tables = [
    """
    CREATE TABLE atoll_store (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      store BLOB NOT NULL, author INTEGER NOT NULL, secret BLOB,
      device INTEGER NOT NULL, inode INTEGER NOT NULL, birth INTEGER NOT NULL,
      machine TEXT NOT NULL)
    """,
    LogTables.author.sql,
    """
    CREATE TABLE atoll_declared (
      number INTEGER PRIMARY KEY, author INTEGER NOT NULL, kind INTEGER NOT NULL,
      local INTEGER NOT NULL)
    """,
    """
    CREATE TABLE atoll_class (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, embedded INTEGER NOT NULL,
      key_type INTEGER NOT NULL, key_name TEXT, key_column TEXT NOT NULL)
    """,
    """
    CREATE TABLE atoll_property (
      id INTEGER PRIMARY KEY, class INTEGER NOT NULL, name TEXT NOT NULL,
      type INTEGER NOT NULL, collection INTEGER NOT NULL, target INTEGER,
      indexed INTEGER NOT NULL)
    """,
    """
    CREATE TABLE atoll_table (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL, class INTEGER NOT NULL,
      parent INTEGER, parent_column INTEGER)
    """,
    """
    CREATE TABLE atoll_column (
      "table" INTEGER NOT NULL, ordinal INTEGER NOT NULL, parent INTEGER,
      property INTEGER NOT NULL, name TEXT NOT NULL,
      PRIMARY KEY ("table", ordinal)) WITHOUT ROWID
    """,
    tombstoneTable,
    """
    CREATE TABLE atoll_ghost (
      class INTEGER NOT NULL, key BLOB, life INTEGER NOT NULL, id INTEGER NOT NULL,
      PRIMARY KEY (class, key, life))
    """,
    "CREATE UNIQUE INDEX atoll_ghost_id ON atoll_ghost (class, id)",
    LogTables.log.sql,
    LogTables.logIndex,
    LogTables.key.sql,
    """
    CREATE TABLE atoll_effect (
      number INTEGER PRIMARY KEY, origin INTEGER NOT NULL, time INTEGER NOT NULL,
      schema INTEGER NOT NULL, changes BLOB NOT NULL, heads BLOB NOT NULL)
    """,
    digestTable,
  ]

  /// The even number of each deleted object with a declared key; ``ClassEntry/nilKeySQL`` stands for nil.
  static let tombstoneTable = """
    CREATE TABLE atoll_dead (
      class INTEGER NOT NULL, key BLOB NOT NULL, life INTEGER NOT NULL,
      PRIMARY KEY (class, key)) WITHOUT ROWID
    """

  /// The sum over the objects of each class, by the class's number; no row is a sum of nothing.
  static let digestTable = """
    CREATE TABLE atoll_digest (
      class INTEGER PRIMARY KEY, high INTEGER NOT NULL, low INTEGER NOT NULL)
    """

  /// The tables of what is local: what is deferred, whom the file knows, losses, snapshots.
  static let localTables: [LogTables.Table] =
    LogTables.deferral
    + [LogTables.seen]
    + peerTables
    + [LogTables.arrival]
    + conflictTables
    + LogTables.control
    + memberTables
    + LogTables.start
    + goneTables
    + [LogTables.backfill]

  private static let peerTables: [LogTables.Table] = [
    (
      "atoll_known",
      """
      CREATE TABLE atoll_known (
        replica BLOB NOT NULL, incarnation INTEGER NOT NULL, heads BLOB NOT NULL,
        time INTEGER NOT NULL, PRIMARY KEY (replica, incarnation)) WITHOUT ROWID
      """
    )
  ]

  private static let conflictTables: [LogTables.Table] = [
    (
      "atoll_conflict",
      """
      CREATE TABLE atoll_conflict (
        number INTEGER PRIMARY KEY AUTOINCREMENT, class INTEGER NOT NULL, key BLOB,
        path TEXT NOT NULL, cell_table INTEGER, cell_row INTEGER, cell_ordinal INTEGER,
        rule INTEGER NOT NULL, losing BLOB NOT NULL, losing_time INTEGER NOT NULL,
        losing_mark INTEGER NOT NULL, winning BLOB NOT NULL, winning_time INTEGER,
        winning_mark INTEGER);
      CREATE INDEX atoll_conflict_path
        ON atoll_conflict (class, key, path, (substr(losing, 1, 1) = x'06'), losing_mark);
      CREATE INDEX atoll_conflict_losing ON atoll_conflict (losing_time, losing_mark)
      """
    )
  ]

  private static let memberTables: [LogTables.Table] = [
    (
      "atoll_followed",
      """
      CREATE TABLE atoll_followed (
        replica BLOB NOT NULL, incarnation INTEGER NOT NULL, followed BLOB, pending BLOB,
        PRIMARY KEY (replica, incarnation)) WITHOUT ROWID
      """
    ),
    (
      "atoll_roster",
      """
      CREATE TABLE atoll_roster (
        identity BLOB PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL,
        addresses TEXT NOT NULL) WITHOUT ROWID
      """
    ),
    (
      "atoll_pinned",
      "CREATE TABLE atoll_pinned (replica BLOB PRIMARY KEY, identity BLOB NOT NULL) WITHOUT ROWID"
    ),
    (
      "atoll_trust",
      """
      CREATE TABLE atoll_trust (
        one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL,
        secret BLOB, expires INTEGER);
      INSERT INTO atoll_trust VALUES (1, 1, NULL, NULL)
      """
    ),
    (
      "atoll_pause",
      """
      CREATE TABLE atoll_pause (one INTEGER PRIMARY KEY CHECK (one = 1), since INTEGER NOT NULL)
      """
    ),
    (
      "atoll_snapshot",
      """
      CREATE TABLE atoll_snapshot (
        number INTEGER PRIMARY KEY AUTOINCREMENT, state INTEGER NOT NULL, id BLOB NOT NULL,
        objects INTEGER NOT NULL DEFAULT 0)
      """
    ),
    (
      "atoll_snapshot_page",
      """
      CREATE TABLE atoll_snapshot_page (
        snapshot INTEGER NOT NULL, page INTEGER NOT NULL, hash BLOB NOT NULL, bytes BLOB NOT NULL,
        PRIMARY KEY (snapshot, page))
      """
    ),
  ]

  private static let goneTables: [LogTables.Table] = [
    (
      "atoll_gone",
      "CREATE TABLE atoll_gone (class INTEGER PRIMARY KEY, id INTEGER NOT NULL)"
    )
  ]

  /// Their names, in the order of ``tables``.
  static let tableNames = [
    "atoll_store", LogTables.author.name, "atoll_declared", "atoll_class", "atoll_property",
    "atoll_table", "atoll_column", "atoll_dead", "atoll_ghost", LogTables.log.name,
    LogTables.key.name,
    "atoll_effect", "atoll_digest",
  ]

  /// A name as SQL wants it.
  static func quoted(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "\"")) else { return "\"\(name)\"" }
    return "\"" + name.replacing("\"", with: "\"\"") + "\""
  }

  /// Tells whether a name of a peer can be a table's or column's as it is.
  static func isPlain(_ name: String) -> Bool {
    let lower = name.lowercased()
    return !name.isEmpty && !name.utf8.contains(0) && !lower.hasPrefix("_")
      && !lower.hasPrefix("sqlite_") && !lower.hasPrefix("atoll_")
  }
}
