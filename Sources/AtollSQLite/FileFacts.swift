import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The facts that tell a file from its copies and restored backups.
package struct FileFacts: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64
  /// Nanoseconds since 1970; 0 where the file system does not say.
  package var birth: Int64

  /// Reads them; nil if there is no such file.
  package init?(path: String) {
    var found = stat()
    guard stat(path, &found) == 0 else { return nil }
    device = UInt64(found.st_dev)
    inode = UInt64(found.st_ino)
    birth = csqlite_birth_time(path)
  }

  /// Makes an empty file that only its owner may read, unless there is one already.
  ///
  /// - Throws: The system's answer if it could not.
  package static func make(path: String) throws(FileFailure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileFailure("open", path: path) }
    close(descriptor)
  }

  /// The path of a file without symbolic links; as given if there is no such file.
  package static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Tells whether there is a folder at this path.
  package static func isFolder(path: String) -> Bool {
    var found = stat()
    return stat(path, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR
  }

  /// Bytes of a file; nil if there is none.
  package static func size(path: String) -> Int64? {
    var found = stat()
    return stat(path, &found) == 0 ? Int64(found.st_size) : nil
  }

  /// Returns the time of the last write to a file, in nanoseconds since 1970; 0 if there is none.
  package static func modified(path: String) -> Int64 {
    var found = stat()
    guard stat(path, &found) == 0 else { return 0 }
    #if os(Linux)
    return Int64(found.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(found.st_mtim.tv_nsec)
    #else
    return Int64(found.st_mtimespec.tv_sec) &* 1_000_000_000 &+ Int64(found.st_mtimespec.tv_nsec)
    #endif
  }

  /// Tells whether a file is on a file system, or a mount of one, that nobody can write through.
  package static func isOnReadOnlySystem(path: String) -> Bool {
    var found = statvfs()
    return statvfs(path, &found) == 0 && found.f_flag & UInt(ST_RDONLY) != 0
  }

  /// The permission bits; nil if there is no such file.
  package static func permissions(path: String) -> UInt32? {
    var found = stat()
    return stat(path, &found) == 0 ? UInt32(found.st_mode) & 0o777 : nil
  }

  /// The name of this installation of the operating system; empty where it has none.
  package static var machineID: String {
    let descriptor = open("/etc/machine-id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)).prefix { $0 > 0x20 }, as: UTF8.self)
  }
}
