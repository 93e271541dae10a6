import AtollInspect
import AtollVocabulary

extension SchemaDocument {
  /// The same as models declare it.
  ///
  /// - Throws: `CommandError` for a type or a collection that there is not.
  func schemas(from path: String) throws -> [ClassSchema] {
    try classes.map { each in
      let properties = try ([each.key].compactMap { $0 } + each.properties).map { property in
        let place = "\(each.name).\(property.name)"
        guard
          let type = PersistedType.allCases.first(where: { "\($0)" == property.type }),
          type != .identity
        else {
          let detail = "\(place) is of the type \"\(property.type)\", expected \(Self.typeNames)"
          throw CommandError.noSchema(path: path, detail: detail)
        }
        guard
          let collection = CollectionKind.allCases.first(where: {
            $0.name == property.collection ?? CollectionKind.none.name
          })
        else {
          let detail =
            "\(place) is a \"\(property.collection ?? "")\", expected list, set or map"
          throw CommandError.noSchema(path: path, detail: detail)
        }
        guard (property.target == nil) == ![.link, .embedded].contains(type) else {
          let detail =
            property.target == nil
            ? "\(place) has no target, expected the class that it leads to"
            : "\(place) has a target, which only a link or an embedded object has"
          throw CommandError.noSchema(path: path, detail: detail)
        }
        return PropertySchema(
          name: property.name, type: type, collection: collection,
          isOptional: property.name != each.key?.name && collection == .none,
          target: property.target)
      }
      return ClassSchema(
        name: each.name, isEmbedded: each.isEmbedded, primaryKey: each.key?.name,
        properties: properties)
    }
  }
}
