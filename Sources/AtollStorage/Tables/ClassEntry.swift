import AtollVocabulary

/// A class of the file, as this connection works with it.
final class ClassEntry {
  unowned let catalog: Catalog
  let id: ClassID
  let name: String
  let isEmbedded: Bool
  let keyType: PersistedType
  /// The word of its objects on replicas; nil for a class that is not about who may write.
  let owners: OwnersClass?
  /// The physical column of the key.
  let keyColumn: String
  /// The name of the key in a model; nil until one says so.
  var keyName: String?
  var properties: [StoredProperty] = []
  /// The table of its objects; for an embedded class, the order of its columns.
  var table: CellTable {
    guard let table = storedTable else {
      // A class is made together with its table, in one function; see `Catalog.load`.
      fatalError("class \(name) has no table")
    }
    return table
  }
  @exclusivity(unchecked) var storedTable: CellTable?

  /// The value of a nil key in `atoll_dead`, which has no NULL: none of the key's type.
  var nilKeySQL: String { keyType == .data ? "0" : "x''" }

  /// The next row id; nil when it must be read again.
  @exclusivity(unchecked) var nextID: Int64?
  /// True if there are tombstones or placeholders; nil when it must be read again.
  @exclusivity(unchecked) var hasIdentities: Bool?

  /// The cells that can hold links to its objects, each with an index by where they lead; nil if one has
  /// none, or any value may be such a link.
  var incomingLinks: [FieldNode]? {
    if let known = knownLinks, known.revision == catalog.revision { return known.nodes }
    let nodes = catalog.indexedLinks(to: id)
    knownLinks = (catalog.revision, nodes)
    return nodes
  }
  private var knownLinks: (revision: Int64, nodes: [FieldNode]?)?

  /// The class as digests have it.
  private(set) lazy var digest = makeDigest()

  private var cachedClass: StoredClass?

  init(
    catalog: Catalog, id: ClassID, name: String, isEmbedded: Bool, keyType: PersistedType,
    keyName: String?, keyColumn: String
  ) {
    self.catalog = catalog
    self.id = id
    self.name = name
    self.isEmbedded = isEmbedded
    self.keyType = keyType
    owners = OwnersClass(name: name, isEmbedded: isEmbedded, keyType: keyType)
    self.keyName = keyName
    self.keyColumn = keyColumn
  }

  /// Drops what other connections may have moved on.
  func forgetCounters() {
    nextID = nil
    hasIdentities = nil
  }

  func forgetClass() { cachedClass = nil }

  /// The value that other modules see.
  var storedClass: StoredClass {
    if let cachedClass { return cachedClass }
    let key = keyName.map {
      StoredProperty(
        id: .key, owner: id, position: -1, name: $0, type: keyType, collection: .none, target: nil)
    }
    let made = StoredClass(
      id: id, name: name, isEmbedded: isEmbedded, keyType: keyType, key: key,
      properties: properties,
      columns: table.nodes.map {
        StoredColumn(properties: $0.way.map(\.property), kind: $0.kind)
      },
      fullText: Set(properties.map(\.id)).intersection(catalog.indexes[.fullText] ?? []))
    cachedClass = made
    return made
  }
}
