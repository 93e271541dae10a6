import CSQLite

/// The functions that SQLite calls for one open file, some of them replaced by ours.
///
/// SQLite hands the file to each of them, and the file's first field leads here.
final class FileMethods<State> {
  struct Record {
    var table: sqlite3_io_methods
    let system: UnsafePointer<sqlite3_io_methods>
    /// The state of the replaced functions.
    var state: State
  }

  private let record: UnsafeMutablePointer<Record>

  /// Replaces functions of an open file until ``end(_:)``, and until then has to be there.
  init(
    of file: UnsafeMutablePointer<sqlite3_file>, system: UnsafePointer<sqlite3_io_methods>,
    state: State, replace: (inout sqlite3_io_methods) -> Void
  ) {
    var table = system.pointee
    replace(&table)
    record = .allocate(capacity: 1)
    record.initialize(to: Record(table: table, system: system, state: state))
    file.pointee.pMethods = Self.functions(record)
  }

  /// The state of the replaced functions.
  var state: State {
    get { record.pointee.state }
    set { record.pointee.state = newValue }
  }

  /// Gives the file its own functions back, before it is closed.
  func end(_ file: UnsafeMutablePointer<sqlite3_file>) {
    guard file.pointee.pMethods == Self.functions(record) else { return }
    file.pointee.pMethods = record.pointee.system
  }

  deinit {
    record.deinitialize(count: 1)
    record.deallocate()
  }

  /// The record of a file whose functions were replaced.
  static func record(
    of file: UnsafeMutablePointer<sqlite3_file>
  ) -> UnsafeMutablePointer<Record> {
    UnsafeMutableRawPointer(mutating: file.pointee.pMethods).assumingMemoryBound(to: Record.self)
  }

  private static func functions(
    _ record: UnsafeMutablePointer<Record>
  ) -> UnsafePointer<sqlite3_io_methods> {
    UnsafeRawPointer(record).assumingMemoryBound(to: sqlite3_io_methods.self)
  }
}
