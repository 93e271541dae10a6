import AtollStorage
import AtollVocabulary
public import Foundation

// Whole files.
extension Store {
  /// Writes a copy of all that the file holds now into a file that does not exist yet; for a frozen
  /// store, of all that its version holds.
  ///
  /// Others may go on writing. The copy is readable by its owner only and on the disk when this returns. It
  /// belongs to the same store, and may be given away: it has not the private key of this replica, and whoever opens
  /// it for writing gets a replica of its own.
  ///
  /// - Throws: ``Store/Error/Code/fileExists`` if there is a file, ``Store/Error/Code/diskFull``;
  ///   ``Store/Error/Code/versionEnded`` if a frozen store's version was ended.
  public func writeCopy(toFile fileURL: URL) throws(Error) {
    checkAccess("Writing a copy of the store")
    if file.isWriting {
      Trap.stop(
        "Writing a copy of the store inside a write transaction. End the transaction first.")
    }
    do throws(StorageError) {
      if isFrozen { return try file.copyVersion(to: fileURL.path) }
      let source = try StoreFile.open(
        configuration.path, options: StoreOptions(isReadOnly: true, mayCreate: false))
      defer { source.close() }
      try source.writeCopy(to: fileURL.path)
    } catch {
      if case .versionEnded = error { throw endOfVersion("Writing a copy") }
      throw Error(error)
    }
  }

  /// Writes the file anew without the room that deleted objects have left.
  ///
  /// Others may go on reading and wait with writing. Needs room for a second copy meanwhile.
  ///
  /// - Returns: the bytes of the file before and after.
  /// - Throws: ``Store/Error/Code/diskFull``; nothing is changed then.
  @discardableResult
  public func compact() throws(Error) -> (before: Int, after: Int) {
    checkAccess("Compacting the store")
    if file.isWriting {
      Trap.stop("Compacting the store inside a write transaction. End the transaction first.")
    }
    invalidate()
    do throws(StorageError) {
      let (before, after) = try file.compact()
      return (Int(clamping: before), Int(clamping: after))
    } catch {
      throw Error(error)
    }
  }

  /// Tells whether a configuration's file exists.
  public static func fileExists(for configuration: Configuration) -> Bool {
    StoreFile.exists(configuration.path)
  }

  /// Deletes the file of a configuration and what stands beside it.
  ///
  /// An empty file with the name of the lock remains, for who may be waiting for it.
  ///
  /// - Returns: whether there was a file.
  /// - Throws: ``Store/Error/Code/locked`` while anybody has the file open; nothing has happened then.
  @discardableResult
  public static func deleteFiles(for configuration: Configuration) throws(Error) -> Bool {
    do throws(StorageError) {
      return try StoreFile.delete(configuration.path, options: configuration.options)
    } catch {
      throw Error(error)
    }
  }

  /// The versions of the file that are in use: those that open stores of any process show, and the
  /// newest.
  public var numberOfActiveVersions: Int {
    checkAccess("Counting the versions in use")
    return attempt("counting the versions in use") { file throws(StorageError) in
      try file.versionsInUse()
    }
  }
}
