import CSQLite

/// Makes the write-ahead log longer ahead of the commits, with zeros.
///
/// A commit that makes its file longer waits for the disk to write down the new length, too; one that
/// overwrites what is there already does not, and took half as long. SQLite ends the log at the first
/// frame that is none, as it does where an earlier, longer log stood.
final class LogRoom {
  private typealias Methods = FileMethods<Room>
  private typealias Write =
    @convention(c) (
      UnsafeMutablePointer<sqlite3_file>?, UnsafeRawPointer?, Int32, sqlite3_int64
    ) -> Int32
  private typealias Sync = @convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32) -> Int32

  private struct Room {
    /// The system's own of what is replaced.
    let write: Write
    let sync: Sync
    /// Whether it was looked since the last flush how much room there is.
    var isChecked = false
    /// How long the file is at least; -1 as long as that is not known.
    ///
    /// The system is not asked each time: Linux gives what is written after a question a time of its
    /// own, which then goes to the disk with it.
    var size: sqlite3_int64 = -1
    /// Where the last commit began.
    var last: sqlite3_int64 = 0
  }

  /// A log that is shorter is not worth it: most files are written to once or twice.
  private static let least: sqlite3_int64 = 64 << 10
  /// The log grows by its own length, up to this.
  private static let most: sqlite3_int64 = 512 << 10
  /// A commit that needs more makes its room itself.
  private static let reserve: sqlite3_int64 = 64 << 10
  private static let zeros = [UInt8](repeating: 0, count: 64 << 10)

  private let handle: OpaquePointer
  private let methods: Methods

  /// For a database in WAL mode, in a transaction; nil if its log is no file.
  init?(_ handle: OpaquePointer) {
    guard let file = Self.log(of: handle), let system = file.pointee.pMethods,
      let write = system.pointee.xWrite, let sync = system.pointee.xSync
    else { return nil }
    self.handle = handle
    methods = Methods(of: file, system: system, state: Room(write: write, sync: sync)) { table in
      table.xWrite = { file, bytes, count, offset in
        guard let file else { return SQLITE_MISUSE }
        let record = Methods.record(of: file)
        if !record.pointee.state.isChecked {
          record.pointee.state.isChecked = true
          LogRoom.makeRoom(in: file, record, after: offset + sqlite3_int64(count))
        }
        return record.pointee.state.write(file, bytes, count, offset)
      }
      table.xSync = { file, flags in
        guard let file else { return SQLITE_MISUSE }
        let record = Methods.record(of: file)
        record.pointee.state.isChecked = false
        return record.pointee.state.sync(file, flags)
      }
    }
  }

  /// Gives the log its own functions back; to be called before the database is closed.
  func end() {
    if let file = Self.log(of: handle) { methods.end(file) }
  }

  private static func log(of handle: OpaquePointer) -> UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file)
    return code == SQLITE_OK ? file : nil
  }

  /// Writes zeros behind the first frame of a commit, where nothing of the log can be yet.
  ///
  /// Whatever fails here fails again, and is told, where there is something to lose.
  private static func makeRoom(
    in file: UnsafeMutablePointer<sqlite3_file>, _ record: UnsafeMutablePointer<Methods.Record>,
    after end: sqlite3_int64
  ) {
    var size = record.pointee.state.size
    // A log that begins anew may have been cut.
    if size < 0 || end < record.pointee.state.last,
      record.pointee.system.pointee.xFileSize(file, &size) != SQLITE_OK
    {
      return
    }
    size = max(size, end)
    record.pointee.state.last = end
    record.pointee.state.size = size
    guard size >= least, end + reserve > size else { return }
    let wanted = end + min(size, most)
    while size < wanted {
      let count = min(wanted - size, sqlite3_int64(zeros.count))
      let code = zeros.withUnsafeBytes {
        record.pointee.state.write(file, $0.baseAddress, Int32(count), size)
      }
      guard code == SQLITE_OK else { return }
      size += count
      record.pointee.state.size = size
    }
  }
}
