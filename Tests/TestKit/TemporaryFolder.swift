package import Foundation

/// A folder of a test's own, removed with the value.
///
/// The process of an exit test ends without removing anything: the next process that makes a folder, and
/// this one when it ends, remove the folders of processes that are no more.
package final class TemporaryFolder: Sendable {
  package let url: URL

  package init() throws {
    _ = Self.sweeping
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(Self.prefix)\(getpid())-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  package func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  private static let prefix = "atoll-folder-"

  private static let sweeping: Void = {
    sweep()
    atexit { TemporaryFolder.sweep() }
  }()

  private static func sweep() {
    let parent = FileManager.default.temporaryDirectory
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
