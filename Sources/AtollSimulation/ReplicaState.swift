import AtollChanges
import AtollStorage
import AtollVocabulary

/// What the checkers compare of a file.
struct ReplicaState {
  var node: Int
  var vector: VersionVector
  var heads: [ChangesetID]
  var digest: ChainHash
  var export: String
}

extension ReplicaState {
  init?(of node: SimulatedNode) throws(StorageError) {
    guard let file = node.file else { return nil }
    self.node = node.number
    vector = try file.appliedVector()
    heads = try file.heads()
    digest = try file.digest()
    export = ""
    do {
      var lines = ""
      try file.export { lines += $0 }
      export = lines
    } catch let error as StorageError {
      throw error
    } catch {
      return nil
    }
  }
}
