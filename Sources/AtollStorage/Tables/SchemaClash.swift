import AtollLog
package import AtollVocabulary

/// One name that authors declared with more than one type, which then live side by side.
///
/// Nothing is held back and nothing is converted: each program sees the type that its model declares,
/// and both are stored and forwarded. Equal on replicas that applied the same changesets.
package struct SchemaClash: Hashable, Sendable {
  package let className: String
  /// Nil if classes of one name differ: by their key, or in that one of them is embedded.
  package let property: String?
  /// Two or more, ascending by type.
  package let variants: [Variant]

  package init(className: String, property: String?, variants: [Variant]) {
    self.className = className
    self.property = property
    self.variants = variants
  }

  /// One type under the name.
  package struct Variant: Hashable, Sendable {
    /// Such as `Int`, `list of String`, `link of class Team`; of a class `with Int keys`, `embedded`.
    package let type: String
    /// The authors that declared it, ascending.
    package let authors: [Author]

    package init(type: String, authors: [Author]) {
      self.type = type
      self.authors = authors
    }
  }
}

extension SchemaClash: CustomStringConvertible {
  package var description: String {
    let name = property.map { "\(className).\($0)" } ?? className
    let types = variants.map { variant in
      "\(variant.type) by \(variant.authors.map(\.description).joined(separator: ", "))"
    }
    return "\(name) is declared \(types.joined(separator: "; "))"
  }
}

extension ObjectTables {
  /// Every name under which authors declared different types, ascending by name.
  func schemaClashes() -> [SchemaClash] {
    (classClashes() + catalog.entries.flatMap(propertyClashes)).sorted {
      ($0.className, $0.property ?? "") < ($1.className, $1.property ?? "")
    }
  }

  private func classClashes() -> [SchemaClash] {
    Dictionary(grouping: catalog.entries, by: { Array($0.name.utf8) }).values.compactMap {
      entries in
      clash(of: entries[0].name, nil, entries) { entry in
        let type = entry.isEmbedded ? "embedded" : "with \(entry.keyType) keys"
        return (type, authors { numbers[$0].number(of: entry.id) != nil })
      }
    }
  }

  private func propertyClashes(of entry: ClassEntry) -> [SchemaClash] {
    Dictionary(grouping: entry.properties, by: { Array($0.name.utf8) }).values.compactMap {
      properties in
      clash(of: entry.name, properties[0].name, properties) { property in
        (typeText(of: property), authors { numbers[$0].number(of: property.id) != nil })
      }
    }
  }

  /// The clash of everything of one name, if authors declared two types or more.
  private func clash<Named>(
    of className: String, _ property: String?, _ named: [Named],
    _ declaration: (Named) -> (type: String, authors: Set<Author>)
  ) -> SchemaClash? {
    guard named.count > 1 else { return nil }
    let declared = named.map(declaration).filter { !$0.authors.isEmpty }
    let types = Dictionary(declared.map { ($0.type, $0.authors) }) { $0.union($1) }
    guard types.count > 1 else { return nil }
    return SchemaClash(
      className: className, property: property,
      variants: types.sorted { $0.key < $1.key }.map {
        SchemaClash.Variant(type: $0.key, authors: $0.value.sorted())
      })
  }

  private func authors(_ hasDeclared: (AuthorRecord) -> Bool) -> Set<Author> {
    Set(authors.records.filter(hasDeclared).map(\.author))
  }

  private func typeText(of property: StoredProperty) -> String {
    let target = property.target.flatMap { catalog.entry($0)?.name }
    let type = target.map { "\(property.type) of class \($0)" } ?? "\(property.type)"
    return property.collection == .none ? type : "\(property.collection.name) of \(type)"
  }
}
