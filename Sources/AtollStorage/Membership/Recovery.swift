import AtollChanges
import AtollLog
package import AtollVocabulary

/// An owner that exists on paper alone, for when the others' files are lost.
///
/// The code on the paper makes a key, and the key a replica, which an owner admits as another owner. The replica has
/// no file. Who has the paper makes one changeset of it, on any other replica's file: it admits that one as an owner.
package struct Recovery {
  private let file: StoreFile

  package init(of file: StoreFile) { self.file = file }

  /// Makes a code, and its replica an owner.
  ///
  /// - Returns: The code, which is kept nowhere.
  /// - Throws: `notOwner` if this replica is none, `noOwners`, and as any write.
  package func makeCode() throws(StorageError) -> (code: RecoveryCode, owner: ReplicaID) {
    let code = RecoveryCode(random: file.options.random)
    let owner = ReplicaKey(recovery: code).replica
    try file.admit(owner, as: .owner)
    // Nobody waits for what it says that it has.
    try file.retire(owner)
    return (code, owner)
  }

  /// Makes this replica an owner, by the word of the one on paper.
  ///
  /// - Returns: False if it is an owner already.
  /// - Throws: `notYet` if the code's replica is no owner as far as is known here, `removed` or `noOwners`, and if the
  ///   file fails.
  package func use(_ code: RecoveryCode) throws(StorageError) -> Bool {
    let (path, own, doing) = (file.path, file.author.replica, "using a recovery code")
    guard file.storeID.isOwned else { throw .noOwners(path: path, doing: doing) }
    guard try !file.isRemoved(own) else { throw .removed(path: path, doing: doing, replica: own) }
    if try file.isOwner { return false }
    let key = ReplicaKey(recovery: code)
    guard try file.admission(of: key.replica) == .owner,
      let cause = try OwnersWord.cause(of: key.replica, in: file)
    else {
      throw .notYet(
        path: path, doing: doing,
        detail: "no owner has made this code, as far as this file knows",
        remedy:
          "Look whether it is the code of this store; if the file is new, let it get what peers have"
      )
    }
    try OwnersWord(said: .admission(.owner), replica: own)
      .write(in: file, by: key, after: [cause], doing: doing)
    return true
  }
}
