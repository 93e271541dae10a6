import CSQLite

/// Makes the write-ahead log longer ahead of the commits, with zeros, and writes a commit in one piece.
///
/// A commit that makes its file longer waits for the disk to write down the new length, too; one that
/// overwrites what is there already does not, and took half as long. SQLite ends the log at the first
/// frame that is none, as it does where an earlier, longer log stood.
///
/// SQLite writes each page in two parts, some twenty a commit. Where a commit ends by waiting for the
/// disk, nobody else reads what it has written before, so the parts are put together until then.
final class LogRoom {
  private typealias Methods = FileMethods<Room>
  private typealias Write =
    @convention(c) (
      UnsafeMutablePointer<sqlite3_file>?, UnsafeRawPointer?, Int32, sqlite3_int64
    ) -> Int32
  private typealias Read =
    @convention(c) (
      UnsafeMutablePointer<sqlite3_file>?, UnsafeMutableRawPointer?, Int32, sqlite3_int64
    ) -> Int32
  private typealias Truncate =
    @convention(c) (UnsafeMutablePointer<sqlite3_file>?, sqlite3_int64) -> Int32
  private typealias Size =
    @convention(c) (
      UnsafeMutablePointer<sqlite3_file>?, UnsafeMutablePointer<sqlite3_int64>?
    ) -> Int32
  private typealias Sync = @convention(c) (UnsafeMutablePointer<sqlite3_file>?, Int32) -> Int32

  private struct Room {
    let handle: OpaquePointer
    /// The system's own of what is replaced.
    let write: Write
    let sync: Sync
    let read: Read
    let truncate: Truncate
    let fileSize: Size
    /// Takes parts that belong together; empty if each is written at once.
    let parts: UnsafeMutableRawBufferPointer
    /// The offset of the frames in it, and their length.
    var start: sqlite3_int64 = 0
    var count = 0
    /// True if it was looked since the last flush how much room there is.
    var isChecked = false
    /// The least length of the file; -1 while it is not known.
    ///
    /// The system is not asked each time: Linux gives what is written after a question a time of its
    /// own, which then goes to the disk with it.
    var size: sqlite3_int64 = -1
    /// The offset of the last commit.
    var last: sqlite3_int64 = 0
  }

  /// A log that is shorter is not worth it: most files are written to once or twice.
  private static let least: sqlite3_int64 = 64 << 10
  /// The log grows by its own length, up to this.
  private static let most: sqlite3_int64 = 512 << 10
  /// A commit that needs more makes its room itself.
  private static let reserve: sqlite3_int64 = 64 << 10
  private static let zeros = [UInt8](repeating: 0, count: 64 << 10)
  /// Bytes of a commit that are put together at most.
  private static let together = 128 << 10

  private let handle: OpaquePointer
  private let methods: Methods
  private let parts: UnsafeMutableRawBufferPointer

  /// For a database in WAL mode, in a transaction; nil if its log is no file.
  ///
  /// - Parameters:
  ///   - handle: The connection.
  ///   - isSynchronous: Whether every commit waits for the disk.
  init?(_ handle: OpaquePointer, isSynchronous: Bool) {
    guard let file = Self.log(of: handle), let system = file.pointee.pMethods,
      let write = system.pointee.xWrite, let sync = system.pointee.xSync,
      let read = system.pointee.xRead, let truncate = system.pointee.xTruncate,
      let size = system.pointee.xFileSize
    else { return nil }
    self.handle = handle
    // On a disk that may spoil the bytes beside a write, SQLite writes more after it has waited.
    let traits = system.pointee.xDeviceCharacteristics?(file) ?? 0
    let isTogether = isSynchronous && traits & SQLITE_IOCAP_POWERSAFE_OVERWRITE != 0
    parts = .allocate(byteCount: isTogether ? Self.together : 0, alignment: 16)
    let room = Room(
      handle: handle, write: write, sync: sync, read: read, truncate: truncate, fileSize: size,
      parts: parts)
    methods = Methods(of: file, system: system, state: room) { Self.replace(in: &$0) }
    sqlite3_rollback_hook(
      handle,
      { context in
        guard let context else { return }
        Unmanaged<LogRoom>.fromOpaque(context).takeUnretainedValue().forgetParts()
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { parts.deallocate() }

  private static func replace(in table: inout sqlite3_io_methods) {
    table.xWrite = { file, bytes, count, offset in
      guard let file, let bytes else { return SQLITE_MISUSE }
      let record = Methods.record(of: file)
      if !record.pointee.state.isChecked {
        record.pointee.state.isChecked = true
        LogRoom.makeRoom(in: file, record, after: offset + sqlite3_int64(count))
      }
      return LogRoom.write(
        UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: offset, file)
    }
    table.xSync = { file, flags in
      guard let file else { return SQLITE_MISUSE }
      let record = Methods.record(of: file)
      record.pointee.state.isChecked = false
      let code = LogRoom.flush(file)
      return code == SQLITE_OK ? record.pointee.state.sync(file, flags) : code
    }
    // A program that reads, cuts or measures the file finds all of it there.
    table.xRead = { file, bytes, count, offset in
      guard let file else { return SQLITE_MISUSE }
      let code = LogRoom.flush(file)
      guard code == SQLITE_OK else { return code }
      return Methods.record(of: file).pointee.state.read(file, bytes, count, offset)
    }
    table.xTruncate = { file, size in
      guard let file else { return SQLITE_MISUSE }
      let code = LogRoom.flush(file)
      guard code == SQLITE_OK else { return code }
      return Methods.record(of: file).pointee.state.truncate(file, size)
    }
    table.xFileSize = { file, size in
      guard let file else { return SQLITE_MISUSE }
      let code = LogRoom.flush(file)
      guard code == SQLITE_OK else { return code }
      return Methods.record(of: file).pointee.state.fileSize(file, size)
    }
  }

  /// Puts a part behind those that wait, or writes these first if it does not belong there.
  private static func write(
    _ bytes: UnsafeRawBufferPointer, at offset: sqlite3_int64,
    _ file: UnsafeMutablePointer<sqlite3_file>
  ) -> Int32 {
    let record = Methods.record(of: file)
    let room = record.pointee.state
    let end = room.start + sqlite3_int64(room.count)
    if room.count > 0, offset != end || room.count + bytes.count > room.parts.count {
      let code = flush(file)
      guard code == SQLITE_OK else { return code }
    }
    guard bytes.count <= room.parts.count else {
      return room.write(file, bytes.baseAddress, Int32(bytes.count), offset)
    }
    let count = record.pointee.state.count
    if count == 0 { record.pointee.state.start = offset }
    UnsafeMutableRawBufferPointer(rebasing: room.parts[count...]).copyMemory(from: bytes)
    record.pointee.state.count = count + bytes.count
    return SQLITE_OK
  }

  /// Writes the parts that wait; those that find no room are dropped, and their commit fails.
  ///
  /// Never after the transaction: then another may have written there.
  private static func flush(_ file: UnsafeMutablePointer<sqlite3_file>) -> Int32 {
    let record = Methods.record(of: file)
    let room = record.pointee.state
    guard room.count > 0 else { return SQLITE_OK }
    record.pointee.state.count = 0
    guard sqlite3_txn_state(room.handle, "main") == SQLITE_TXN_WRITE else { return SQLITE_OK }
    return room.write(file, room.parts.baseAddress, Int32(room.count), room.start)
  }

  /// Drops what a transaction wrote that was given up.
  private func forgetParts() { methods.state.count = 0 }

  /// Gives the log its own functions back; to be called before the database is closed.
  func end() {
    sqlite3_rollback_hook(handle, nil, nil)
    forgetParts()
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
