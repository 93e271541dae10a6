extension Persisted where Value.PersistedType: _Indexable {
  /// Declares a property that queries can find without reading every object.
  @inlinable public init(indexed: Bool) { self.init(value: nil, traits: indexed ? .indexed : []) }

  /// Declares an indexed property that starts with `wrappedValue`.
  @inlinable public init(wrappedValue: Value, indexed: Bool) {
    self.init(value: wrappedValue, traits: indexed ? .indexed : [])
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
