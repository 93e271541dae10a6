import CSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the system says when it refuses something about a file.
package struct FileFailure: Error, Hashable, Sendable {
  package let path: String
  package let number: Int32
  /// Whether something has the wanted name already.
  package var isTaken: Bool { number == EEXIST }
  /// The system's words.
  package var words: String { String(cString: strerror(number)) }

  fileprivate init(_ path: String) {
    self.path = path
    number = errno
  }
}

// Making a file appear under its name in one step, durably, and never over another.
extension FileFacts {
  /// Makes an empty file that only its owner may read; fails if there is one.
  package static func makeNew(path: String) throws(FileFailure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileFailure(path) }
    close(descriptor)
  }

  /// Gives a file another name in the same folder, unless that is taken; durable when it returns.
  package static func move(_ path: String, to name: String) throws(FileFailure) {
    guard link(path, name) == 0 else { throw FileFailure(name) }
    guard unlink(path) == 0 else { throw FileFailure(path) }
    try synchronise(folderOf: name)
  }

  /// Takes a file away; one that is not there is taken away already.
  package static func remove(path: String) throws(FileFailure) {
    guard unlink(path) == 0 || errno == ENOENT else { throw FileFailure(path) }
  }

  /// Waits until a file's bytes are on the disk.
  package static func synchronise(path: String) throws(FileFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFailure(path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileFailure(path) }
  }

  /// Waits until the names in a file's folder are on the disk.
  package static func synchronise(folderOf path: String) throws(FileFailure) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    try synchronise(path: folder)
  }

  /// Whether another process has a file open as an SQLite database.
  ///
  /// For files that SQLite itself cannot open any more. Only of use to a process that has not opened
  /// the file through SQLite: the answer lets go of such locks.
  package static func isOpenElsewhere(path: String) -> Bool {
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return csqlite_lock_byte(descriptor, Int16(F_WRLCK), sharedByte) != 0
  }

  /// The first byte that SQLite's readers lock (`SHARED_FIRST` in its `os.h`).
  private static let sharedByte: off_t = 0x4000_0002
}
