import AtollStorage
import AtollVocabulary

/// The entries of a map in a row.
final class ManagedMap: ManagedCollection {
  /// Ascending by the bytes of the keys.
  private var cache: [StoredEntry]?

  override var kindName: String { "map" }
  override var kind: CollectionKind { .map }
  var count: Int { load().count }
  override var currentElements: [StoredElement] { load().map(\.element) }

  /// The entries as the file has them now, ascending by the bytes of the keys.
  var currentEntries: [StoredEntry] { load() }

  var snapshot: [_StoredEntry] {
    let entries = load()
    return zip(entries, decoded(entries.map(\.element))).map { entry, value in
      _StoredEntry(key: entry.key, value: value)
    }
  }

  private func load() -> [StoredEntry] {
    row.store.alone {
      kept(in: &cache) { file throws(StorageError) in
        if let entries = row.entries(of: path) { return entries }
        return try file.entries(of: classID, id: row.id, map: path)
      }
    }
  }

  override func forget() { cache = nil }

  override func take(_ content: _PropertyInput.Content) {
    guard case .map(let entries) = content else { return }
    for entry in entries { assign(entry.value, for: entry.key) }
  }

  /// A value, nil if there is no such entry; does not read the others.
  func stored(for key: String) -> _Stored? {
    checkReading()
    return row.store.alone {
      if let known {
        let place = Self.place(of: key, in: known)
        guard place.isThere else { return nil }
        return decode(
          known[place.index].element, at: place.index,
          of: window(at: place.index, of: known.lazy.map(\.element)))
      }
      return read { file throws(StorageError) in
        try file.entry(of: classID, id: row.id, map: path, key: key)
      }.map { decode($0) }
    }
  }

  /// The entries, if they are there without reading the map alone.
  private var known: [StoredEntry]? {
    if let cache, row.isCurrent(&freshness) { return cache }
    guard let entries = row.entries(of: path) else { return nil }
    cache = entries
    windows = ElementWindows()
    freshness = row.freshness()
    return entries
  }

  private static func place(of key: String, in entries: [StoredEntry]) -> (
    index: Int, isThere: Bool
  ) {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key.utf8.lexicographicallyPrecedes(key.utf8) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return (low, low < entries.count && entries[low].key.utf8.elementsEqual(key.utf8))
  }

  // MARK: Changes, each an operation of its own

  func assign(_ stored: _Stored, for key: String) {
    change("Setting an entry of") { file throws(StorageError) in
      let value = try row.store.newValue(stored)
      let id = try file.mapAssign(classID, id: row.id, map: path, key: key, value)
      record(key, element(id, value))
      adopt(stored, as: id)
    }
  }

  private func record(_ key: String, _ element: StoredElement?) {
    guard let entries = cache, let element else { return cache = nil }
    let place = Self.place(of: key, in: entries)
    if place.isThere {
      cache?[place.index].element = element
    } else {
      cache?.insert(StoredEntry(key: key, element: element), at: place.index)
    }
  }

  func remove(_ key: String) {
    change("Removing from") { file throws(StorageError) in
      guard try file.mapRemove(classID, id: row.id, map: path, key: key) else { return }
      guard let entries = cache else { return }
      let place = Self.place(of: key, in: entries)
      if place.isThere { cache?.remove(at: place.index) }
    }
  }

  func clear() {
    change("Clearing") { file throws(StorageError) in
      try file.mapClear(classID, id: row.id, map: path)
      cache = []
    }
  }

  // MARK: Embedded values

  /// Makes the values that an object brought along the accessors of those in the row.
  func adopt(_ held: StoredMap) {
    guard adoptsElements, held.count > 0 else { return }
    for entry in load() {
      if let stored = held[entry.key] { adopt(stored, as: entry.element.id) }
    }
  }

  override func update(_ element: StoredElement, at index: Int) -> Bool {
    guard cache?.indices.contains(index) == true, cache?[index].element.id == element.id else {
      return false
    }
    cache?[index].element = element
    return true
  }
}
