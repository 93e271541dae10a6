#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The holders of SQLite's own locks on a database, as far as the system tells.
///
/// Asked for messages only. Read from `/proc/locks`: to open the file once more would let go of the locks
/// that this process has on it.
package enum LockHolders {
  /// Returns the process that keeps others from writing, as "sqlite3 (process 812)"; nil if there
  /// is none, or it is unknown.
  package static func writer(of path: String) -> String? {
    let file = FileFacts(path: path)?.inode
    let memory = FileFacts(path: path + "-shm")?.inode
    let holders = locks().filter { lock in
      lock.isExclusive
        && (lock.inode == file && lock.first >= firstFileByte
          || lock.inode == memory && lock.first <= writerByte && lock.last >= writerByte)
    }
    return holders.first.map { "\(name(of: $0.process)) (process \($0.process))" }
  }

  private struct Lock {
    var isExclusive: Bool
    var process: Int32
    var inode: UInt64
    var first: UInt64
    var last: UInt64
  }

  /// The first byte of SQLite's locks on a database file (`PENDING_BYTE` in its `os.h`).
  private static let firstFileByte: UInt64 = 0x4000_0000
  /// The byte of a writer's lock on a `-shm` file (`UNIX_SHM_BASE` and `WAL_WRITE_LOCK`).
  private static let writerByte: UInt64 = 120
  /// Locks of a system that are looked at.
  private static let bytesBound = 1 << 20

  /// Lines like `7: POSIX  ADVISORY  WRITE 812 fe:01:5243 120 120`.
  private static func locks() -> [Lock] {
    text(of: "/proc/locks").split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      // A line of somebody who waits has an arrow in the second place.
      guard words.count == 8, words[1] == "POSIX", let process = Int32(words[4]),
        let inode = words[5].split(separator: ":").last.flatMap({ UInt64($0) }),
        let first = UInt64(words[6])
      else { return nil }
      return Lock(
        isExclusive: words[3] == "WRITE", process: process, inode: inode, first: first,
        last: UInt64(words[7]) ?? .max)
    }
  }

  /// The name of a process as the system shows it.
  package static func name(of process: Int32) -> String {
    let text = text(of: "/proc/\(process)/comm").split(separator: "\n").first
    return text.map(String.init) ?? "a program"
  }

  private static func text(of path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while bytes.count < bytesBound, case let count = read(descriptor, &buffer, buffer.count),
      count > 0
    {
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
