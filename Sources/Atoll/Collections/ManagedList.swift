import AtollStorage
import AtollVocabulary

/// The elements of a list in a row: read at first touch, then kept for the current version.
final class ManagedList {
  let row: ManagedRow
  let path: FieldPath
  /// The class of the elements, if they are objects.
  private let elementTable: Table?
  /// Nil until something needs them; an append does not.
  private var cache: [StoredElement]?
  private var freshness = ManagedRow.Freshness.never

  init(row: ManagedRow, path: FieldPath, elementTable: Table?) {
    self.row = row
    self.path = path
    self.elementTable = elementTable
  }

  var isAlive: Bool { row.isAlive(row.table.layout) }
  var count: Int { load().count }
  var snapshot: [_Stored] { load().map(decode) }

  func stored(at index: Int) -> _Stored { decode(load()[index]) }

  private func load() -> [StoredElement] {
    row.check("Reading the list '\(name)'")
    if let cache, row.isCurrent(&freshness) { return cache }
    let elements = row.store.attempt("reading the list '\(name)'") { file throws(StorageError) in
      try file.elements(of: row.table.classID, id: row.id, list: path)
    }
    cache = elements
    freshness = row.freshness()
    return elements
  }

  private func decode(_ element: StoredElement) -> _Stored {
    switch element.value {
    case .scalar(let value): _Stored(value)
    case .link(_, let id): elementTable.map { _Stored($0.object(id)) } ?? .null
    case .embedded, .collection: .null
    }
  }

  // MARK: Changes, each an operation of its own

  func insert(_ stored: _Stored, at index: Int?) {
    change("Inserting into") { file throws(StorageError) in
      let value = try row.store.newValue(stored)
      let id = try file.listInsert(row.table.classID, id: row.id, list: path, at: index, value)
      guard let element = element(id, value) else { return cache = nil }
      let place = index ?? cache?.count ?? 0
      cache?.insert(element, at: place)
    }
  }

  func assign(_ stored: _Stored, at index: Int) {
    change("Setting an element of") { file throws(StorageError) in
      let value = try row.store.newValue(stored)
      try file.listAssign(row.table.classID, id: row.id, list: path, at: index, value)
      guard let old = cache?[index], let element = element(old.id, value) else {
        return cache = nil
      }
      cache?[index] = element
    }
  }

  func remove(at index: Int) {
    change("Removing from") { file throws(StorageError) in
      try file.listRemove(row.table.classID, id: row.id, list: path, at: index)
      cache?.remove(at: index)
    }
  }

  func move(from source: Int, to destination: Int) {
    change("Moving in") { file throws(StorageError) in
      try file.listMove(row.table.classID, id: row.id, list: path, from: source, to: destination)
      if let element = cache?.remove(at: source) { cache?.insert(element, at: destination) }
    }
  }

  func clear() {
    change("Clearing") { file throws(StorageError) in
      try file.listClear(row.table.classID, id: row.id, list: path)
      cache = []
    }
  }

  /// Runs a change inside the transaction; other handles of the list read it anew.
  private func change(_ doing: String, _ body: (StoreFile) throws(StorageError) -> Void) {
    row.check("\(doing) the list '\(name)'")
    if cache != nil, !row.isCurrent(&freshness) { cache = nil }
    row.store.write("\(doing) the list '\(name)'", body)
    row.markChanged()
    freshness = row.freshness()
  }

  private func element(_ id: ElementID, _ value: NewValue) -> StoredElement? {
    switch value {
    case .scalar(let scalar): StoredElement(id: id, value: .scalar(scalar))
    case .link(let target, let row): StoredElement(id: id, value: .link(target, row))
    case .embedded, .list, .set, .map: nil
    }
  }

  private var name: String { "\(row.table.model.name).\(path.property.name)" }
}
