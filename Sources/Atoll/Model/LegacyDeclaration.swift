/// The declarations that a model class makes in class functions rather than in `@Persisted`.
struct LegacyDeclaration {
  let primaryKey: String?
  let indexed: Set<String>
  let ignored: Set<String>
  let columnNames: [String: String]

  init(_ type: ObjectBase.Type) {
    primaryKey = (type as? Object.Type)?.primaryKey()
    indexed = Set(type.indexedProperties())
    ignored = Set(type.ignoredProperties())
    columnNames = type.propertiesMapping()
  }

  /// The name in the file.
  ///
  /// Names that start with '_' belong to Atoll's columns, so `_id` becomes `id` unless the mapping
  /// says otherwise.
  func columnName(of property: String) -> String {
    columnNames[property] ?? String(property.drop { $0 == "_" })
  }
}

extension ModelClass {
  /// Stops if a class function names a property that the class does not have.
  func validateLegacyDeclaration() {
    let legacy = LegacyDeclaration(type)
    let named =
      legacy.indexed.map { ($0, "indexedProperties()") }
      + legacy.columnNames.keys.map { ($0, "propertiesMapping()") }
      + (legacy.primaryKey.map { [($0, "primaryKey()")] } ?? [])
    for (property, function) in named.sorted(by: { $0 < $1 })
    where self.property(named: property) == nil && !legacy.ignored.contains(property) {
      Trap.stop(
        "Class '\(name)': \(function) names '\(property)', which is no stored property of the "
          + "class. It has: \(properties.map(\.name).joined(separator: ", ")).")
    }
  }
}
