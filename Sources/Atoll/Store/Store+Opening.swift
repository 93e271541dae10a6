import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation

// From a configuration to an open file: seeds, files that are not migrated, compaction.
extension Store.Configuration {
  /// The place of a store in memory, to be kept while it is open.
  func memoryFile() throws(Store.Error) -> MemoryFile? {
    guard let inMemoryIdentifier else { return nil }
    return try MemoryFile.named(inMemoryIdentifier)
  }

  /// Opens the file, after what the configuration wants to be done before.
  func openFile(for models: [ModelClass]) throws(StorageError) -> StoreFile {
    var options = options
    try copySeed()
    if let former = try deleteOutdated(models) {
      options.storeID = former.storeID
      options.key = former.key
    }
    let file = try StoreFile.open(path, options: options)
    do throws(StorageError) {
      try compactIfWanted(file)
    } catch {
      file.close()
      throw error
    }
    return file
  }

  private func copySeed() throws(StorageError) {
    guard let seedFilePath, !isReadOnly, !StoreFile.exists(path) else { return }
    let seed = try StoreFile.open(
      seedFilePath.path, options: StoreOptions(isReadOnly: true, mayCreate: false))
    defer { seed.close() }
    do throws(StorageError) {
      _ = try seed.clone(to: path, isQuick: true)
    } catch {
      // Another process was as quick.
      guard case .alreadyThere = error, StoreFile.exists(path) else { throw error }
    }
  }

  /// Deletes a file that would have to be migrated, if that is wanted; the id of its store then, and the key of its
  /// replica where owners have admitted that, or it is one.
  private func deleteOutdated(
    _ models: [ModelClass]
  ) throws(StorageError) -> (storeID: StoreID, key: ReplicaKey?)? {
    guard deleteIfMigrationNeeded, !isReadOnly, StoreFile.exists(path) else { return nil }
    let file = try StoreFile.open(path, options: options)
    let former = (file.storeID, file.storeID.isOwned ? file.replicaKey : nil)
    let isOutdated =
      try file.schemaRecord()?.needsMigration(
        to: models, version: schemaVersion, in: file.classes) ?? false
    file.close()
    guard isOutdated else { return nil }
    _ = try StoreFile.delete(path, options: options)
    return former
  }

  private func compactIfWanted(_ file: StoreFile) throws(StorageError) {
    guard let shouldCompactOnLaunch, !isReadOnly else { return }
    let (total, used) = try file.byteCounts()
    if shouldCompactOnLaunch(Int(clamping: total), Int(clamping: used)) { _ = try file.compact() }
  }
}
