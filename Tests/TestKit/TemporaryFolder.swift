package import Foundation

/// A folder of a test's own, removed with the value.
///
/// The process of an exit test ends without removing anything: the next process that makes a folder, and
/// this one when it ends, remove the folders of processes that are no more.
package final class TemporaryFolder: Sendable {
  package let url: URL

  /// Makes the folder, or ends the process.
  ///
  /// - Parameter isInMemory: Whether it is in memory where the system has such a place: for tests that are
  ///   not about disks.
  package init(isInMemory: Bool = false) {
    _ = Self.sweeping
    // Short, because a path of a Unix socket may have 107 bytes.
    let name = "\(Self.prefix)\(getpid())-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    url = (isInMemory ? Self.memory : Self.disk).appendingPathComponent(name)
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      fatalError("the folder \(url.path) could not be made: \(error)")
    }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  package func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  package func path(_ name: String) -> String { file(name).path }

  private static let prefix = "atoll-folder-"
  private static let disk = FileManager.default.temporaryDirectory
  private static let memory =
    FileManager.default.isWritableFile(atPath: "/dev/shm") ? URL(filePath: "/dev/shm") : disk

  private static let sweeping: Void = {
    sweep()
    atexit { TemporaryFolder.sweep() }
  }()

  private static func sweep() { for parent in [disk, memory] { sweep(parent) } }

  private static func sweep(_ parent: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let process = name.dropFirst(prefix.count).prefix { $0 != "-" }
      guard let id = pid_t(process), id == getpid() || kill(id, 0) != 0 && errno == ESRCH else {
        continue
      }
      try? FileManager.default.removeItem(at: parent.appendingPathComponent(name))
    }
  }
}
