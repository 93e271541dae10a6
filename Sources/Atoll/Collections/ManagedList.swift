import AtollStorage
import AtollVocabulary

/// The elements of a list in a row.
final class ManagedList: ManagedCollection {
  /// Nil until something needs them; an append does not.
  private var cache: ChunkedArray<StoredElement>?

  override var kindName: String { "list" }
  var count: Int { load().count }
  override var currentElements: [StoredElement] { Array(load()) }

  func stored(at index: Int) -> _Stored { decode(load()[index], at: index) }

  /// The elements of this moment, each decoded when its turn comes.
  var snapshot: some RandomAccessCollection<_Stored> { load().lazy.map { self.decode($0) } }

  private func load() -> ChunkedArray<StoredElement> {
    checkReading()
    if let cache, row.isCurrent(&freshness) { return cache }
    let elements = read { file throws(StorageError) in
      try file.elements(of: classID, id: row.id, list: path)
    }
    let loaded = ChunkedArray(elements)
    cache = loaded
    freshness = row.freshness()
    return loaded
  }

  override func forget() { cache = nil }

  override func take(_ content: _PropertyInput.Content) {
    guard case .list(let elements) = content else { return }
    insert(elements, at: nil)
  }

  // MARK: Changes, each an operation of its own

  /// Inserts before the element at `index`, at the end if nil.
  func insert(_ elements: [_Stored], at index: Int?) {
    change("Inserting into") { file throws(StorageError) in
      var place = index ?? cache?.count ?? 0
      for stored in elements {
        let value = try row.store.newValue(stored)
        let id = try file.listInsert(
          classID, id: row.id, list: path, at: index.map { _ in place }, value)
        if let element = element(id, value) {
          cache?.insert(element, at: place)
        } else {
          cache = nil
        }
        place += 1
        adopt(stored, as: id)
      }
    }
  }

  func assign(_ stored: _Stored, at index: Int) {
    change("Setting an element of") { file throws(StorageError) in
      let value = try row.store.newValue(stored)
      try file.listAssign(classID, id: row.id, list: path, at: index, value)
      guard let old = cache?[index], let element = element(old.id, value) else {
        cache = nil
        return
      }
      cache?[index] = element
    }
    if place.hasLiveElements { adopt(stored, as: load()[index].id) }
  }

  func remove(at index: Int) {
    change("Removing from") { file throws(StorageError) in
      try file.listRemove(classID, id: row.id, list: path, at: index)
      cache?.remove(at: index)
    }
  }

  func move(from source: Int, to destination: Int) {
    change("Moving in") { file throws(StorageError) in
      try file.listMove(classID, id: row.id, list: path, from: source, to: destination)
      if let element = cache?.remove(at: source) { cache?.insert(element, at: destination) }
    }
  }

  func clear() {
    change("Clearing") { file throws(StorageError) in
      try file.listClear(classID, id: row.id, list: path)
      cache = ChunkedArray()
    }
  }

  // MARK: Embedded elements

  /// Makes the elements that an object brought along the accessors of those in the row.
  func adopt(_ held: ChunkedArray<_Stored>) {
    guard place.hasLiveElements, !held.isEmpty else { return }
    for (stored, element) in zip(held, load()) { adopt(stored, as: element.id) }
  }

  override func update(_ id: ElementID, at index: Int, _ columns: [PersistedValue]) -> Bool {
    guard let cache, cache.indices.contains(index), cache[index].id == id else { return false }
    self.cache?[index].value = .embedded(columns)
    return true
  }
}
