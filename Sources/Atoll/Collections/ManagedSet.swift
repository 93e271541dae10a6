import AtollStorage
import AtollVocabulary

/// The members of a set in a row.
final class ManagedSet: ManagedCollection {
  private var cache: [StoredElement]?

  override var kindName: String { "set" }
  override var kind: CollectionKind { .set }
  var count: Int { load().count }
  override var currentElements: [StoredElement] { load() }
  var snapshot: [_Stored] { decoded(load()) }

  private func load() -> [StoredElement] {
    row.store.alone {
      kept(in: &cache) { file throws(StorageError) in
        if let members = row.elements(of: path) { return members }
        return try file.members(of: classID, id: row.id, set: path)
      }
    }
  }

  override func forget() { cache = nil }

  override func take(_ content: _PropertyInput.Content) {
    guard case .set(let members) = content else { return }
    for member in members { insert(member) }
  }

  func contains(_ stored: _Stored) -> Bool {
    checkReading()
    guard let value = present(stored) else { return false }
    return read { file throws(StorageError) in
      try file.setContains(classID, id: row.id, set: path, value)
    }
  }

  /// A value as the file knows it; nil for an object that this store does not have.
  private func present(_ stored: _Stored) -> NewValue? {
    switch stored.content {
    case .scalar(let value): return .scalar(value)
    case .object(let object):
      guard let target = object.managedRow, target.store === row.store else { return nil }
      return .link(target.table.classID, target.id)
    case .list, .map: return nil
    }
  }

  // MARK: Changes, each an operation of its own

  func insert(_ stored: _Stored) {
    change("Inserting into") { file throws(StorageError) in
      let value = try row.store.newValue(stored)
      if try file.setInsert(classID, id: row.id, set: path, value) { cache = nil }
    }
  }

  func remove(_ stored: _Stored) {
    change("Removing from") { file throws(StorageError) in
      guard let value = present(stored) else { return }
      if try file.setRemove(classID, id: row.id, set: path, value) { cache = nil }
    }
  }

  func clear() {
    change("Clearing") { file throws(StorageError) in
      try file.setClear(classID, id: row.id, set: path)
      cache = []
    }
  }
}
