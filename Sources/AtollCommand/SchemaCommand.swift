import ArgumentParser
import AtollStorage
import AtollVocabulary
import Foundation

/// `atoll schema`: the classes a store has room for.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Shows the classes of a store and their properties.",
    discussion: """
      What any model of an application here or at a peer has declared. --json is for programs, and for \
      `import --schema`, which declares the same classes in another store.
      """)

  @OptionGroup var argument: StoreArgument

  @Flag(help: "One JSON object instead of text.")
  var json = false

  func run() throws {
    let file = try argument.read()
    defer { file.close() }
    let document = SchemaDocument(try file.classes)
    print(json ? try JSONLine.text(document) : document.lines.joined(separator: "\n"))
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

  init(path: String) throws {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CommandError.unreadable(path: path)
    }
    do {
      self = try JSONDecoder().decode(SchemaDocument.self, from: data)
    } catch {
      throw CommandError.noSchema(path: path, detail: "\(error)")
    }
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
        guard let type = PersistedType.allCases.first(where: { "\($0)" == property.type }),
          let collection = CollectionKind.allCases.first(where: {
            $0.name == property.collection ?? CollectionKind.none.name
          })
        else {
          let detail = "\(each.name).\(property.name) is of no type that there is"
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
