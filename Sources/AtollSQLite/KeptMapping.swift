import CSQLite

/// Keeps a database mapped into memory from one read transaction to the next.
///
/// SQLite gives its mapping back whenever another connection has committed, in case the file was
/// cut short and grown again in between, which some systems would not show in it. That takes time
/// for every page that was ever touched: once all of 22 MB had been read, as long as the commit
/// itself. Linux and Darwin show a file in its mappings as it is, so ours goes only when the
/// file has another size.
final class KeptMapping {
  private typealias Methods = FileMethods<Mapping>
  private typealias Unfetch =
    @convention(c) (
      UnsafeMutablePointer<sqlite3_file>?, sqlite3_int64, UnsafeMutableRawPointer?
    ) -> Int32

  private struct Mapping {
    /// The system's own of what is replaced, at hand because every page that is read asks for it.
    let unfetch: Unfetch
    /// The size of the file when its mapping last went.
    var size: sqlite3_int64 = -1
  }

  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: Methods

  /// Nil where the database is no file, or its file system maps none.
  init?(_ handle: OpaquePointer) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let system = file.pointee.pMethods, system.pointee.iVersion >= 3,
      let unfetch = system.pointee.xUnfetch
    else { return nil }
    self.file = file
    methods = Methods(of: file, system: system, state: Mapping(unfetch: unfetch)) { table in
      table.xUnfetch = { file, offset, page in
        guard let file else { return SQLITE_MISUSE }
        let record = Methods.record(of: file)
        return page == nil
          ? KeptMapping.unmap(file, record) : record.pointee.state.unfetch(file, offset, page)
      }
    }
  }

  /// Gives the file its own functions back; to be called before it is closed.
  func end() { methods.end(file) }

  /// Lets go of the mapping if the file has another size.
  private static func unmap(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ record: UnsafeMutablePointer<Methods.Record>
  ) -> Int32 {
    var size: sqlite3_int64 = -1
    let code = record.pointee.system.pointee.xFileSize(file, &size)
    if code == SQLITE_OK, size == record.pointee.state.size { return SQLITE_OK }
    record.pointee.state.size = size
    return record.pointee.state.unfetch(file, 0, nil)
  }
}
