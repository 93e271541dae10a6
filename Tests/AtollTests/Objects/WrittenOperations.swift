import Atoll
import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import StoreTestKit

extension TemporaryStore {
  /// Returns the operations of the file's newest changeset, one a line, the stamps of bases left
  /// out.
  func lastOperations() throws -> [String] {
    let file = try StoreFile.open(self.file.path)
    defer { file.close() }
    try file.beginRead()
    var last: [AtollChanges.Operation] = []
    var position = LogPosition(0)
    while true {
      let batch = try file.entries(
        lackedBy: VersionVector(), after: position, limitBytes: Limits.batchBytes)
      for entry in batch.entries {
        last = try Changeset(decoding: entry.bytes, author: entry.id.author).operations
      }
      if batch.isAtEnd { return last.map(\.description) }
      position = batch.next
    }
  }

  /// Returns the kinds of the newest changeset's operations, without their objects: create, assign,
  /// insert and so on.
  func lastVerbs() throws -> [String] {
    try lastOperations().map { String($0.prefix { $0 != " " }) }
  }

  /// Writes a value that no model would write, as a peer might.
  func assign(
    _ className: String, key: PersistedValue, _ property: String, _ value: PersistedValue
  ) throws {
    let file = try StoreFile.open(self.file.path)
    defer { file.close() }
    guard let stored = try file.storedClass(named: className),
      let field = stored.property(named: property),
      let id = try file.find(stored.id, key: key)
    else { throw MissingInFile(what: "\(className).\(property)") }
    try file.beginWrite()
    try file.assign(stored.id, id: id, FieldPath(field), .scalar(value))
    _ = try file.commitWrite()
  }
}

struct MissingInFile: Error { var what: String }

extension TemporaryStore {
  /// Applies everything that `other` has and this one lacks, as the daemon would.
  func receive(from other: TemporaryStore) throws {
    let (theirs, ours) = (
      try StoreFile.open(other.file.path), try StoreFile.open(self.file.path)
    )
    defer {
      theirs.close()
      ours.close()
    }
    var position = LogPosition(0)
    while true {
      let batch = try theirs.entries(
        lackedBy: ours.appliedVector(), after: position, limitBytes: Limits.batchBytes)
      let incoming = batch.entries.map {
        IncomingChangeset(
          author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes, expectedHash: $0.id.hash)
      }
      for outcome in try ours.apply(incoming) {
        guard case .applied = outcome else { throw MissingInFile(what: "\(outcome)") }
      }
      if batch.isAtEnd { return }
      position = batch.next
    }
  }
}
