package import AtollChanges
import AtollSQLite
package import AtollVocabulary

// The digest of what the file holds: kept up with every change, in the transaction that makes it.
extension StoreFile {
  /// The digest of everything, as it was kept up.
  ///
  /// Equal on replicas that applied the same changesets, whatever their models.
  package func stateDigest() throws(StorageError) -> StateDigest {
    try stateDigests().reduce(.zero) { $0 + $1.digest }
  }

  /// The digest of each class, ascending by the class's number, as it was kept up.
  package func stateDigests() throws(StorageError) -> [(class: StoredClass, digest: StateDigest)] {
    try doing("reading the digests") {
      try snapshot {
        try tables.objectClasses.map { ($0.storedClass, try tables.keptDigest($0.id)) }
      }
    }
  }

  /// The digest of each class as its rows give it; looks at every object.
  package func recomputedDigests()
    throws(StorageError) -> [(class: StoredClass, digest: StateDigest)]
  {
    try doing("recomputing the digests") { try snapshot { try tables.computedDigests() } }
  }

  /// The kept digests that differ from those of the rows: a row was modified externally.
  package func checkDigests()
    throws(StorageError) -> [(class: StoredClass, kept: StateDigest, found: StateDigest)]
  {
    try doing("checking the digests") {
      try snapshot {
        try tables.objectClasses.compactMap { entry in
          let (kept, found) = (try tables.keptDigest(entry.id), try tables.computedDigest(entry))
          return kept == found ? nil : (entry.storedClass, kept, found)
        }
      }
    }
  }

  /// The heads and the digest of one moment.
  package func frontier() throws(StorageError) -> (heads: [ChangesetID], digest: StateDigest) {
    try doing("reading the frontier") {
      try snapshot { (try heads(), try stateDigest()) }
    }
  }
}
