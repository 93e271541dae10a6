import AtollVocabulary

extension ModelClass {
  /// Stops if the class cannot be stored as it is declared; each rule with its sentence.
  package func validate() {
    if name.utf8.count > Limits.nameBytes {
      Trap.stop("The name of class '\(name)' is longer than \(Limits.nameBytes) bytes.")
    }
    validateLegacyDeclaration()
    validateKey()
    for property in properties { property.validate() }
    for property in properties { validateSearchIndex(of: property) }
    for property in linking { property.validate(in: self) }
    validateFields()
    validateNames()
  }

  /// Linking objects outside a wrapper would never find the object that they are of.
  private func validateFields() {
    for field in Reflection.fields(of: type) where field.type is any AnyLinkingObjects.Type {
      Trap.stop(
        "Property '\(name).\(field.name)': linking objects are found through @Persisted only. Write "
          + "'@Persisted(originProperty: \"…\") var \(field.name): \(field.type)'.")
    }
  }

  private func validateKey() {
    let keys = properties.filter(\.isPrimaryKey)
    if keys.count > 1 {
      Trap.stop(
        "Class '\(name)' declares more than one primary key; an object has one. They are: "
          + "\(keys.map(\.name).joined(separator: ", ")).")
    }
    if isEmbedded, let primaryKey {
      Trap.stop(
        "Class '\(name)' is embedded and declares the primary key '\(primaryKey.name)'; "
          + "embedded objects are found through their owners and have none.")
    }
  }

  /// Full-text and spatial indexes lead to objects, so they are of properties of those that stand on
  /// their own.
  private func validateSearchIndex(of property: PropertyDescriptor) {
    guard let index = property.index, index != .value else { return }
    let what = index == .spatial ? "a spatial index" : "a full-text index"
    if isEmbedded {
      Trap.stop(
        "\(property.place) cannot have \(what): '\(name)' is embedded. Declare the index on a property "
          + "of the class that embeds it.")
    }
    let isPossible =
      index == .spatial
      ? property.type.target.map { ModelClass.of($0).isGeoPoint } ?? false
      : property.type.type == .string
    guard property.type.collection == .none, isPossible else {
      let needed =
        index == .spatial
        ? "an embedded class with 'type: String' and 'coordinates: List<Double>'" : "String"
      Trap.stop(
        "\(property.place) cannot have \(what): a '\(property.valueType)' is not stored as \(needed)."
      )
    }
  }

  /// True if the objects are points as GeoJSON has them.
  private var isGeoPoint: Bool {
    func has(_ name: String, _ type: PersistedType, _ collection: CollectionKind) -> Bool {
      properties.contains {
        $0.columnName == name && $0.type.type == type && $0.type.collection == collection
      }
    }
    return isEmbedded && has("type", .string, .none) && has("coordinates", .double, .list)
  }

  private func validateNames() {
    var names: Set<String> = []
    var columns: [String: String] = [:]
    for property in properties {
      if !names.insert(property.name).inserted {
        Trap.stop(
          "\(property.place) is declared twice, in the class and in one it inherits from.")
      }
      if let other = columns.updateValue(property.name, forKey: property.columnName) {
        Trap.stop(
          "\(property.place) and '\(name).\(other)' are both named '\(property.columnName)' in the "
            + "file. Give one of them another name in propertiesMapping().")
      }
    }
  }
}

extension PropertyDescriptor {
  fileprivate func validate() {
    validateName()
    validateMapping()
    validateContainer()
    validateKeyAndIndex()
  }

  private func validateName() {
    if columnName.isEmpty || columnName.hasPrefix("_") {
      Trap.stop(
        "\(place): '\(columnName)' cannot be its name in the file; names that start with '_' belong "
          + "to Atoll's own columns. Give it another one in propertiesMapping().")
    }
    if columnName.utf8.count > Limits.nameBytes {
      Trap.stop("\(place): the name is longer than \(Limits.nameBytes) bytes.")
    }
  }

  /// Rule 2.
  private func validateMapping() {
    guard type.isMapped, type.type == .link, let target = type.target else { return }
    Trap.stop(
      "\(place): its type is mapped to '\(ModelClass.name(of: target))', whose objects stand on "
        + "their own. A mapped type is stored as a scalar or as an EmbeddedObject.")
  }

  /// Rule 11.
  private func validateContainer() {
    switch (type.collection, type.type) {
    case (.list, .embedded) where type.isOptional:
      Trap.stop("\(place): a List cannot hold optional embedded objects; write List<T>.")
    case (.list, .link) where type.isOptional:
      Trap.stop("\(place): a List cannot hold optional objects; write List<Model>.")
    case (.set, .embedded):
      Trap.stop("\(place): a MutableSet cannot hold embedded objects; use a List or a Map.")
    case (.set, .link) where type.isOptional:
      Trap.stop("\(place): a MutableSet cannot hold optional objects; write MutableSet<Model>.")
    case (.map, .link) where !type.isOptional:
      Trap.stop("\(place): the objects of a Map must be optional; write Map<String, Model?>.")
    case (.map, .embedded) where !type.isOptional && !type.isMapped:
      Trap.stop("\(place): the objects of a Map must be optional; write Map<String, Model?>.")
    case (_, .any) where type.isOptional:
      Trap.stop("\(place): an AnyValue is never optional; nil is its case 'none'.")
    case (.none, _), (.list, _), (.set, _), (.map, _): break
    }
  }

  private func validateKeyAndIndex() {
    guard isPrimaryKey || index == .value else { return }
    let what = isPrimaryKey ? "a primary key" : "indexed"
    guard type.collection == .none, Self.keyTypes(isPrimaryKey).contains(type.type) else {
      Trap.stop(
        "\(place) cannot be \(what): a '\(valueType)' is stored as \(type.type). Possible are "
          + "\(Self.keyTypes(isPrimaryKey).map(\.description).joined(separator: ", ")).")
    }
  }

  /// Rule 58.
  private static func keyTypes(_ isPrimaryKey: Bool) -> [PersistedType] {
    let keys: [PersistedType] = [.int, .string, .uuid, .objectId]
    return isPrimaryKey ? keys : keys + [.bool, .date, .any]
  }
}
