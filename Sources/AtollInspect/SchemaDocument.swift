import AtollStorage
package import AtollVocabulary

/// The classes of a store, as `schema --json` writes and `import --schema` reads them.
package struct SchemaDocument: Codable, Hashable, Sendable {
  package struct Class: Codable, Hashable, Sendable {
    package var name: String
    package var isEmbedded: Bool
    /// The primary key; nil if objects have hidden ones.
    package var key: Property?
    package var properties: [Property]

    package init(name: String, isEmbedded: Bool, key: Property?, properties: [Property]) {
      self.name = name
      self.isEmbedded = isEmbedded
      self.key = key
      self.properties = properties
    }
  }

  package struct Property: Codable, Hashable, Sendable {
    package var name: String
    package var type: String
    /// `list`, `set` or `map`; nil for one value.
    package var collection: String?
    /// The class linked to or embedded.
    package var target: String?

    package init(name: String, type: String, collection: String? = nil, target: String? = nil) {
      self.name = name
      self.type = type
      self.collection = collection
      self.target = target
    }
  }

  package var classes: [Class]

  package init(classes: [Class]) { self.classes = classes }

  /// Ascending by class name; properties in the order of the file.
  package init(_ stored: [StoredClass]) {
    func property(_ property: StoredProperty, type: PersistedType) -> Property {
      Property(
        name: property.name, type: "\(type)",
        collection: property.collection == .none ? nil : property.collection.name,
        target: property.target.flatMap { id in stored.first { $0.id == id }?.name })
    }
    classes = stored.sorted { $0.name < $1.name }.map { stored in
      Class(
        name: stored.name, isEmbedded: stored.isEmbedded,
        key: stored.key.map { property($0, type: stored.keyType) },
        properties: stored.properties.map { property($0, type: $0.type) })
    }
  }

  /// The names of the types that properties can have.
  package static var typeNames: String {
    PersistedType.allCases.filter { $0 != .identity }.map { "\($0)" }.joined(separator: ", ")
  }
}

extension Inspection {
  /// The classes that any model of an application here or at a peer has declared.
  package func schema() throws -> SchemaDocument {
    try atOneMoment { SchemaDocument(try file.classes) }
  }
}
