extension Persisted where Value.PersistedType: _Indexable {
  /// Declares a property that queries can find without reading every object.
  @inlinable public init(indexed: Bool) { self.init(value: nil, traits: indexed ? .indexed : []) }

  /// Declares an indexed property that starts with `wrappedValue`.
  @inlinable public init(wrappedValue: Value, indexed: Bool) {
    self.init(value: wrappedValue, traits: indexed ? .indexed : [])
  }
}

/// The index of the words of texts, which ``Query/search(_:)`` and `TEXT` need.
public enum FullTextIndex: Sendable {
  /// An index of words.
  case fullText
}

extension Persisted where Value.PersistedType: _TextSearchable {
  /// Declares a text that can be searched by its words.
  @inlinable public init(indexed: FullTextIndex) { self.init(value: nil, traits: .fullText) }

  /// Declares a text that can be searched by its words and starts with `wrappedValue`.
  @inlinable public init(wrappedValue: Value, indexed: FullTextIndex) {
    self.init(value: wrappedValue, traits: .fullText)
  }
}

/// The index of where embedded points lie, which `geoWithin(_:)` of a ``Query`` then looks into first.
public enum SpatialIndex: Sendable {
  /// An index of places.
  case spatial
}

/// Marks persisted types that may be points: embedded objects.
public protocol _Spatial {}

extension EmbeddedObject: _Spatial {}
extension Optional: _Spatial where Wrapped: _Spatial {}

extension Persisted where Value.PersistedType: _Spatial {
  /// Declares a point that areas find without looking at every object.
  @inlinable public init(indexed: SpatialIndex) { self.init(value: nil, traits: .spatial) }

  /// Declares a point that areas find and that starts with `wrappedValue`.
  @inlinable public init(wrappedValue: Value, indexed: SpatialIndex) {
    self.init(value: wrappedValue, traits: .spatial)
  }
}

extension Persisted where Value.PersistedType: _PrimaryKey {
  /// Declares the property that names the object among those of its class.
  @inlinable public init(primaryKey: Bool) {
    self.init(value: nil, traits: primaryKey ? .primaryKey : [])
  }

  /// Declares the primary key with a value to start with.
  @inlinable public init(wrappedValue: Value, primaryKey: Bool) {
    self.init(value: wrappedValue, traits: primaryKey ? .primaryKey : [])
  }
}
