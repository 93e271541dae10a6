/// The type of a stored value.
///
/// The raw value is the type's tag in bytes and in files.
package enum PersistedType: UInt8, Hashable, Sendable, CaseIterable {
  case bool = 1
  case int = 2
  case float = 3
  case double = 4
  case string = 5
  case data = 6
  case date = 7
  case uuid = 8
  case objectId = 9
  /// The hidden key of a class that declares none; never a property's type.
  case identity = 10
  /// A link to an object of the property's target class.
  case link = 11
  /// An object of the property's target class, owned by the property.
  case embedded = 12
  case decimal = 13
  /// A scalar of any type, a link to any class, or a list or map of such values.
  case any = 14
}

extension PersistedType: CustomStringConvertible {
  package var description: String {
    switch self {
    case .bool: "Bool"
    case .int: "Int"
    case .float: "Float"
    case .double: "Double"
    case .string: "String"
    case .data: "Data"
    case .date: "Date"
    case .uuid: "UUID"
    case .objectId: "ObjectId"
    case .identity: "identity"
    case .link: "link"
    case .embedded: "embedded object"
    case .decimal: "Decimal128"
    case .any: "any value"
    }
  }
}

/// The number of values of a property: one, or those of a collection.
///
/// The raw value is the tag in bytes.
package enum CollectionKind: UInt8, Hashable, Sendable, CaseIterable {
  case none = 0
  case list = 1
  case set = 2
  /// Keys are strings.
  case map = 3
}

extension CollectionKind {
  /// The bare noun, as declarations name it.
  package var name: String {
    switch self {
    case .none: "value"
    case .list: "list"
    case .set: "set"
    case .map: "map"
    }
  }
}

extension CollectionKind: CustomStringConvertible {
  /// With its article, as messages name it.
  package var description: String {
    switch self {
    case .none: "one value"
    case .list: "a list"
    case .set: "a set"
    case .map: "a map"
    }
  }
}

/// An index of a property in the file, so that queries need not read all values.
///
/// Local: it is neither sent nor digested, and another replica's file may have other ones. The raw
/// value is its bit in `atoll_property`.
package enum IndexKind: Int64, Hashable, Sendable, CaseIterable {
  /// The values in their order: for equality, ranges, beginnings and sorting.
  case value = 1
  /// The words of texts.
  case fullText = 2
  /// An index of embedded points.
  case spatial = 4
}

/// A property as a model class declares it, in persisted terms.
package struct PropertySchema: Hashable, Sendable {
  package var name: String
  package var type: PersistedType
  package var collection: CollectionKind
  /// True if nil can be told apart from zero; not part of the cell's identity.
  package var isOptional: Bool
  package var index: IndexKind?
  /// The class linked to or embedded; nil for scalars.
  package var target: String?

  package init(
    name: String, type: PersistedType, collection: CollectionKind = .none,
    isOptional: Bool = false, isIndexed: Bool = false, index: IndexKind? = nil,
    target: String? = nil
  ) {
    self.name = name
    self.type = type
    self.collection = collection
    self.isOptional = isOptional
    self.index = index ?? (isIndexed ? .value : nil)
    self.target = target
  }
}

/// A model class in persisted terms.
package struct ClassSchema: Hashable, Sendable {
  package var name: String
  package var isEmbedded: Bool
  /// The name of the primary key among ``properties``; nil gives objects a hidden key.
  package var primaryKey: String?
  /// In declaration order, the primary key included.
  package var properties: [PropertySchema]

  package init(
    name: String, isEmbedded: Bool = false, primaryKey: String? = nil,
    properties: [PropertySchema]
  ) {
    self.name = name
    self.isEmbedded = isEmbedded
    self.primaryKey = primaryKey
    self.properties = properties
  }

  package func property(named name: String) -> PropertySchema? {
    properties.first { $0.name == name }
  }

  /// The type of the primary key, ``PersistedType/identity`` where none is declared.
  package var keyType: PersistedType {
    primaryKey.flatMap { property(named: $0)?.type } ?? .identity
  }
}
