import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A call of the system about a file that failed.
package struct FileFailure: Error, Hashable, Sendable {
  package let path: String
  /// The name of the call, as its page of the manual has it.
  package let call: String
  /// The system's number of the error, `errno`.
  package let number: Int32

  /// A call that failed just now, as `errno` has it, or with the number given.
  package init(_ call: String, path: String, number: Int32 = errno) {
    self.call = call
    self.path = path
    self.number = number
  }
}

extension FileFailure {
  /// Tells whether something has the wanted name already.
  package var isTaken: Bool { number == EEXIST }

  /// The disk is full, or its user's share of it, or a file of this process may not grow further.
  package var isDiskFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

  /// Tells whether the user of this process may not do it, or nobody may on that file system.
  package var isForbidden: Bool { [EACCES, EPERM, EROFS].contains(number) }

  /// Tells whether there is no file of that name.
  package var isMissing: Bool { number == ENOENT }

  /// Tells whether this process, or the machine, has as many files open as it may.
  package var isOutOfDescriptors: Bool { [EMFILE, ENFILE].contains(number) }

  /// The system's words.
  package var words: String { String(cString: strerror(number)) }
}

extension FileFailure: CustomStringConvertible {
  package var description: String { "\(call) of \(path): \(words) (error \(number))" }
}

// Making a file appear under its name in one step, durably, and never over another.
extension FileFacts {
  /// Makes an empty file that only its owner may read; fails if there is one.
  package static func makeNew(path: String) throws(FileFailure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileFailure("open", path: path) }
    close(descriptor)
  }

  /// Gives a file another name in the same folder, unless that is taken; durable when it returns.
  package static func move(_ path: String, to name: String) throws(FileFailure) {
    guard link(path, name) == 0 else { throw FileFailure("link", path: name) }
    guard unlink(path) == 0 else { throw FileFailure("unlink", path: path) }
    try synchronise(folderOf: name)
  }

  /// Takes a file away; one that is not there is taken away already.
  package static func remove(path: String) throws(FileFailure) {
    guard unlink(path) == 0 || errno == ENOENT else {
      throw FileFailure("unlink", path: path)
    }
  }

  /// Waits until a file's bytes are on the disk.
  package static func synchronise(path: String) throws(FileFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFailure("open", path: path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileFailure("fsync", path: path) }
  }

  /// Waits until the names in a file's folder are on the disk.
  package static func synchronise(folderOf path: String) throws(FileFailure) {
    try synchronise(path: folder(of: path))
  }

  /// The system's answer if no file may be made beside this one; nil if one may.
  package static func refusal(toWriteBeside path: String) -> FileFailure? {
    let folder = folder(of: path)
    return access(folder, W_OK) == 0 ? nil : FileFailure("access", path: folder)
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
  }

  /// Tells whether another process has a file open as an SQLite database.
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
