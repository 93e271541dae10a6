import AtollStorage
import AtollVocabulary

// Edits of one element, member or entry. Elements are remembered by their ids: an index means another
// element once somebody has inserted before it.
extension EditWriter {
  mutating func editList(
    _ action: StoreEdit.Action, of object: FoundObject
  ) throws -> InverseEdit {
    let (classID, row) = (object.subject.id, object.row)
    switch action {
    case .insert(let path, let value, let index):
      let field = try field(path, .list, of: object)
      let new = try single(value, of: field)
      let id = try file.listInsert(classID, id: row, list: field, at: index, new)
      let last = try file.elementCount(of: classID, id: row, list: field) - 1
      let written = try reader.element(index ?? last, field, of: object)
      return .removeElement(object.name, path, id, written: written)
    case .replace(let path, let value, let index):
      let field = try field(path, .list, of: object)
      let id = try element(at: index, field, of: object)
      let before = try reader.element(index, field, of: object)
      let new = try single(value, of: field)
      try file.listAssign(classID, id: row, list: field, at: index, new)
      let written = try reader.element(index, field, of: object)
      return .replaceElement(object.name, path, id, before, written: written)
    case .remove(let path, let index):
      let field = try field(path, .list, of: object)
      let id = try element(at: index, field, of: object)
      let before = try reader.element(index, field, of: object)
      try file.listRemove(classID, id: row, list: field, at: index)
      return .insertElement(object.name, path, id, at: index, before)
    case .move(let path, let source, let destination):
      let field = try field(path, .list, of: object)
      let id = try element(at: source, field, of: object)
      try file.listMove(classID, id: row, list: field, from: source, to: destination)
      return .moveElement(object.name, path, id, to: source)
    case .create, .set, .assign, .increment, .delete, .restore, .add, .drop, .put, .take:
      throw Importer.Problem(text: "expected an edit of a list")
    }
  }

  mutating func editSet(
    _ path: String, _ value: JSONValue, of object: FoundObject, isAdded: Bool
  ) throws -> [InverseEdit] {
    let (classID, row) = (object.subject.id, object.row)
    let field = try field(path, .set, of: object)
    let new = try single(value, of: field)
    let wasThere = try file.setContains(classID, id: row, set: field, new)
    if isAdded {
      try file.setInsert(classID, id: row, set: field, new)
    } else {
      try file.setRemove(classID, id: row, set: field, new)
    }
    guard wasThere != isAdded else { return [] }
    return [isAdded ? .drop(object.name, path, value) : .add(object.name, path, value)]
  }

  /// Gives an entry a value, or takes it out if that is nil; nil if there was none to take out.
  mutating func editMap(
    _ path: String, _ entry: String, _ value: JSONValue?, of object: FoundObject
  ) throws -> InverseEdit? {
    let (classID, row) = (object.subject.id, object.row)
    let field = try field(path, .map, of: object)
    let before = try self.entry(entry, field, of: object)
    if let value {
      let new = try single(value, of: field)
      try file.mapAssign(classID, id: row, map: field, key: entry, new)
    } else if try !file.mapRemove(classID, id: row, map: field, key: entry) {
      return nil
    }
    let written = try self.entry(entry, field, of: object)
    return .entry(object.name, path, entry, before, written: written)
  }

  // MARK: Finding

  /// A property that is a collection of this kind.
  func field(_ path: String, _ kind: CollectionKind, of object: FoundObject) throws -> FieldPath {
    let field = try field(path, of: object.subject)
    guard field.property.collection == kind else {
      let found = field.property.collection
      throw Importer.Problem(
        text: "\(path): found \(found == .none ? "a property of one value" : "a \(found.name)"), "
          + "expected a \(kind.name)")
    }
    return field
  }

  private func element(
    at index: Int, _ list: FieldPath, of object: FoundObject
  ) throws -> ElementID {
    let (classID, row) = (object.subject.id, object.row)
    let count = try file.elementCount(of: classID, id: row, list: list)
    guard 0..<count ~= index,
      let found = try file.elements(of: classID, id: row, list: list, at: index..<index + 1).first
    else {
      throw StorageError.noSuchElement(list: list.property.name, index: index, count: count)
    }
    return found.id
  }

  /// The index that an element has now; nil if it is gone.
  func index(of id: ElementID, _ list: FieldPath, of object: FoundObject) throws -> Int? {
    try file.elements(of: object.subject.id, id: object.row, list: list)
      .firstIndex { $0.id == id }
  }

  /// Returns the value of a map's key; nil if there is none.
  func entry(_ key: String, _ map: FieldPath, of object: FoundObject) throws -> JSONValue? {
    try reader.value(map, of: object)[key]
  }
}
