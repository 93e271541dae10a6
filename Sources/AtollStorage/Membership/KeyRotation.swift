import AtollChanges
package import AtollVocabulary

/// Another key for the replica of a file.
///
/// A replica is named by its key, so that another key is another replica: it goes on in the file, and has all that the
/// former one wrote. That one says in its last changeset that it is retired, and before it that the new one
/// is to be admitted, where the store has owners. The former key signs what is not sent yet, and leaves the file.
package struct KeyRotation {
  private let file: StoreFile

  package init(of file: StoreFile) { self.file = file }

  package struct Outcome: Hashable, Sendable {
    package let former: ReplicaID
    package let replica: ReplicaID
    /// As what the new one is admitted; nil where owners are asked to, or the store has none.
    package let admission: Admission?
  }

  /// Makes a key and has the file write with it, also while other processes have the file open.
  ///
  /// An owner admits the new replica as another owner; of a writer's, owners are asked.
  ///
  /// - Throws: `notYet` if no owner has admitted the replica, for what it wrote would never count; `removed`; and as any
  ///   write. Where it fails before the last step, the file goes on with the key that it had.
  @discardableResult
  package func run() throws(StorageError) -> Outcome {
    // Somebody else may have changed it already, which a transaction finds.
    try file.beginWrite()
    file.rollback()
    let (path, former, doing) = (file.path, file.author.replica, "changing the replica's key")
    guard try !file.isRemoved(former) else {
      throw .removed(path: path, doing: doing, replica: former)
    }
    guard try file.admits(former) else {
      throw .notYet(
        path: path, doing: doing,
        detail: "no owner has admitted replica \(former), and what it wrote would never count",
        remedy: "Have an owner run `atoll admit` with that id, and try again")
    }
    let known = try file.describedMember(former)
    let key = ReplicaKey(random: file.options.random)
    let isOwner = try file.isOwner
    if isOwner {
      try file.admit(key.replica, as: .owner)
    } else {
      try AdmissionRequests(of: file).ask(for: key.replica)
    }
    guard try file.handOver(from: former, to: key) else {
      throw .notYet(
        path: path, doing: doing,
        detail: "another process has changed it at the same moment",
        remedy: "Look at `atoll members`, and change it again if that is still wanted")
    }
    if let known { try file.describe(key.replica, like: known) }
    return Outcome(
      former: former, replica: key.replica, admission: isOwner ? .owner : nil)
  }
}
