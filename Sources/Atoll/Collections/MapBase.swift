/// The common part of maps of all value types.
public class MapBase: CollectionBase {
  /// The entries of an unmanaged map.
  final var elements = StoredMap()
  /// The entries of a managed map.
  final var managed: ManagedMap?

  override init() { super.init() }

  /// The number of entries.
  public final var count: Int { managed?.count ?? elements.count }

  /// True if there is no entry.
  public final var isEmpty: Bool { count == 0 }

  final func stored(for key: String) -> _Stored? {
    guard let managed else { return elements[key] }
    return managed.stored(for: key)
  }

  final func assign(_ stored: _Stored, for key: String) {
    if let sentence = MapKeys.refusal(of: key) { Trap.stop(keyPlace + sentence) }
    if let managed { managed.assign(stored, for: key) } else { elements[key] = stored }
  }

  final func remove(_ key: String) {
    if let managed { managed.remove(key) } else { elements[key] = nil }
  }

  /// Removes every entry.
  public final func removeAll() {
    if let managed { managed.clear() } else { elements = StoredMap() }
  }

  /// Every entry at this moment, ascending by the bytes of its key; what iteration runs over.
  final var snapshot: [_StoredEntry] { managed?.snapshot ?? elements.sorted }

  /// The beginning of messages about a key.
  final var keyPlace: String {
    managed.map { "Setting an entry of the map '\($0.name)': " } ?? "Setting an entry of a map: "
  }

  // MARK: As a property

  override var place: ManagedCollection? { managed }

  override func attach(to collection: ManagedCollection) {
    let held = elements
    managed = collection as? ManagedMap
    elements = StoredMap()
    managed?.adopt(held)
  }

  override func fill(_ input: _PropertyInput) {
    guard case .map(let entries) = input.content else { return }
    for entry in entries { assign(entry.value, for: entry.key) }
  }

  override var input: _PropertyInput { _PropertyInput(map: snapshot) }

  override func replace(with content: _PropertyInput.Content) {
    guard case .map(let entries) = content else { return }
    removeAll()
    for entry in entries { assign(entry.value, for: entry.key) }
  }
}

/// The entries of a map that no store manages.
struct StoredMap {
  /// Keys are told apart by their bytes, as in the file; `String` would normalise them.
  private struct Key: Hashable {
    var text: String

    static func == (a: Key, b: Key) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    func hash(into hasher: inout Hasher) {
      for byte in text.utf8 { hasher.combine(byte) }
    }
  }

  private var values: [Key: _Stored] = [:]

  var count: Int { values.count }

  subscript(key: String) -> _Stored? {
    get { values[Key(text: key)] }
    set { values[Key(text: key)] = newValue }
  }

  /// Every entry, ascending by the bytes of its key.
  var sorted: [_StoredEntry] {
    values.map { _StoredEntry(key: $0.key.text, value: $0.value) }
      .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}
