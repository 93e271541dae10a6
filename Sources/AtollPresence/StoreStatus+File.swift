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

  /// Writes it in the place of the one before, complete or not at all for readers, who are the store's.
  ///
  /// A power cut may lose it, so it need not reach the disk. Where a full disk has no room for another
  /// file, which people most want to read of just then, it is written over the one that is there.
  package func write(beside paths: StorePaths) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    let text = try encoder.encode(self)
    do {
      try Self.replace(paths, with: text)
    } catch {
      unlink(paths.status + ".new")
      guard (try? Self.overwrite(paths, with: text)) != nil else { throw error }
    }
  }

  private static func replace(_ paths: StorePaths, with text: Data) throws {
    let draft = paths.status + ".new"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: draft])
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try file.write(contentsOf: text)
    try file.close()
    guard rename(draft, paths.status) == 0 else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: paths.status])
    }
  }

  /// Writes over what is there, and blanks over what is left of it: its blocks are the file's already.
  private static func overwrite(_ paths: StorePaths, with text: Data) throws {
    let file = try FileHandle(forWritingTo: URL(filePath: paths.status))
    let length = try file.seekToEnd()
    try file.seek(toOffset: 0)
    let blanks = max(0, Int(clamping: length) - text.count)
    try file.write(contentsOf: text + Data(repeating: 0x20, count: blanks))
    try file.close()
  }

  package static func remove(beside paths: StorePaths) {
    try? FileManager.default.removeItem(atPath: paths.status)
  }

  /// Tells whether a node holds the store's daemon lock.
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
