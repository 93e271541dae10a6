import AtollChanges
import AtollVocabulary
import Foundation
import Synchronization

/// The place of a store in memory: in a folder of this process, on a file system that is in memory.
///
/// A file, so that several stores of a process, their observers and the embedded node can open it. It is
/// removed with the last who holds this; what a process that was killed has left, the next one removes.
final class MemoryFile: Sendable {
  private struct WeakFile {
    weak var file: MemoryFile?
  }

  private static let files = Mutex<[String: WeakFile]>([:])
  private static let prefix = "atoll-memory-"

  /// The folder of this process; a lock on a file in it says that the process lives.
  private static let folder: URL = {
    let shelf = MemoryFile.shelf
    sweep(shelf)
    let folder = shelf.appendingPathComponent("\(prefix)\(UUID().uuidString)")
    try? FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    _ = lock(folder)
    atexit { MemoryFile.removeFolder() }
    return folder
  }()

  /// The parent of such folders.
  private static var shelf: URL {
    let shared = "/dev/shm"
    return FileManager.default.isWritableFile(atPath: shared)
      ? URL(fileURLWithPath: shared) : FileManager.default.temporaryDirectory
  }

  private let path: String

  private init(_ path: String) { self.path = path }

  deinit {
    for suffix in ["", "-wal", "-shm", "-lock"] { unlink(path + suffix) }
  }

  /// The path of the store of a name.
  static func path(of identifier: String) -> String {
    var digest = ContentDigest()
    digest.update(identifier)
    return folder.appendingPathComponent("\(digest.finish())").path
  }

  /// The one place of a name in this process.
  static func named(_ identifier: String) throws(Store.Error) -> MemoryFile {
    let path = path(of: identifier)
    guard FileManager.default.isWritableFile(atPath: folder.path) else {
      throw Store.Error(
        .notWritable,
        "Opening the store '\(identifier)' in memory: the folder '\(folder.path)' cannot be made. "
          + "Make room there, or open a file.")
    }
    return files.withLock { files in
      if let file = files[path]?.file { return file }
      let file = MemoryFile(path)
      files[path] = WeakFile(file: file)
      return file
    }
  }

  // MARK: Folders

  /// The descriptor of a folder's lock, which ends with the process; nil if another process has it.
  private static func lock(_ folder: URL) -> Int32? {
    let descriptor = open(
      folder.appendingPathComponent("alive").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Removes the folders of processes that are no more.
  private static func sweep(_ shelf: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: shelf.path)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let folder = shelf.appendingPathComponent(name)
      guard let descriptor = lock(folder) else { continue }
      try? FileManager.default.removeItem(at: folder)
      close(descriptor)
    }
  }

  private static func removeFolder() { try? FileManager.default.removeItem(at: folder) }
}
