import Foundation

/// An image of a store's file and its companion, to be written back into the same file: device,
/// inode and creation time stay, as they do when the image of a whole disk is rolled back.
package struct DiskImage {
  private let path: String
  private let contents: [String: Data]

  /// Of a store that nobody has open.
  package init(of path: String) throws {
    self.path = path
    var contents: [String: Data] = [:]
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
      contents[suffix] = try Data(contentsOf: URL(filePath: path + suffix))
    }
    self.contents = contents
  }

  /// Puts it back; nobody may have the store open.
  package func putBack() throws {
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
      let file = try FileHandle(forWritingTo: URL(filePath: path + suffix))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: contents[suffix] ?? Data())
      try file.close()
    }
    try? FileManager.default.removeItem(atPath: path + "-shm")
  }
}
