import CSQLite
import Synchronization

/// One open file of a ``FaultDisk``.
final class FaultFile {
  private let disk: FaultDisk
  private let path: String
  private let kind: FaultDisk.File
  let below: UnsafeMutablePointer<sqlite3_file>

  init(
    disk: FaultDisk, path: String, kind: FaultDisk.File, below: UnsafeMutablePointer<sqlite3_file>
  ) {
    self.disk = disk
    self.path = path
    self.kind = kind
    self.below = below
  }

  /// The system's functions; they stand in its file as long as that is open.
  var methods: sqlite3_io_methods { below.pointee.pMethods.pointee }

  func close() -> Int32 { methods.xClose(below) }

  func read(_ target: UnsafeMutableRawPointer?, _ count: Int32, _ offset: Int64) -> Int32 {
    let fault = disk.state.withLock { $0.fault(at: .read, of: kind) }
    switch fault {
    case nil: return methods.xRead(below, target, count, offset)
    case .full, .inputOutput, .cut: return FaultCode.read
    case .flip(let bit):
      let code = methods.xRead(below, target, count, offset)
      let bit = bit % max(1, Int(count) * 8)
      if let target, count > 0 {
        let byte = target.load(fromByteOffset: bit / 8, as: UInt8.self)
        target.storeBytes(of: byte ^ 1 << UInt8(bit % 8), toByteOffset: bit / 8, as: UInt8.self)
      }
      return code
    }
  }

  func write(_ source: UnsafeRawPointer?, _ count: Int32, _ offset: Int64) -> Int32 {
    let fault = disk.state.withLock { $0.fault(at: .write, of: kind) }
    switch fault {
    case nil, .flip: return pass(source, count, offset)
    case .inputOutput: return FaultCode.write
    case .full:
      _ = pass(source, count / 2, offset)
      return SQLITE_FULL
    case .cut:
      _ = pass(source, count, offset)
      return FaultCode.write
    }
  }

  /// Writes, and remembers what stood there.
  private func pass(_ source: UnsafeRawPointer?, _ count: Int32, _ offset: Int64) -> Int32 {
    guard let source, count > 0 else { return SQLITE_OK }
    var size: Int64 = 0
    var code = methods.xFileSize(below, &size)
    guard code == SQLITE_OK else { return code }
    let old = bytes(at: offset, count: max(0, min(Int(count), Int(size - offset))))
    code = methods.xWrite(below, source, count, offset)
    guard code == SQLITE_OK else { return code }
    let new = Array(UnsafeRawBufferPointer(start: source, count: Int(count)))
    remember(.write(offset: offset, old: old, new: new, oldSize: size))
    return SQLITE_OK
  }

  func truncate(_ size: Int64) -> Int32 {
    let fault = disk.state.withLock { $0.fault(at: .truncate, of: kind) }
    guard fault == nil || fault == .cut else { return FaultCode.truncate }
    var oldSize: Int64 = 0
    guard methods.xFileSize(below, &oldSize) == SQLITE_OK else { return FaultCode.size }
    let old = bytes(at: size, count: max(0, Int(oldSize - size)))
    let code = methods.xTruncate(below, size)
    guard code == SQLITE_OK else { return code }
    remember(.truncate(size: size, old: old))
    return fault == nil ? SQLITE_OK : FaultCode.truncate
  }

  /// Nothing that was written to this file can be lost from now on.
  func flush() -> Int32 {
    disk.state.withLock { state in
      guard state.fault(at: .flush, of: kind) == nil else { return FaultCode.flush }
      state.changes.forget(path)
      return SQLITE_OK
    }
  }

  private func remember(_ change: UnflushedChanges.Change) {
    disk.state.withLock { $0.changes.append(change, to: path) }
  }

  private func bytes(at offset: Int64, count: Int) -> [UInt8] {
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      let code = methods.xRead(below, buffer.baseAddress, Int32(count), offset)
      initialized = code == SQLITE_OK ? count : 0
    }
  }
}

/// SQLite's codes for what failed, which C has as macros with a cast.
enum FaultCode {
  static let read = SQLITE_IOERR | 1 << 8
  static let write = SQLITE_IOERR | 3 << 8
  static let flush = SQLITE_IOERR | 4 << 8
  static let truncate = SQLITE_IOERR | 6 << 8
  static let size = SQLITE_IOERR | 7 << 8
  static let delete = SQLITE_IOERR | 10 << 8
}
