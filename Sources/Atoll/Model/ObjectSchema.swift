import AtollStorage
import AtollVocabulary

/// The classes of a store, as reflection shows them.
public struct Schema: Hashable, Sendable {
  /// Those of the model, then those that only the file knows.
  public let objectSchema: [ObjectSchema]

  /// The class of a name; nil if the store has none.
  public subscript(className: String) -> ObjectSchema? {
    objectSchema.first { $0.className == className }
  }
}

/// A class as its store sees it.
public struct ObjectSchema: Hashable, Sendable {
  /// The name of the class.
  public let className: String
  /// True if its objects live in others only.
  public let isEmbedded: Bool
  /// The stored properties, in the order of declaration.
  public let properties: [Property]
  /// The properties that are found rather than stored: linking objects.
  public let computedProperties: [Property]

  /// The property that is the primary key; nil if none is declared.
  public var primaryKeyProperty: Property? { properties.first(where: \.isPrimary) }

  /// The property of a name, stored or computed; nil if the class has none.
  public subscript(name: String) -> Property? {
    properties.first { $0.name == name } ?? computedProperties.first { $0.name == name }
  }

  /// A class as it is declared.
  package init(declaredBy type: ObjectBase.Type) { self.init(ModelClass.of(type)) }

  init(_ model: ModelClass) {
    className = model.name
    isEmbedded = model.isEmbedded
    properties = model.properties.map(Property.init)
    computedProperties = model.linking.map(Property.init)
  }
}

/// The persisted type of a property; of a mapped type nothing shows (rule 9).
public enum PropertyType: Hashable, Sendable {
  /// Every width of integer.
  case int
  /// True or false.
  case bool
  /// A number of single precision.
  case float
  /// A number of double precision.
  case double
  /// A text.
  case string
  /// Bytes.
  case data
  /// A value whose type is chosen when it is written.
  case any
  /// A moment.
  case date
  /// A link, or an embedded object.
  case object
  /// The objects that link to one.
  case linkingObjects
  /// An object id.
  case objectId
  /// A decimal number.
  case decimal128
  /// A UUID.
  case UUID
}

/// A property in persisted terms.
public struct Property: Hashable, Sendable {
  /// The name in Swift.
  public let name: String
  /// The name in the file.
  public let columnName: String
  /// The type of the value, or of each element.
  public let type: PropertyType
  /// True if it is a list, or linking objects.
  public let isArray: Bool
  /// True if it is a set.
  public let isSet: Bool
  /// True if it is a map.
  public let isMap: Bool
  /// True if there is an index of whatever kind; primary keys always have one.
  public let isIndexed: Bool
  /// True if it is the primary key.
  public let isPrimary: Bool
  /// True if it, or an element, can be nil.
  public let isOptional: Bool
  /// The class linked to or embedded.
  public let objectClassName: String?
  /// The property of that class which linking objects are found by.
  public let linkOriginPropertyName: String?

  init(_ property: PropertyDescriptor) {
    let schema = property.schema
    name = property.name
    columnName = property.columnName
    type = PropertyType(schema.type)
    isArray = schema.collection == .list
    isSet = schema.collection == .set
    isMap = schema.collection == .map
    isIndexed = property.index != nil || property.isPrimaryKey
    isPrimary = property.isPrimaryKey
    isOptional = schema.isOptional
    objectClassName = schema.target
    linkOriginPropertyName = nil
  }
}

extension Property {
  /// Linking objects: many, found and not stored.
  init(_ linking: LinkingProperty) {
    name = linking.name
    columnName = linking.name
    type = .linkingObjects
    isArray = true
    isSet = false
    isMap = false
    isIndexed = false
    isPrimary = false
    isOptional = false
    objectClassName = ModelClass.name(of: linking.origin)
    linkOriginPropertyName = linking.originProperty
  }
}

extension PropertyType {
  init(_ type: PersistedType) {
    switch type {
    case .bool: self = .bool
    case .int: self = .int
    case .float: self = .float
    case .double: self = .double
    case .string: self = .string
    case .data: self = .data
    case .date: self = .date
    case .uuid: self = .UUID
    case .objectId: self = .objectId
    case .decimal: self = .decimal128
    case .any: self = .any
    case .link, .embedded: self = .object
    case .identity: self = .int
    }
  }
}
