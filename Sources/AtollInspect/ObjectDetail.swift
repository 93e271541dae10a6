import AtollQuery
import AtollStorage
import AtollVocabulary

/// One object whole, and how many objects link to it.
package struct ObjectDetail: Sendable {
  package let `class`: String
  package let key: String
  /// A line of canonical JSON, as `atoll export` writes it.
  package let line: String
  package let backlinks: [Backlink]

  package struct Backlink: Codable, Hashable, Sendable {
    package let `class`: String
    package let property: String
    package let count: Int
  }
}

extension Inspection {
  /// One object with all that it holds.
  ///
  /// - Parameters:
  ///   - className: The name of its class.
  ///   - text: Its key, as people write it.
  /// - Returns: The object on one snapshot; nil if there is none.
  /// - Throws: `InspectionError` for what there is not, or `StorageError`.
  package func object(of className: String, key text: String) throws -> ObjectDetail? {
    try atOneMoment {
      let subject = try subject(className)
      let key = try subject.key(text)
      guard let row = try file.find(subject.stored.id, key: key) else { return nil }
      var query = StoreQuery(subject.stored.id)
      query.predicate = .comparison(
        .path(PropertyPath(scope: 0)), .equal, .object(row, of: subject.stored.id))
      var line = ""
      try file.export(query) { line = $0 }
      return ObjectDetail(
        class: className, key: text, line: line,
        backlinks: try backlinks(to: row, of: subject.stored))
    }
  }

  /// The objects that link to one by a property, or by an element of a list, set or map.
  private func links(
    by property: StoredProperty, to row: RowID, of target: StoredClass
  ) -> Predicate {
    guard property.collection != .none else { return .linked(PropertyPath(property), [row]) }
    return .exists(
      PropertyPath(property),
      .comparison(.path(PropertyPath(scope: 1)), .equal, .object(row, of: target.id)))
  }

  private func backlinks(
    to row: RowID, of target: StoredClass
  ) throws -> [ObjectDetail.Backlink] {
    try file.classes.filter { !$0.isEmbedded }.flatMap { owner in
      try owner.properties.filter { $0.type == .link && $0.target == target.id }
        .map { property in
          var query = StoreQuery(owner.id)
          query.predicate = links(by: property, to: row, of: target)
          return ObjectDetail.Backlink(
            class: owner.name, property: property.name, count: try file.count(query))
        }
    }
  }
}
