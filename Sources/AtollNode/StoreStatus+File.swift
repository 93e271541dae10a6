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
    // Complete or not at all for readers, who are the store's; a power cut may lose it, so it need not
    // reach the disk.
    let draft = paths.status + ".new"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: draft])
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.write(contentsOf: encoder.encode(self))
    try file.close()
    guard rename(draft, paths.status) == 0 else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: paths.status])
    }
  }

  static func remove(beside paths: StorePaths) {
    try? FileManager.default.removeItem(atPath: paths.status)
  }

  /// Whether a node holds the store's daemon lock.
  static func isServed(_ paths: StorePaths) -> Bool {
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
