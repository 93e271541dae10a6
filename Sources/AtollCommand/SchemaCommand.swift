import ArgumentParser
import AtollStorage
import AtollVocabulary

/// `atoll schema`: the classes a store has room for.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Shows the classes of a store and their properties.",
    discussion: """
      What any model of an application here or at a peer has declared. --json is for programs, and for \
      `import --schema`, which declares the same classes in another store. Its form:

      {"classes": [{"name": "City", "isEmbedded": false, "key": {"name": "name", "type": "String"}, \
      "properties": [{"name": "place", "type": "embedded object", "target": "Place"}, \
      {"name": "rivers", "type": "String", "collection": "list"}]}, …]}

      Of a class: name, isEmbedded (false if left out), key (left out if objects have no primary key) and \
      properties, without the key. Of a property: name, type, collection (list, set or map; one value if \
      left out), and target, the class that is linked to or embedded, which the file declares too.

      Types: \(SchemaDocument.typeNames). A link and an embedded object need a target. A key is a \
      String, Int, Bool, UUID or ObjectId. Anything else in the file is refused. Indexes are local to a \
      file: an application declares them.
      """)

  @OptionGroup var argument: StoreArgument

  @Flag(help: "One JSON object instead of text.")
  var json = false

  func run() throws {
    let file = try argument.read()
    defer { file.close() }
    let document = SchemaDocument(try file.classes)
    print(lines: json ? [try JSONLine.text(document)] : document.lines)
  }
}

/// The classes of a store, as `schema --json` writes and `import --schema` reads them.
struct SchemaDocument: Codable, Hashable {
  struct Class: Codable, Hashable {
    var name: String
    var isEmbedded: Bool
    /// The primary key; nil if objects have hidden ones.
    var key: Property?
    var properties: [Property]
  }

  struct Property: Codable, Hashable {
    var name: String
    var type: String
    /// `list`, `set` or `map`; nil for one value.
    var collection: String?
    /// The class linked to or embedded.
    var target: String?
  }

  var classes: [Class]

  init(classes: [Class]) { self.classes = classes }

  init(_ stored: [StoredClass]) {
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
  static var typeNames: String {
    PersistedType.allCases.filter { $0 != .identity }.map { "\($0)" }.joined(separator: ", ")
  }

  /// A class a paragraph: `class City, key name: String`, then a property a line.
  var lines: [String] {
    classes.flatMap { each -> [String] in
      let key = each.key.map { ", key \($0.name): \($0.type)" } ?? ""
      return ["\(each.isEmbedded ? "embedded class" : "class") \(each.name)\(key)"]
        + each.properties.map { property in
          let type = property.target.map { "\(property.type) of \($0)" } ?? property.type
          return "  \(property.name): \(property.collection.map { "\($0) of " } ?? "")\(type)"
        }
    }
  }

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

extension StoreFile {
  /// Makes room for the classes of a document.
  func declare(_ document: SchemaDocument, from path: String) throws {
    _ = try adopt(try document.schemas(from: path))
  }
}
