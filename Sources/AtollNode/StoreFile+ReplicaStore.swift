import AtollReplication
package import AtollStorage

// The storage below knows no engine, so that it is here that a file becomes an engine's store.
extension StoreFile: ReplicaStore {}

extension StorageError: StoreFailure {
  package var isDiskFull: Bool { if case .diskFull = self { true } else { false } }
}
