import ArgumentParser
import AtollInspect

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
    let store = try argument.inspect()
    defer { store.close() }
    let document = try store.schema()
    print(lines: json ? [try JSONLine.text(document)] : document.lines)
  }
}

extension SchemaDocument {
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
}
