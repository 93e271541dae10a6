private import AtollSQLite
private import Foundation

extension StoreStatus {
  /// The status beside the store at `path`; nil if none was written, or nobody serves it any more.
  package static func current(ofStoreAt path: String) -> StoreStatus? {
    let paths = StorePaths(path)
    guard let data = FileManager.default.contents(atPath: paths.status),
      let status = try? JSONDecoder().decode(StoreStatus.self, from: data), isServed(paths)
    else { return nil }
    return status
  }

  func write(beside paths: StorePaths) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    try encoder.encode(self).write(
      to: URL(fileURLWithPath: paths.status), options: .atomic)
  }

  static func remove(beside paths: StorePaths) {
    try? FileManager.default.removeItem(atPath: paths.status)
  }

  /// Whether a node holds the store's daemon lock.
  private static func isServed(_ paths: StorePaths) -> Bool {
    do throws(WriteLock.Failure) {
      let lock = try WriteLock(path: paths.daemonLock, holderName: "a status query")
      try lock.acquire(timeout: .zero)
      lock.release()
      return false
    } catch {
      if case .timedOut = error { return true }
      return false
    }
  }
}
