import AtollStorage
import AtollVocabulary

// The contents of an any-typed property that are no scalars.
extension RowSource {
  /// A link to any class, or the handle of a list or map.
  final func stored(
    _ value: StoredElement.Value, in property: StoredProperty, of object: ObjectBase
  ) -> _Stored {
    switch value {
    case .scalar(let value): return _Stored(value)
    case .link(let target, let id):
      return row?.table.neighbour(target).map { _Stored($0.object(id)) } ?? .null
    case .embedded: return .null
    case .collection(let kind): return place(of: property, object)?.handle(kind) ?? .null
    }
  }

  /// Makes a list or map that was assigned to a property the handle of what is there.
  final func adopt(_ value: _Stored, in property: StoredProperty, of object: ObjectBase) {
    if let handle = value.handle { place(of: property, object)?.adopt(handle) }
  }

  private final func place(
    of property: StoredProperty, _ object: ObjectBase
  ) -> CollectionPlace? {
    guard let row, let layout = object.layout else { return nil }
    return CollectionPlace(
      row: row, owner: self, layout: layout, instance: object.instance,
      path: FieldPath(steps: steps + layout.steps, property: property, nested: []))
  }
}

extension Store {
  /// The class of an object in an any-typed value; nil if this store does not show it.
  func table(_ id: ClassID) -> Table? { tables.first { $0.classID == id } }
}
