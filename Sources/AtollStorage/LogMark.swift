import AtollLog
import AtollSQLite
import AtollVocabulary

/// The mark by which a write-ahead log shows which file it was written for.
///
/// It stands before the changes of every commit's record in `atoll_effect`, and so in the log's pages:
///
///     8 bytes magic, 8 bytes of the file's own random token, 8 bytes number of the commit
///
/// The token of a copy that Atoll makes is another one. A log belongs to a database if it has marks of the
/// database's token and its first commit follows what the database has without the log, or is in it.
struct LogMark: Hashable {
  var token: UInt64
  var number: Int64

  static let magic: [UInt8] = [0xFF, 0xA7, 0x6F, 0x6C, 0x6C, 0x6C, 0x6F, 0x67]
  static let byteCount = 24

  var bytes: [UInt8] {
    var bytes = Self.magic
    bytes.append(word: token)
    bytes.append(word: UInt64(bitPattern: number))
    return bytes
  }

  init(token: UInt64, number: Int64) {
    self.token = token
    self.number = number
  }

  /// The one at the beginning of some bytes; nil if there is none.
  init?(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes.prefix(Self.byteCount))
    guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic) else { return nil }
    var reader = WordReader(Array(bytes.dropFirst(Self.magic.count)))
    guard let token = reader.word(), let number = reader.word() else { return nil }
    self.init(token: token, number: Int64(bitPattern: number))
  }

  /// The mark of a database's last commit; nil if it has none.
  ///
  /// - Throws: What SQLite says of a damaged file.
  init?(lastOf connection: Connection) throws(SQLiteError) {
    let statement = try connection.prepare(
      """
      SELECT number, substr(changes, 1, \(Self.byteCount)) FROM atoll_effect
      ORDER BY number DESC LIMIT 1
      """)
    defer { statement.finalize() }
    guard try statement.step(), let mark = LogMark(statement.bytes(at: 1)) else { return nil }
    self.init(token: mark.token, number: statement.int64(at: 0))
  }

  /// Gives the file a token of its own, which no log has yet, in all its marks.
  static func renew(_ connection: Connection, token: UInt64) throws(SQLiteError) {
    var beginning = magic
    beginning.append(word: token)
    let statement = try connection.prepare(
      """
      UPDATE atoll_effect SET changes = CAST(?1 || substr(changes, \(beginning.count + 1)) AS BLOB)
      WHERE substr(changes, 1, \(magic.count)) = ?2
      """)
    defer { statement.finalize() }
    statement.bind(beginning, at: 1)
    statement.bind(magic, at: 2)
    try statement.run()
  }
}

/// The database of a store without its write-ahead log, as a checkpoint last left it.
enum BareFile: Hashable {
  /// A store in which nothing was committed yet.
  case new
  case marked(LogMark)

  /// Nil if the file is not a store's, is empty without its log, has no marks yet or is damaged.
  init?(_ path: String, disk: FaultDisk? = nil) {
    guard let connection = try? Connection(path: path, access: .withoutLog, disk: disk) else {
      return nil
    }
    defer { connection.close() }
    do {
      let id = try connection.integer("PRAGMA application_id")
      guard id == Int64(StoreLayout.applicationID) else { return nil }
      if let mark = try LogMark(lastOf: connection) {
        self = .marked(mark)
      } else {
        guard try connection.integer("SELECT count(*) FROM atoll_effect") == 0 else { return nil }
        self = .new
      }
    } catch {
      return nil
    }
  }

  /// Tells if a file has the header of a store, whatever the rest of it holds.
  static func isDatabase(_ path: String) -> Bool {
    guard let connection = try? Connection(path: path, access: .withoutLog) else { return false }
    defer { connection.close() }
    return (try? connection.integer("PRAGMA application_id")) == Int64(StoreLayout.applicationID)
  }

  var mark: LogMark? {
    switch self {
    case .new: nil
    case .marked(let mark): mark
    }
  }
}

extension LogFile {
  /// Returns the objection to this log as that of a file; nil if there is none.
  ///
  /// Values may hold anything, also what looks like a mark. So a mark of the right kind in the first commit
  /// that has any speaks for the log, and what else is there does not speak against it.
  func objection(to file: BareFile) -> String? {
    // By token, the last commit in the first transaction with any mark of the right kind. A page of records
    // holds those of earlier commits, too.
    var last: [UInt64: Int64] = [:]
    forEachPage { page in
      var place = 0
      while last.count < Self.tokens,
        let found = page.bytes.firstOffset(of: LogMark.magic, from: place)
      {
        place = found + 1
        guard let mark = LogMark(page.bytes[found...]) else { continue }
        last[mark.token] = max(last[mark.token] ?? mark.number, mark.number)
      }
      guard page.endsCommit else { return true }
      return file.mark.map { last[$0.token] == nil } ?? last.isEmpty
    }
    guard let mark = file.mark else {
      return last.isEmpty || last.values.contains(1)
        ? nil : "it was written for another file, and the file has no commits"
    }
    guard let own = last[mark.token] else {
      return last.isEmpty ? nil : "it was written for another file"
    }
    return own > mark.number + 1
      ? "it begins with commit \(own), and the file ends with commit \(mark.number)" : nil
  }

  /// Tokens that are told apart in one log.
  private static let tokens = 1 << 16
}
