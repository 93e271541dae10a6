/// The tables of the log, as a file has them; their names are in this module alone.
///
/// Some names are older than the words used here: `atoll_held` has the deferred changesets, `atoll_continued`
/// those of them whose transaction goes on, `atoll_rewritten` the reissued ranges, `atoll_base` the checkpoint,
/// `atoll_floor` the truncation points and `atoll_backlog` the positions set aside for backfill.
package enum LogTables {
  /// A table: its name and what makes it.
  package typealias Table = (name: String, sql: String)

  package static let author: Table = (
    "atoll_author",
    """
    CREATE TABLE atoll_author (
      number INTEGER PRIMARY KEY, replica BLOB NOT NULL, incarnation INTEGER NOT NULL,
      sequence INTEGER NOT NULL, hash BLOB NOT NULL, named INTEGER NOT NULL,
      branch INTEGER NOT NULL DEFAULT 0, parent INTEGER NOT NULL DEFAULT 0,
      first INTEGER NOT NULL DEFAULT 1, began INTEGER NOT NULL DEFAULT 0,
      UNIQUE (replica, incarnation, branch))
    """
  )

  package static let log: Table = (
    "atoll_log",
    """
    CREATE TABLE atoll_log (
      position INTEGER PRIMARY KEY, author INTEGER NOT NULL, sequence INTEGER NOT NULL,
      hash BLOB NOT NULL, bytes BLOB NOT NULL, seal BLOB)
    """
  )

  /// The public keys of the replicas whose seals are in the log.
  package static let key: Table = (
    "atoll_replica_key",
    """
    CREATE TABLE atoll_replica_key (replica BLOB PRIMARY KEY, key BLOB NOT NULL) WITHOUT ROWID
    """
  )

  package static let logIndex =
    "CREATE UNIQUE INDEX atoll_log_author ON atoll_log (author, sequence)"

  /// Of changesets that may not be applied yet.
  package static let deferral: [Table] = [
    (
      "atoll_held",
      """
      CREATE TABLE atoll_held (
        author INTEGER NOT NULL, sequence INTEGER NOT NULL, position INTEGER NOT NULL,
        time INTEGER NOT NULL, size INTEGER NOT NULL, hash BLOB NOT NULL,
        declared INTEGER NOT NULL, PRIMARY KEY (author, sequence)) WITHOUT ROWID
      """
    ),
    (
      "atoll_continued",
      """
      CREATE TABLE atoll_continued (
        author INTEGER NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (author, sequence))
        WITHOUT ROWID
      """
    ),
  ]

  /// Of what authors had applied, and who delivered changesets.
  package static let seen: Table = (
    "atoll_seen",
    """
    CREATE TABLE atoll_seen (
      author INTEGER NOT NULL, other INTEGER NOT NULL, sequence INTEGER NOT NULL,
      PRIMARY KEY (author, other)) WITHOUT ROWID
    """
  )

  package static let arrival: Table = (
    "atoll_arrival", "CREATE TABLE atoll_arrival (position INTEGER PRIMARY KEY, peer BLOB)"
  )

  /// Of the effect of control operations.
  package static let control: [Table] = [
    (
      "atoll_released",
      """
      CREATE TABLE atoll_released (
        author INTEGER PRIMARY KEY, through INTEGER NOT NULL, time INTEGER NOT NULL)
      """
    ),
    (
      "atoll_superseded",
      """
      CREATE TABLE atoll_superseded (
        author INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
        writer INTEGER NOT NULL, said INTEGER NOT NULL,
        PRIMARY KEY (author, first, last, writer)) WITHOUT ROWID
      """
    ),
    (
      "atoll_removed",
      """
      CREATE TABLE atoll_removed (
        author INTEGER PRIMARY KEY, last INTEGER NOT NULL, writer INTEGER NOT NULL,
        said INTEGER NOT NULL)
      """
    ),
    (
      "atoll_rewritten",
      """
      CREATE TABLE atoll_rewritten (
        author INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
        writer INTEGER NOT NULL, origin INTEGER NOT NULL, PRIMARY KEY (author, first, last, writer))
        WITHOUT ROWID
      """
    ),
  ]

  /// Of where the log starts.
  package static let start: [Table] = [
    (
      "atoll_base",
      """
      CREATE TABLE atoll_base (
        author INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, hash BLOB NOT NULL,
        time INTEGER NOT NULL)
      """
    ),
    (
      "atoll_floor",
      """
      CREATE TABLE atoll_floor (
        author INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, hash BLOB NOT NULL)
      """
    ),
    (
      "atoll_gap",
      """
      CREATE TABLE atoll_gap (
        author INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, hash BLOB NOT NULL,
        coming INTEGER, coming_hash BLOB)
      """
    ),
  ]

  package static let backfill: Table = (
    "atoll_backlog",
    """
    CREATE TABLE atoll_backlog (
      one INTEGER PRIMARY KEY CHECK (one = 1), first INTEGER NOT NULL, next INTEGER NOT NULL,
      last INTEGER NOT NULL)
    """
  )
}
