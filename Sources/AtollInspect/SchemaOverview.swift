import AtollStorage
import AtollVocabulary

/// The classes of a store with how many objects they have, and from where they are linked to.
package struct SchemaOverview: Codable, Hashable, Sendable {
  package struct Class: Codable, Hashable, Sendable {
    package let name: String
    package let isEmbedded: Bool
    /// 0 of an embedded class, whose objects are part of others.
    package let objects: Int
    package let key: SchemaDocument.Property?
    /// Without the key.
    package let properties: [SchemaDocument.Property]
    package let backlinks: [Backlink]
  }

  /// A property whose links lead to the class.
  package struct Backlink: Codable, Hashable, Sendable {
    package let `class`: String
    package let property: String
  }

  /// Ascending by name.
  package let classes: [Class]
  /// Properties that authors have declared with different types; nil if there are none.
  package let clashes: [StatusReport.Clash]?
}

extension Inspection {
  /// The schema with the number of objects, on one snapshot.
  package func schemaOverview() throws -> SchemaOverview {
    try atOneMoment {
      let document = try schema()
      let counts = Dictionary(
        try file.counts().map { ($0.class.name, $0.objects) }, uniquingKeysWith: +)
      let clashes = try file.schemaClashes().map(StatusReport.Clash.init)
      return SchemaOverview(
        classes: document.classes.map { described in
          SchemaOverview.Class(
            name: described.name, isEmbedded: described.isEmbedded,
            objects: counts[described.name] ?? 0, key: described.key,
            properties: described.properties, backlinks: document.backlinks(to: described.name))
        }, clashes: clashes.isEmpty ? nil : clashes)
    }
  }
}

extension SchemaDocument {
  /// The properties that link to a class, embedded objects' too.
  fileprivate func backlinks(to name: String) -> [SchemaOverview.Backlink] {
    let links = classes.flatMap { owner in
      owner.properties.filter { $0.type == "\(PersistedType.link)" && $0.target == name }
        .map { SchemaOverview.Backlink(class: owner.name, property: $0.name) }
    }
    return links
  }
}
