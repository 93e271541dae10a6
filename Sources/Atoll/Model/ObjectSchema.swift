import AtollVocabulary

/// A model class as its store sees it.
public struct ObjectSchema: Sendable {
  public let className: String
  public let isEmbedded: Bool
  /// In the order of declaration.
  public let properties: [Property]

  public var primaryKeyProperty: Property? { properties.first(where: \.isPrimary) }

  public subscript(name: String) -> Property? { properties.first { $0.name == name } }

  init(_ model: ModelClass) {
    className = model.name
    isEmbedded = model.isEmbedded
    properties = model.properties.map(Property.init)
  }
}

/// A property in persisted terms: of a mapped type nothing shows.
public struct Property: Sendable {
  public let name: String
  /// The name in the file; see ``ObjectBase/propertiesMapping()``.
  public let columnName: String
  /// The persisted type's name, such as `String`, `Double` or `link`.
  public let type: String
  public let isOptional: Bool
  public let isArray: Bool
  public let isPrimary: Bool
  public let isIndexed: Bool
  /// The class linked to or embedded.
  public let objectClassName: String?

  init(_ property: PropertyDescriptor) {
    name = property.name
    columnName = property.columnName
    type = property.type.type.description
    isOptional = property.isOptional
    isArray = property.type.collection == .list
    isPrimary = property.isPrimaryKey
    isIndexed = property.isIndexed
    objectClassName = property.schema.target
  }
}
