import AtollStorage
import AtollVocabulary
import Testing

/// A list that a scenario writes into; indices are those of the visible elements.
struct EditingList {
  let object: Editing
  let path: FieldPath

  private var store: StoreFile { object.store }

  var count: Int {
    get throws { try store.elements(of: object.type.id, id: object.id, list: path).count }
  }

  func append(_ value: Given) throws { try insert(value, at: nil) }

  func insert(_ value: Given, at index: Int?) throws {
    _ = try store.listInsert(
      object.type.id, id: object.id, list: path, at: index,
      try value.newValue(of: path.property, in: store, isElement: true))
  }

  func set(_ index: Int, _ value: Given) throws {
    try store.listAssign(
      object.type.id, id: object.id, list: path, at: index,
      try value.newValue(of: path.property, in: store, isElement: true))
  }

  func move(_ source: Int, to destination: Int) throws {
    try store.listMove(
      object.type.id, id: object.id, list: path, from: source, to: destination)
  }

  func remove(_ index: Int) throws {
    try store.listRemove(object.type.id, id: object.id, list: path, at: index)
  }

  func clear() throws { try store.listClear(object.type.id, id: object.id, list: path) }

  /// The embedded object in an element.
  func element(_ index: Int) throws -> Editing {
    let elements = try store.elements(of: object.type.id, id: object.id, list: path)
    var editing = object
    editing.steps.append(.element(path.property, elements[index].id))
    return editing
  }
  /// The list in an element of any type.
  func listInside(_ index: Int) throws -> EditingList {
    EditingList(object: object, path: path.inside(try id(index)))
  }

  /// The map in an element of any type.
  func mapInside(_ index: Int) throws -> EditingMap {
    EditingMap(object: object, path: path.inside(try id(index)))
  }

  private func id(_ index: Int) throws -> ElementID {
    try store.elements(of: object.type.id, id: object.id, list: path)[index].id
  }
}

/// A set that a scenario writes into.
struct EditingSet {
  let object: Editing
  let path: FieldPath

  private var store: StoreFile { object.store }

  func insert(_ value: Given) throws {
    try store.setInsert(object.type.id, id: object.id, set: path, try newValue(value))
  }

  func remove(_ value: Given) throws {
    try store.setRemove(object.type.id, id: object.id, set: path, try newValue(value))
  }

  func clear() throws { try store.setClear(object.type.id, id: object.id, set: path) }

  private func newValue(_ value: Given) throws -> NewValue {
    try value.newValue(of: path.property, in: store, isElement: true)
  }
}

/// A map that a scenario writes into.
struct EditingMap {
  let object: Editing
  let path: FieldPath

  private var store: StoreFile { object.store }

  var keys: [String] {
    get throws {
      try store.entries(of: object.type.id, id: object.id, map: path).map(\.key)
    }
  }

  func set(_ key: String, _ value: Given) throws {
    try store.mapAssign(
      object.type.id, id: object.id, map: path, key: key,
      try value.newValue(of: path.property, in: store, isElement: true))
  }

  func remove(_ key: String) throws {
    try store.mapRemove(object.type.id, id: object.id, map: path, key: key)
  }

  func clear() throws { try store.mapClear(object.type.id, id: object.id, map: path) }

  /// The embedded object in an entry.
  func entry(_ key: String) throws -> Editing {
    var editing = object
    editing.steps.append(.element(path.property, try id(key)))
    return editing
  }

  /// The list in an entry of any type.
  func listInside(_ key: String) throws -> EditingList {
    EditingList(object: object, path: path.inside(try id(key)))
  }

  /// The map in an entry of any type.
  func mapInside(_ key: String) throws -> EditingMap {
    EditingMap(object: object, path: path.inside(try id(key)))
  }

  private func id(_ key: String) throws -> ElementID {
    try #require(try store.entry(of: object.type.id, id: object.id, map: path, key: key)).id
  }
}
