import Atoll
import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import StoreTestKit

/// A store file that gives its changesets to another, as a peer would.
struct Replica {
  let folder: TemporaryStore

  /// A file of its own of the store `id`.
  init(_ types: [ObjectBase.Type]) throws { folder = TemporaryStore(types) }

  func open(_ id: UUID) throws -> Store {
    var configuration = folder.configuration
    configuration.storeID = id
    return try Store(configuration: configuration)
  }

  /// Takes everything that the other file has and this one lacks.
  func receive(from other: Replica) throws {
    let theirs = try StoreFile.open(other.folder.file.path)
    defer { theirs.close() }
    let mine = try StoreFile.open(folder.file.path)
    defer { mine.close() }
    try theirs.beginRead()
    var position = LogPosition.start
    while true {
      let batch = try theirs.entries(
        lackedBy: mine.appliedVector(), after: position, limitBytes: Limits.batchBytes)
      _ = try mine.apply(
        batch.entries.map { entry in
          IncomingChangeset(
            author: entry.id.author, sequence: entry.id.sequence, bytes: entry.bytes,
            expectedHash: entry.id.hash)
        })
      if batch.isAtEnd { return }
      position = batch.next
    }
  }
}
