import AtollChanges
import AtollReplication
import AtollStorage
import AtollVocabulary

// Snapshots are made a few pages at a time, so that other requests come in between. Whoever cuts the log, this
// process or another, the engine hears of it.
extension StoreWorker {
  /// Writes some more pages; until all are there the hub asks again.
  func makeSnapshot() {
    do throws(StorageError) {
      if making == nil, try file.isFitForSnapshots() { making = try SnapshotMaking(of: file) }
      guard let making else { return report([.event(try performer.snapshotMade())]) }
      guard try making.advance() else { return report([.makingSnapshot]) }
      self.making = nil
      report([.event(try performer.snapshotMade())])
    } catch {
      making = nil
      fail(.makeSnapshot, error)
    }
  }

  /// Another process may have truncated the log.
  func checkTruncation() throws(StorageError) {
    let version = try file.truncationVersion()
    guard version != knownTruncationVersion else { return }
    report([.event(.logStartChanged(try file.logStart()))])
    knownTruncationVersion = version
  }
}
