import CSQLite

/// Keeps a database mapped into memory from one read transaction to the next.
///
/// SQLite gives its mapping back whenever another connection has committed, in case the file was
/// cut short and grown again in between, which some systems would not show in it. That takes time
/// for every page that was ever touched: once all of 22 MB had been read, as long as the commit
/// itself. Linux and Darwin show a file in its mappings as it is, so ours goes only when the
/// file has another size.
final class KeptMapping {
  /// What SQLite calls for the file; it hands the file back, whose first field leads here.
  private struct Methods {
    var table: sqlite3_io_methods
    let system: UnsafePointer<sqlite3_io_methods>
    /// The system's own of what is replaced, at hand because every page that is read asks for it.
    let unfetch: Unfetch
    /// The size of the file when its mapping last went.
    var size: sqlite3_int64 = -1
  }

  private typealias Unfetch =
    @convention(c) (
      UnsafeMutablePointer<sqlite3_file>?, sqlite3_int64, UnsafeMutableRawPointer?
    ) -> Int32

  private let file: UnsafeMutablePointer<sqlite3_file>
  private let methods: UnsafeMutablePointer<Methods>

  /// Nil where the database is no file, or its file system maps none.
  init?(_ handle: OpaquePointer) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let system = file.pointee.pMethods, system.pointee.iVersion >= 3,
      let unfetch = system.pointee.xUnfetch
    else { return nil }
    var table = system.pointee
    table.xUnfetch = { file, offset, page in
      guard let file else { return SQLITE_MISUSE }
      let methods = KeptMapping.methods(of: file)
      return page == nil
        ? KeptMapping.unmap(file, methods) : methods.pointee.unfetch(file, offset, page)
    }
    methods = .allocate(capacity: 1)
    methods.initialize(to: Methods(table: table, system: system, unfetch: unfetch))
    self.file = file
    file.pointee.pMethods = Self.table(methods)
  }

  /// Gives the file its own functions back; to be called before it is closed.
  func end() { file.pointee.pMethods = methods.pointee.system }

  deinit { methods.deallocate() }

  private static func table(
    _ methods: UnsafeMutablePointer<Methods>
  ) -> UnsafePointer<sqlite3_io_methods> {
    UnsafeRawPointer(methods).assumingMemoryBound(to: sqlite3_io_methods.self)
  }

  private static func methods(
    of file: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<Methods> {
    UnsafeMutableRawPointer(mutating: file.pointee.pMethods)
      .assumingMemoryBound(to: Methods.self)
  }

  /// Lets go of the mapping if the file has another size.
  private static func unmap(
    _ file: UnsafeMutablePointer<sqlite3_file>, _ methods: UnsafeMutablePointer<Methods>
  ) -> Int32 {
    var size: sqlite3_int64 = -1
    let code = methods.pointee.system.pointee.xFileSize(file, &size)
    if code == SQLITE_OK, size == methods.pointee.size { return SQLITE_OK }
    methods.pointee.size = size
    return methods.pointee.unfetch(file, 0, nil)
  }
}
