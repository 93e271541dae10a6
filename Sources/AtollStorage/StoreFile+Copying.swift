import AtollChanges
import AtollSQLite
package import AtollVocabulary

// Backup, clone and restore: whole copies, made while others write, that never write under an
// incarnation that is in use.
extension StoreFile {
  /// Writes all that the file holds at one moment into a new file, while others go on writing.
  ///
  /// The copy is readable by its owner only, checked, and on the disk when this returns. It is meant
  /// to be kept and restored; opened for writing it starts a new incarnation, as every copy.
  ///
  /// - Parameters:
  ///   - destination: Where nothing is yet.
  ///   - isQuick: Whether the log is not applied anew to see that the objects follow from it.
  /// - Throws: `alreadyThere` if there is a file, `unsound` if the copy has faults.
  package func backUp(
    to destination: String, isQuick: Bool = false
  ) throws(StorageError) {
    try doing("making a backup") {
      guard transaction == nil, !version.isReading else {
        throw StorageError.alreadyInTransaction(doing: "making a backup")
      }
      let copy = StoreCopy(purpose: "making a backup", destination: destination)
      try copy.making {
        try copy.fill(from: connection)
        try copy.check(isQuick: isQuick)
        try copy.finish()
      }
    }
  }

  /// Writes all that the file holds at one moment into a new file that may be given away: without the replica's
  /// key, so that whoever opens it for writing gets a replica of its own.
  ///
  /// - Throws: `alreadyThere` if there is a file, `unsound` if the copy has faults.
  package func writeCopy(to destination: String) throws(StorageError) {
    try writeCopy(to: destination, for: "writing a copy") { try $0.fill(from: connection) }
  }

  /// The same of the version that is shared; see ``share()``.
  ///
  /// - Throws: As ``writeCopy(to:)``, and `versionEnded`.
  package func copyVersion(to destination: String) throws(StorageError) {
    try writeCopy(to: destination, for: "copying a version") {
      try $0.fill(fromSnapshotOf: connection)
    }
  }

  private func writeCopy(
    to destination: String, for purpose: String, _ fill: (StoreCopy) throws -> Void
  ) throws(StorageError) {
    try doing(purpose) {
      let copy = StoreCopy(purpose: purpose, destination: destination)
      try copy.making {
        try fill(copy)
        try copy.removeKey()
        try copy.check(isQuick: true)
        try copy.finish()
      }
    }
  }

  /// Makes a new replica of the store, with all that this one holds.
  ///
  /// The roster is not copied unless that is asked for: the copy is another node.
  ///
  /// - Returns: Who writes in the new file.
  /// - Throws: As ``backUp(to:isQuick:)``.
  package func clone(
    to destination: String, isQuick: Bool = false, withRoster: Bool = false
  ) throws(StorageError) -> Author {
    try doing("making a clone") {
      guard transaction == nil, !version.isReading else {
        throw StorageError.alreadyInTransaction(doing: "making a clone")
      }
      let copy = StoreCopy(purpose: "making a clone", destination: destination)
      return try copy.making {
        try copy.fill(from: connection)
        try copy.check(isQuick: isQuick)
        let author = try copy.startIncarnation(
          key: ReplicaKey(random: options.random), roster: withRoster ? .taken : .leftOut,
          random: options.random)
        try copy.finish()
        return author
      }
    }
  }

  /// Puts a copy of a backup where a store is or was; what was there is kept beside it.
  ///
  /// The restored file writes under a new incarnation from its first write on: what its former self
  /// wrote after the backup comes back from peers, and nothing is written twice under one number.
  /// Its roster is that of the file which is replaced, so that who was removed since the backup stays so;
  /// where there is none that can be read, it is empty, or the backup's if that is wanted.
  ///
  /// - Throws: `inUse` while anybody has the store open; nothing has happened then.
  package static func restore(
    _ backup: String, to path: String, isQuick: Bool = false, withRoster: Bool = false,
    options: StoreOptions = StoreOptions()
  ) throws(StorageError) -> Restoration {
    do {
      return try StoreRestoring(
        backup: backup, path: path, isQuick: isQuick, withRoster: withRoster, options: options
      ).run()
    } catch {
      throw StorageError(error, path: path, doing: "restoring \(path)")
    }
  }
}

/// The result of a restore.
package struct Restoration: Hashable, Sendable {
  /// The author of the restored file from now on.
  package let author: Author
  /// The new path of the replaced file; nil if there was none.
  package let replaced: String?
  /// The roster of the restored file.
  package let roster: Roster

  /// The origin of a restored file's roster, with its number of nodes.
  package enum Roster: Hashable, Sendable {
    /// That of the file which was replaced.
    case kept(Int)
    /// That of the backup.
    case taken(Int)
    /// None; so many are in the backup.
    case leftOut(Int)
  }
}

/// The steps from a backup to the store it replaces.
private struct StoreRestoring {
  let backup: String
  let path: String
  let isQuick: Bool
  let withRoster: Bool
  let options: StoreOptions

  private static let purpose = "restoring a backup"
  /// Replaced files of one store that are kept before the next restore is refused.
  private static let asideBound = 1000

  func run() throws -> Restoration {
    let source = try StoreFile.open(
      backup, options: StoreOptions(isReadOnly: true, mayCreate: false))
    defer { source.close() }
    let lock = try WriteLock(
      path: FileFacts.resolved(path) + "-lock", holderName: options.holderName)
    try lock.acquire(timeout: options.lockTimeout)
    defer { lock.release() }
    let aside = try freeName()
    let hasFormer = try closeOff(storeID: source.storeID)
    let copy = StoreCopy(purpose: Self.purpose, destination: path, replaces: true)
    let (roster, origin) = try chooseRoster(source, hasFormer: hasFormer)
    let author = try copy.making {
      try copy.fill(from: source.connection)
      try copy.check(isQuick: isQuick)
      return try copy.startIncarnation(key: nil, roster: roster, random: options.random)
    }
    do {
      try FileFacts.synchronise(path: copy.partial)
      if hasFormer { try FileFacts.move(path, to: aside) }
      // A log left by a file that is gone would be taken for the new file's.
      for suffix in ["-wal", "-shm"] where FileFacts(path: path + suffix) != nil {
        try FileFacts.move(path + suffix, to: aside + suffix)
      }
      try FileFacts.move(copy.partial, to: path)
    } catch {
      throw StorageError(error, doing: Self.purpose)
    }
    return Restoration(author: author, replaced: hasFormer ? aside : nil, roster: origin)
  }

  /// Chooses the roster of the restored file: never one with a node that was removed since the
  /// backup, unasked.
  private func chooseRoster(
    _ source: StoreFile, hasFormer: Bool
  ) throws -> (CopiedRoster, Restoration.Roster) {
    if hasFormer, let former = formerRoster() { return (.replaced(former), .kept(former.count)) }
    let count = try source.roster().count
    return withRoster ? (.taken, .taken(count)) : (.leftOut, .leftOut(count))
  }

  /// Returns the roster of the replaced file; nil if that cannot be read.
  private func formerRoster() -> [RosterEntry]? {
    let options = StoreOptions(isReadOnly: true, mayCreate: false)
    guard let former = try? StoreFile.open(path, options: options) else { return nil }
    defer { former.close() }
    return try? former.roster()
  }

  private func freeName() throws -> String {
    for number in 1...Self.asideBound {
      let name = "\(path)-replaced-\(number)"
      if FileFacts(path: name) == nil, FileFacts(path: name + "-wal") == nil { return name }
    }
    throw StorageError.alreadyThere(
      path: "\(path)-replaced-\(Self.asideBound)", doing: Self.purpose,
      remedy: "Remove the replaced files that are not wanted any more")
  }

  /// Makes sure that nobody has the present file open, and that all it holds is in it; false if there
  /// is none.
  private func closeOff(storeID: StoreID) throws -> Bool {
    guard FileFacts(path: path) != nil else { return false }
    do {
      let connection = try Connection(path: path, access: .readWrite)
      defer { connection.close() }
      let id = Int32(truncatingIfNeeded: try connection.integer("PRAGMA application_id") ?? 0)
      guard id == StoreLayout.applicationID else {
        throw StorageError.notAStore(path: path, applicationID: id)
      }
      let found = try StoreState(reading: connection).storeID
      guard found == storeID else {
        throw StorageError.otherStore(path: path, found: found, expected: storeID)
      }
      // Leaving WAL takes a lock that every open connection of whatever process stands against.
      _ = try connection.texts("PRAGMA journal_mode = DELETE")
    } catch let error as SQLiteError {
      switch error.code.primary {
      case .busy: throw StorageError.inUse(path: path, doing: Self.purpose)
      case .notADatabase, .corrupt:
        guard !FileFacts.isOpenElsewhere(path: path) else {
          throw StorageError.inUse(path: path, doing: Self.purpose)
        }
      default: throw error
      }
    }
    return true
  }
}
