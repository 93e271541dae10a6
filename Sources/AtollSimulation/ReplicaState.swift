import AtollChanges
import AtollStorage
import AtollVocabulary

/// The state of a file that the checkers compare.
struct ReplicaState {
  var node: Int
  /// The applied changesets.
  var vector: VersionVector
  /// The changesets on the disk, applied or not.
  var stored: VersionVector
  var heads: [ChangesetID]
  var digest: ChainHash
  /// The digest that was kept up.
  var stateDigest: StateDigest
  /// Empty unless it was asked for: it costs as much as everything else.
  var export: String
}

extension ReplicaState {
  init?(of node: SimulatedNode, isExporting: Bool) throws(StorageError) {
    guard let file = node.file else { return nil }
    self.node = node.number
    vector = try file.appliedVector()
    stored = try file.holdings().stored
    heads = try file.heads()
    digest = try file.digest()
    stateDigest = try file.stateDigest()
    export = isExporting ? try Self.export(of: file) : ""
  }

  private static func export(of file: StoreFile) throws(StorageError) -> String {
    var lines = ""
    try file.export { lines += $0 }
    return lines
  }
}
