import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation

// Disks rolled back as they had been, under files that cannot tell: their authors write two histories.

extension SimulatedNode {
  /// Writes the backup into the file itself: nothing that identifies it is another.
  func putBack() throws {
    let files = FileManager.default
    for suffix in ["", "-wal"] where files.fileExists(atPath: path + suffix) {
      let file = try FileHandle(forWritingTo: URL(filePath: path + suffix))
      try file.truncate(atOffset: 0)
      if let contents = files.contents(atPath: "\(path).backup\(suffix)") {
        try file.write(contentsOf: contents)
      }
      try file.close()
    }
    if files.fileExists(atPath: path + "-shm") { try files.removeItem(atPath: path + "-shm") }
    forget()
    mayBePutBack = true
  }
}

extension World {
  /// No file loses what was in its log, but by truncation, whatever its author is called by now.
  func checkLogs() {
    guard simulation.rollsDisksBack else { return }
    for node in nodes where node.isUp {
      attempt(node.number, "reading its log") { node throws(StorageError) in
        guard let file = node.file else { return }
        let log = try Self.log(of: file).map { ($0.id.hash, $0.id) }
        let logged = Dictionary(log, uniquingKeysWith: { first, _ in first })
        let cut = try file.logStart().truncationPoint.commonHistories
        let isLost = node.logged.contains { hash, id in
          logged[hash] == nil && id.sequence > cut[id.author.commonHistory]
        }
        if isLost { violate(.durability, "node \(node.number) has lost changesets of its log") }
        node.logged = logged
      }
    }
  }
}

extension VersionVector {
  /// The vector by common histories: of each author with several histories, the longest.
  var commonHistories: VersionVector {
    var commonHistories = VersionVector()
    for entry in entries {
      let commonHistory = entry.author.commonHistory
      commonHistories[commonHistory] = max(commonHistories[commonHistory], entry.sequence)
    }
    return commonHistories
  }
}
