import AtollQuery
import AtollStorage
import AtollVocabulary

// Comparisons with an embedded object itself, and with the whole list or map of an any-typed value.

extension ObjectBase {
  /// Returns the place of an object that is embedded in one that stands on its own; nil elsewhere.
  final func embeddedPlace(
    in store: Store
  ) -> (row: RowID, classID: ClassID, steps: [StoredProperty])? {
    guard let row = managedRow, row.store === store, let layout, !isInvalidated else { return nil }
    let steps = layout.steps.compactMap { step in
      if case .slot(let property) = step { property } else { nil }
    }
    return (row.id, row.table.classID, steps)
  }
}

extension QueryPath {
  /// That the way leads to this very embedded object; one in an element of a collection is nowhere.
  func isEmbedded(_ object: EmbeddedObject) -> Predicate {
    guard let store, case .path(let path) = expression, let place = object.embeddedPlace(in: store)
    else { return .never }
    return path.isEmbedded(in: place.row, of: place.classID, at: place.steps)
  }

  /// That an any-typed value is a list or a map with this in it; nil for a value that is neither.
  func isWhole(_ value: _Stored) -> Predicate? {
    guard case .path(let path) = expression else { return nil }
    switch value.content {
    case .list(let elements):
      let parts = elements.enumerated().map { index, element in
        appending(.index(index)).compare(.equal, element)
      }
      return .all(Self.isCollection("list", of: elements.count, at: path) + parts)
    case .map(let entries):
      let parts = entries.flatMap { entry in
        [Self.hasKey(entry.key, path), appending(.entry(entry.key)).compare(.equal, entry.value)]
      }
      return .all(Self.isCollection("dictionary", of: entries.count, at: path) + parts)
    case .scalar, .object: return nil
    }
  }

  private static func isCollection(
    _ kind: String, of count: Int, at path: PropertyPath
  ) -> [Predicate] {
    [
      .comparison(.kind(path), .equal, .value(.string(kind))),
      .comparison(
        .count(path.appending(.wildcard), .always), .equal, .value(.int(Int64(count)))),
    ]
  }

  /// Told apart from a key with nil, and without one.
  private static func hasKey(_ key: String, _ path: PropertyPath) -> Predicate {
    .exists(
      path.appending(.wildcard),
      .comparison(
        PropertyPath(scope: path.scope + 1, isEntryKey: true), .equal, .value(.string(key))))
  }
}
