import CSQLite
import Synchronization

/// The functions that SQLite calls for a ``FaultDisk``; each asks the disk, then the system.
///
/// SQLite allocates one piece of memory a file: a ``Head``, and behind it the system's own file.
enum FaultShim {
  typealias SystemFile = UnsafeMutablePointer<sqlite3_file>

  struct Head {
    var methods: UnsafePointer<sqlite3_io_methods>?
    var file: Unmanaged<FaultFile>?
  }

  /// A file system like `base`, but for the calls that may fail.
  static func make(
    name: String, over base: UnsafeMutablePointer<sqlite3_vfs>
  ) -> UnsafeMutablePointer<sqlite3_vfs> {
    let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    system.initialize(to: base.pointee)
    system.pointee.pNext = nil
    system.pointee.zName = UnsafePointer(copy(name))
    system.pointee.szOsFile += Int32(MemoryLayout<Head>.stride)
    system.pointee.xOpen = { system, name, file, flags, outFlags in
      guard let disk = FaultShim.disk(system), let base = sqlite3_vfs_find(nil), let file else {
        return SQLITE_CANTOPEN
      }
      return FaultShim.open(disk, base, name, file, flags, outFlags)
    }
    system.pointee.xDelete = { system, name, syncs in
      guard let disk = FaultShim.disk(system), let base = sqlite3_vfs_find(nil), let name else {
        return FaultCode.delete
      }
      let path = String(cString: name)
      let fault = disk.state.withLock { state in
        state.changes.forget(path)
        return state.fault(at: .delete, of: path.hasSuffix("-wal") ? .log : .other)
      }
      return fault == nil ? base.pointee.xDelete(base, name, syncs) : FaultCode.delete
    }
    return system
  }

  static func free(_ system: UnsafeMutablePointer<sqlite3_vfs>) {
    UnsafeMutablePointer(mutating: system.pointee.zName)?.deallocate()
    system.deallocate()
  }

  private static func copy(_ text: String) -> UnsafeMutablePointer<CChar> {
    let bytes = text.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    for (index, byte) in bytes.enumerated() { copy[index] = byte }
    return copy
  }

  private static func disk(_ system: UnsafeMutablePointer<sqlite3_vfs>?) -> FaultDisk? {
    system?.pointee.pAppData.map { Unmanaged<FaultDisk>.fromOpaque($0).takeUnretainedValue() }
  }

  private static func open(
    _ disk: FaultDisk, _ base: UnsafeMutablePointer<sqlite3_vfs>, _ name: UnsafePointer<CChar>?,
    _ file: SystemFile, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    file.pointee.pMethods = nil
    let kind: FaultDisk.File =
      flags & SQLITE_OPEN_MAIN_DB != 0 ? .store : flags & SQLITE_OPEN_WAL != 0 ? .log : .other
    let fault = disk.state.withLock { $0.fault(at: .open, of: kind) }
    guard fault == nil else { return SQLITE_CANTOPEN }
    let below = system(file)
    let code = base.pointee.xOpen(base, name, below, flags, outFlags)
    guard code == SQLITE_OK else {
      if let methods = below.pointee.pMethods { _ = methods.pointee.xClose(below) }
      return code
    }
    let path = name.map { String(cString: $0) } ?? ""
    UnsafeMutableRawPointer(file).assumingMemoryBound(to: Head.self).pointee = Head(
      methods: methods,
      file: .passRetained(FaultFile(disk: disk, path: path, kind: kind, below: below)))
    return SQLITE_OK
  }

  /// The system's file behind ours.
  private static func system(_ file: SystemFile) -> SystemFile {
    (UnsafeMutableRawPointer(file) + MemoryLayout<Head>.stride)
      .assumingMemoryBound(to: sqlite3_file.self)
  }

  private static func file(_ file: SystemFile?) -> FaultFile? {
    file.flatMap {
      UnsafeMutableRawPointer($0).assumingMemoryBound(to: Head.self).pointee.file
    }?.takeUnretainedValue()
  }

  /// Version 2: without memory-mapped pages, so that every read is one that can fail.
  nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    var table = sqlite3_io_methods()
    table.iVersion = 2
    table.xClose = { file in
      guard let file, let own = FaultShim.file(file) else { return SQLITE_OK }
      let code = own.close()
      UnsafeMutableRawPointer(file).assumingMemoryBound(to: Head.self).pointee.file?.release()
      return code
    }
    table.xRead = { FaultShim.file($0)?.read($1, $2, $3) ?? SQLITE_IOERR }
    table.xWrite = { FaultShim.file($0)?.write($1, $2, $3) ?? SQLITE_IOERR }
    table.xTruncate = { FaultShim.file($0)?.truncate($1) ?? SQLITE_IOERR }
    table.xSync = { file, _ in FaultShim.file(file)?.flush() ?? SQLITE_IOERR }
    pass(&table)
    methods.initialize(to: table)
    return UnsafePointer(methods)
  }()

  /// Passes calls on that behave as always.
  private static func pass(_ table: inout sqlite3_io_methods) {
    table.xFileSize = { file, size in
      FaultShim.file(file).map { $0.methods.xFileSize($0.below, size) } ?? SQLITE_IOERR
    }
    table.xLock = { file, level in
      FaultShim.file(file).map { $0.methods.xLock($0.below, level) } ?? SQLITE_IOERR
    }
    table.xUnlock = { file, level in
      FaultShim.file(file).map { $0.methods.xUnlock($0.below, level) } ?? SQLITE_IOERR
    }
    table.xCheckReservedLock = { file, result in
      FaultShim.file(file).map { $0.methods.xCheckReservedLock($0.below, result) } ?? SQLITE_IOERR
    }
    table.xFileControl = { file, operation, argument in
      FaultShim.file(file).map { $0.methods.xFileControl($0.below, operation, argument) }
        ?? SQLITE_IOERR
    }
    table.xSectorSize = { file in
      FaultShim.file(file).map { $0.methods.xSectorSize($0.below) } ?? 4096
    }
    table.xDeviceCharacteristics = { file in
      FaultShim.file(file).map { $0.methods.xDeviceCharacteristics($0.below) } ?? 0
    }
    table.xShmMap = { file, page, size, extends, memory in
      FaultShim.file(file).map { $0.methods.xShmMap($0.below, page, size, extends, memory) }
        ?? SQLITE_IOERR
    }
    table.xShmLock = { file, offset, count, flags in
      FaultShim.file(file).map { $0.methods.xShmLock($0.below, offset, count, flags) }
        ?? SQLITE_IOERR
    }
    table.xShmBarrier = { file in
      if let own = FaultShim.file(file) { own.methods.xShmBarrier(own.below) }
    }
    table.xShmUnmap = { file, deletes in
      FaultShim.file(file).map { $0.methods.xShmUnmap($0.below, deletes) } ?? SQLITE_OK
    }
  }
}
