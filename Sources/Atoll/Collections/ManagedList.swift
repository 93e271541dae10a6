import AtollStorage
import AtollVocabulary

/// The elements of a list in a row.
final class ManagedList: ManagedCollection {
  /// Nil until something needs them; an append does not.
  private var cache: ChunkedArray<StoredElement>?

  override var kindName: String { "list" }
  override var kind: CollectionKind { .list }

  /// The number of elements; does not read them.
  var count: Int {
    checkReading()
    return row.store.alone {
      if let cache, row.isCurrent(&freshness) { return cache.count }
      if let elements = row.elements(of: path) { return keep(elements).count }
      return read { file throws(StorageError) in
        try file.elementCount(of: classID, id: row.id, list: path)
      }
    }
  }

  override var currentElements: [StoredElement] { Array(load()) }

  /// An element, nil if there are not so many.
  func stored(at index: Int) -> _Stored? {
    let elements = load()
    guard elements.indices.contains(index) else { return nil }
    let element = elements[index]
    return row.store.alone {
      decode(element, at: index, of: window(at: index, of: elements))
    }
  }

  /// The elements of this moment, each decoded when its turn comes.
  var snapshot: some RandomAccessCollection<_Stored> { load().lazy.map { self.decode($0) } }

  /// Goes through the elements of this moment; each is decoded when its turn comes.
  func makeIterator() -> ElementIterator<_Stored> {
    let elements = load()
    var rest = elements.enumerated().makeIterator()
    guard hasLinks else { return ElementIterator { rest.next().map { self.decode($1, at: $0) } } }
    let shared = row.window(of: path)
    var windows = ElementWindows()
    return ElementIterator {
      rest.next().map { index, element in
        self.decode(
          element, at: index, of: shared ?? windows.window(at: index, of: elements))
      }
    }
  }

  private func load() -> ChunkedArray<StoredElement> {
    checkReading()
    return row.store.alone {
      if let cache, row.isCurrent(&freshness) { return cache }
      return keep(
        row.elements(of: path)
          ?? read { file throws(StorageError) in
            try file.elements(of: classID, id: row.id, list: path)
          })
    }
  }

  private func keep(_ elements: [StoredElement]) -> ChunkedArray<StoredElement> {
    let loaded = ChunkedArray(elements)
    cache = loaded
    windows = ElementWindows()
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
      var values: [NewValue] = []
      values.reserveCapacity(elements.count)
      for stored in elements { values.append(try row.store.newValue(stored)) }
      let ids = try file.listInsert(
        classID, id: row.id, list: path, at: index, contentsOf: values)
      keep(ids, values, at: index)
      if adoptsElements {
        for (stored, id) in zip(elements, ids) { adopt(stored, as: id, isInserted: true) }
      }
    }
  }

  /// Puts what was inserted into what was read.
  private func keep(_ ids: [ElementID], _ values: [NewValue], at index: Int?) {
    guard let count = cache?.count else { return }
    var place = index ?? count
    for (id, value) in zip(ids, values) {
      guard let element = element(id, value) else { return cache = nil }
      cache?.insert(element, at: place)
      place += 1
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
    if adoptsElements { adopt(stored, as: load()[index].id) }
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
    guard adoptsElements, !held.isEmpty else { return }
    for (stored, element) in zip(held, load()) { adopt(stored, as: element.id) }
  }

  override func update(_ element: StoredElement, at index: Int) -> Bool {
    guard cache?.indices.contains(index) == true, cache?[index].id == element.id else {
      return false
    }
    cache?[index] = element
    return true
  }
}
