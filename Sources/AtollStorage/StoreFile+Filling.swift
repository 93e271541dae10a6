import AtollChanges
import AtollSQLite
import AtollVocabulary

// Collections in a value: they are filled after the value itself is written, with an operation for
// each element.
extension StoreFile {
  /// Fills a property that was just assigned or made: its own collection, or those inside its value.
  func fillCollections(
    _ field: NewField, at path: FieldPath, _ classID: ClassID, _ id: RowID
  ) throws {
    var path = path
    switch field.value {
    case .scalar, .link: return
    case .embedded(let fields):
      try fill(fields, below: path.steps + [.slot(path.property)], classID, id)
    case .list, .set, .map:
      if path.property.collection == .none, path.nested == nil { path.nested = [] }
      try fill(path, with: field.value, classID, id)
    }
  }

  /// Fills the collections that came with the value of an element, a member or an entry.
  func fillElement(
    _ value: NewValue, _ element: ElementID, of path: FieldPath, _ classID: ClassID, _ id: RowID
  ) throws {
    switch value {
    case .scalar, .link: return
    case .embedded(let fields):
      try fill(fields, below: path.steps + [.element(path.property, element)], classID, id)
    case .list, .set, .map:
      var inside = path
      inside.nested = (path.nested ?? []) + [element]
      try fill(inside, with: value, classID, id)
    }
  }

  private func fill(
    _ fields: [NewField], below steps: [FieldPath.Step], _ classID: ClassID, _ id: RowID
  ) throws {
    for field in fields where field.value.hasCollection {
      try fillCollections(
        field, at: FieldPath(steps: steps, property: field.property), classID, id)
    }
  }

  private func fill(
    _ path: FieldPath, with value: NewValue, _ classID: ClassID, _ id: RowID
  ) throws {
    switch value {
    case .scalar, .link, .embedded: return
    case .list(let values): try insert(values, classID, id, path, at: nil)
    case .set(let members):
      for member in members { try insertMember(member, classID, id, path) }
    case .map(let entries):
      for entry in entries { try assignEntry(entry, classID, id, path) }
    }
  }
}

extension NewValue {
  /// True if elements are to be inserted when the value is there.
  var hasCollection: Bool {
    switch self {
    case .scalar, .link: false
    case .list, .set, .map: true
    case .embedded(let fields): fields.contains { $0.value.hasCollection }
    }
  }

  /// The kind of collection that the value is.
  var collectionKind: CollectionKind {
    switch self {
    case .scalar, .link, .embedded: .none
    case .list: .list
    case .set: .set
    case .map: .map
    }
  }

  /// The number of lists and maps inside one another, this one included.
  var nestingDepth: Int {
    switch self {
    case .scalar, .link, .embedded: 0
    case .list(let values), .set(let values): 1 + (values.map(\.nestingDepth).max() ?? 0)
    case .map(let entries): 1 + (entries.map(\.value.nestingDepth).max() ?? 0)
    }
  }
}
