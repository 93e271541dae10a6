internal import CSQLite

extension Connection {
  /// Tells if the database may be whole only with its write-ahead log: a checkpoint has written some pages to
  /// the file and left others, since a reader, a full disk or a kill stood in its way.
  ///
  /// The log's index (SQLite's `walformat`) has how many frames there are (`mxFrame`), how many a checkpoint has
  /// begun to move (`nBackfillAttempted`), and how many count as moved (`nBackfill`). Where only a part counts,
  /// a page that has a later frame too was left as it was. The index is read where SQLite has it in memory: opening the
  /// file once more would end the locks that this process has on it. To be asked while no checkpoint can run.
  package var mayHavePartialCheckpoint: Bool {
    var found: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &found) == SQLITE_OK,
      let file = found, let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
      let map = methods.pointee.xShmMap
    else { return true }
    var memory: UnsafeMutableRawPointer?
    guard map(file, 0, Self.indexBytes, 0, &memory) == SQLITE_OK, let memory else { return true }
    let moved = memory.load(fromByteOffset: Self.movedOffset, as: UInt32.self)
    let frames = memory.load(fromByteOffset: Self.framesOffset, as: UInt32.self)
    return moved != memory.load(fromByteOffset: Self.attemptedOffset, as: UInt32.self)
      || moved != 0 && moved != frames
  }

  private static let indexBytes: Int32 = 32 << 10
  /// Places of the three numbers in the index.
  private static let (framesOffset, movedOffset, attemptedOffset) = (16, 96, 128)
}
