package import AtollChanges
import AtollLog
import AtollSQLite
package import AtollVocabulary

/// The state of a row of `atoll_snapshot`; the raw value is the column's.
enum SnapshotState: Int64 {
  /// Being written here.
  case growing = 0
  /// Whole, for others.
  case whole = 1
  /// Coming from a peer.
  case coming = 2
  /// The snapshot with which this file began.
  case checkpoint = 3
}

// Snapshots as the file keeps them: pages with the hash of all up to each, one snapshot of each state.
extension StoreFile {
  /// The snapshot that can be offered: one made here, or the one that this file began with; nil if others would not take it.
  package func snapshotOffer() throws(StorageError) -> SnapshotOffer? {
    try doing("reading the snapshot") {
      let number = try snapshotNumber(in: .whole) ?? snapshotNumber(in: .checkpoint)
      // The log may be cut within a run, for whose middle nobody's seal vouches.
      return try number.flatMap { try head(ofSnapshot: $0).unsealed.isEmpty ? offer($0) : nil }
    }
  }

  /// The checkpoint, below which the log has nothing; nil if the log has the first changesets.
  ///
  /// Its frontier has the names that authors' histories have here, of which its pages may not know.
  package func logCheckpoint() throws(StorageError) -> SnapshotOffer? {
    try doing("reading the checkpoint") {
      guard var checkpoint = try snapshotNumber(in: .checkpoint).map(offer) else { return nil }
      checkpoint.frontier = Holdings(
        heads: authors.sorted.compactMap { record in
          record.checkpoint.map {
            ChangesetID(author: record.author, sequence: $0.sequence, hash: $0.hash)
          }
        })
      return checkpoint
    }
  }

  /// Pages of a snapshot that was offered, with the hash after each.
  ///
  /// - Returns: Fewer at its end; none if it is no longer here.
  /// - Throws: `damaged` if a page is not what it was.
  package func snapshotPages(
    of id: ChainHash, from first: Int, count: Int
  ) throws(StorageError) -> [SnapshotPage] {
    try doing("reading a snapshot") {
      guard
        let number = try [SnapshotState.whole, .checkpoint].lazy.compactMap(snapshotNumber)
          .first(where: { try offer($0).id == id })
      else { return [] }
      let end = min(try pageCount(number), first + min(count, Limits.snapshotWindow))
      return try (first..<max(first, end)).map { page in
        SnapshotPage(
          id: id, index: page, hash: try pageHash(number, page) ?? .snapshotOrigin,
          bytes: try checkedPage(number, page))
      }
    }
  }

  // MARK: Numbers

  func snapshotNumber(in state: SnapshotState) throws -> Int64? {
    try connection.integer(
      "SELECT number FROM atoll_snapshot WHERE state = \(state.rawValue) ORDER BY number DESC LIMIT 1"
    )
  }

  func pageCount(_ number: Int64) throws -> Int {
    Int(
      try connection.integer(
        "SELECT count(*) FROM atoll_snapshot_page WHERE snapshot = \(number)") ?? 0)
  }

  /// The hash of all pages up to one; that before the first for −1.
  func pageHash(_ number: Int64, _ page: Int) throws -> ChainHash? {
    guard page >= 0 else { return .snapshotOrigin }
    let statement = try statement(
      "SELECT hash FROM atoll_snapshot_page WHERE snapshot = ? AND page = ?")
    statement.bind(number, at: 1)
    statement.bind(Int64(page), at: 2)
    defer { statement.reset() }
    return try statement.step() ? ChainHash(statement.bytes(at: 0)) : nil
  }

  func checkedPage(_ number: Int64, _ page: Int) throws -> [UInt8] {
    let statement = try statement(
      "SELECT bytes FROM atoll_snapshot_page WHERE snapshot = ? AND page = ?")
    statement.bind(number, at: 1)
    statement.bind(Int64(page), at: 2)
    let bytes = try statement.step() ? statement.bytes(at: 0) : []
    statement.reset()
    guard let before = try pageHash(number, page - 1), let hash = try pageHash(number, page),
      before.following(bytes) == hash
    else {
      throw StorageError.damaged(
        path: path, detail: "page \(page) of a snapshot does not give its hash")
    }
    return bytes
  }

  private func offer(_ number: Int64) throws -> SnapshotOffer {
    let count = try pageCount(number)
    let head = try head(ofSnapshot: number)
    guard let id = try pageHash(number, count - 1) else {
      throw StorageError.damaged(path: path, detail: "a snapshot has no last page")
    }
    let objects = try connection.integer(
      "SELECT objects FROM atoll_snapshot WHERE number = \(number)")
    return SnapshotOffer(
      id: id, pages: count, objects: UInt64(clamping: objects ?? 0), frontier: head.frontier)
  }

  func head(ofSnapshot number: Int64) throws -> SnapshotHead {
    var reader = SnapshotReader()
    for page in 0..<(try pageCount(number)) {
      reader.append(try checkedPage(number, page))
      if case .head(let head)? = try reader.next() { return head }
    }
    throw SnapshotRefusal(reason: "it has no head")
  }

  // MARK: Writing

  func append(page bytes: [UInt8], _ hash: ChainHash, to number: Int64, at page: Int) throws {
    let statement = try statement(
      "INSERT INTO atoll_snapshot_page (snapshot, page, hash, bytes) VALUES (?, ?, ?, ?)")
    statement.bind(number, at: 1)
    statement.bind(Int64(page), at: 2)
    statement.bind(hash.bytes, at: 3)
    try statement.run(binding: bytes, at: 4)
  }

  /// Begins a snapshot in a state, in place of any other there.
  func beginSnapshot(_ state: SnapshotState, id: ChainHash?) throws -> Int64 {
    try dropSnapshot(in: state)
    let statement = try statement("INSERT INTO atoll_snapshot (state, id) VALUES (?, ?)")
    statement.bind(state.rawValue, at: 1)
    statement.bind(id?.bytes ?? [], at: 2)
    try statement.run()
    return connection.lastInsertedRow
  }

  func dropSnapshot(in state: SnapshotState) throws {
    try connection.execute(
      """
      DELETE FROM atoll_snapshot_page WHERE snapshot IN
        (SELECT number FROM atoll_snapshot WHERE state = \(state.rawValue));
      DELETE FROM atoll_snapshot WHERE state = \(state.rawValue)
      """)
  }

  func setState(_ state: SnapshotState, ofSnapshot number: Int64) throws {
    try dropSnapshot(in: state)
    try connection.execute(
      "UPDATE atoll_snapshot SET state = \(state.rawValue) WHERE number = \(number)")
  }

  func setObjects(_ count: Int64, ofSnapshot number: Int64) throws {
    try connection.execute(
      "UPDATE atoll_snapshot SET objects = \(count) WHERE number = \(number)")
  }

  /// Changes bookkeeping that nobody is told of.
  func quietly<Value>(_ what: String, _ body: () throws -> Value) throws -> Value {
    try begin(.remote, timeout: options.lockTimeout)
    do {
      let transaction = try current(what)
      let value = try body()
      try statement("COMMIT").run()
      abandonUnchanged(transaction)
      return value
    } catch {
      abandon()
      throw error
    }
  }
}
