/// The number of a class in one file; local, stable for the life of the file.
package struct ClassID: Hashable, Sendable, Comparable {
  package let rawValue: Int32
  @inlinable package init(_ rawValue: Int32) { self.rawValue = rawValue }
  @inlinable package static func < (a: ClassID, b: ClassID) -> Bool { a.rawValue < b.rawValue }
}

/// The number of a property in one file; local, stable for the life of the file.
package struct PropertyID: Hashable, Sendable, Comparable {
  package let rawValue: Int32
  @inlinable package init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// The id of every primary key: keys are not cells and have no number of their own.
  package static let key = PropertyID(0)

  @inlinable package static func < (a: PropertyID, b: PropertyID) -> Bool {
    a.rawValue < b.rawValue
  }
}

/// An object's row: local, never used again, and another one in each generation of the object.
package struct RowID: Hashable, Sendable, Comparable {
  package let rawValue: Int64
  @inlinable package init(_ rawValue: Int64) { self.rawValue = rawValue }
  @inlinable package static func < (a: RowID, b: RowID) -> Bool { a.rawValue < b.rawValue }
}

/// A list element's row: local, not used again while its owner lives.
package struct ElementID: Hashable, Sendable, Comparable {
  package let rawValue: Int64
  @inlinable package init(_ rawValue: Int64) { self.rawValue = rawValue }
  @inlinable package static func < (a: ElementID, b: ElementID) -> Bool { a.rawValue < b.rawValue }
}

/// A property of a stored class: of a model, of a peer's, or of both.
///
/// Immutable, and a class only so that the many values that name one are small.
package final class StoredProperty: Sendable {
  package let id: PropertyID
  package let owner: ClassID
  /// Index in the owner's ``StoredClass/properties``, which only ever grow at the end; −1 for a key.
  package let position: Int
  package let name: String
  package let type: PersistedType
  package let collection: CollectionKind
  /// The class linked to or embedded; nil for scalars.
  package let target: ClassID?

  package init(
    id: PropertyID, owner: ClassID, position: Int, name: String, type: PersistedType,
    collection: CollectionKind, target: ClassID?
  ) {
    self.id = id
    self.owner = owner
    self.position = position
    self.name = name
    self.type = type
    self.collection = collection
    self.target = target
  }

  @inlinable package var isKey: Bool { id == .key }
}

extension StoredProperty: Hashable {
  @inlinable package static func == (a: StoredProperty, b: StoredProperty) -> Bool {
    a === b
      || a.id == b.id && a.owner == b.owner && a.position == b.position && a.name == b.name
        && a.type == b.type && a.collection == b.collection && a.target == b.target
  }

  @inlinable package func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(owner)
  }
}

/// One flat cell of a class: a property, or a property of what it embeds.
package struct StoredColumn: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case scalar(PersistedType)
    case link(ClassID)
    /// A to-one embedded object, present or not; its fields have columns of their own.
    case presence(ClassID)
    /// A list, set or map; always ``PersistedValue/null`` in rows, it has a table of its own.
    case collection(CollectionKind)
  }

  /// Property names from the object inwards.
  package let path: [String]
  /// The same way in properties.
  package let properties: [StoredProperty]
  package let kind: Kind

  package init(properties: [StoredProperty], kind: Kind) {
    self.path = properties.map(\.name)
    self.properties = properties
    self.kind = kind
  }
}

/// A class as a file holds it, with the columns of its rows.
///
/// A value: it stays usable when properties are added later, because ``properties`` and
/// ``columns`` only ever grow at the end.
package struct StoredClass: Hashable, Sendable {
  package let id: ClassID
  package let name: String
  package let isEmbedded: Bool
  package let keyType: PersistedType
  /// The primary key as a property, nil for hidden keys and where no model named it yet.
  package let key: StoredProperty?
  /// Without the key.
  package let properties: [StoredProperty]
  /// Index here is index in ``ObjectRow/columns`` and bit in ``ColumnSet``.
  package let columns: [StoredColumn]
  /// Those whose texts can be searched by words.
  package let fullText: Set<PropertyID>

  package init(
    id: ClassID, name: String, isEmbedded: Bool, keyType: PersistedType, key: StoredProperty?,
    properties: [StoredProperty], columns: [StoredColumn], fullText: Set<PropertyID> = []
  ) {
    self.id = id
    self.name = name
    self.isEmbedded = isEmbedded
    self.keyType = keyType
    self.key = key
    self.properties = properties
    self.columns = columns
    self.fullText = fullText
  }

  /// The key or a property of this name; the first declared where types clash.
  @inlinable package func property(named name: String) -> StoredProperty? {
    if let key, key.name == name { return key }
    return properties.first { $0.name == name }
  }

  /// The property of exactly this name, type and collection kind.
  @inlinable package func property(
    named name: String, type: PersistedType, collection: CollectionKind
  ) -> StoredProperty? {
    properties.first { $0.name == name && $0.type == type && $0.collection == collection }
  }

  /// The index of the column that these properties lead to.
  package func column(_ properties: [StoredProperty]) -> Int? {
    columns.firstIndex { $0.properties.map(\.id) == properties.map(\.id) }
  }
}
