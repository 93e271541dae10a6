public import Atoll
public import Dispatch

/// The common interface of collections that have values by keys: `Map` alone.
///
/// Conformances are the library's own. What a query gives depends on the values: `Results` of
/// the objects that optional values lead to, `ValueResults` of other values.
public protocol RealmKeyedCollection<Key, Value>: Sequence, ThreadConfined, Equatable,
  CustomStringConvertible, SendableMetatype, _Aggregated
{
  /// The type of the keys.
  associatedtype Key: _MapKey
  /// The type of the values.
  associatedtype Value: RealmCollectionValue

  /// The number of entries.
  var count: Int { get }

  /// The keys, ascending by their bytes.
  var keys: [Key] { get }

  /// The values, in the order of the keys.
  var values: [Value] { get }

  /// The value of a key, nil if there is none; nil as a new value removes the entry.
  subscript(key: Key) -> Value? { get nonmutating set }

  /// Gives a key a value.
  func updateValue(_ value: Value, forKey key: Key)

  /// Removes the entry of a key, if there is one.
  func removeObject(for key: Key)

  /// Removes every entry.
  func removeAll()

  /// Tells whether an entry satisfies a condition.
  func contains(where predicate: (_ key: Key, _ value: Value) throws -> Bool) rethrows -> Bool

  /// The stored value of a key.
  func value(forKey key: String) -> Any?

  /// The stored value at the end of a path of names, of which the first is a key.
  func value(forKeyPath keyPath: String) -> Any?

  /// Gives a key a value, in mapped or in persisted form; nil removes the entry.
  func setValue(_ value: Any?, forKey key: String)

  /// Calls `block` with the map, and again with the keys that changed.
  func observe(
    keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping @Sendable (RealmMapChange<Self>) -> Void
  ) -> NotificationToken

  /// Calls `block` in an actor, with it.
  func observe<A: Actor>(
    keyPaths: [String]?, on actor: A,
    _ block: @escaping @Sendable (isolated A, RealmMapChange<Self>) -> Void
  ) -> NotificationToken

  /// The objects that the values lead to, as results; stops where no store manages them.
  func _objectResults<Model: Object>(_ doing: String) -> Results<Model>

  /// The values as results; stops where no store manages them.
  func _valueResults(_ doing: String) -> ValueResults<Value>
}

extension Map: RealmKeyedCollection {
  public func _objectResults<Model: Object>(_ doing: String) -> Results<Model> { objects(doing) }
  public func _valueResults(_ doing: String) -> ValueResults<Value> { values(doing) }
}

extension RealmKeyedCollection {
  /// Calls `block` in an actor, with it.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A,
    _ block: @escaping @Sendable (isolated A, RealmMapChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: actor, block)
  }
}

extension RealmKeyedCollection where Value: _LinkValue, Value._Target: ObjectBase {
  /// Calls `block` in an actor whenever the map or what the key paths lead to changes.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Value._Target>], on actor: A,
    _ block: @escaping @Sendable (isolated A, RealmMapChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
  }
}

// MARK: - Objects

// Maps have these themselves, so these are not favoured.
extension RealmKeyedCollection where Value: _LinkValue {
  /// The objects that satisfy a condition, by their keys.
  @_disfavoredOverload
  public func `where`(
    _ isIncluded: (Query<Value._Target>) -> Query<Bool>
  ) -> Results<Value._Target> {
    _objectResults("Querying").where(isIncluded)
  }

  /// The objects that satisfy a predicate in text; see `Results.filter(_:_:)`.
  @_disfavoredOverload
  public func filter(_ predicate: String, _ arguments: Any?...) -> Results<Value._Target> {
    _objectResults("Querying").filter(predicate, given: arguments)
  }

  /// The objects by a property; equal ones by their keys.
  @_disfavoredOverload
  public func sorted(byKeyPath path: String, ascending: Bool = true) -> Results<Value._Target> {
    _objectResults("Sorting").sorted(byKeyPath: path, ascending: ascending)
  }

  /// The objects by several properties.
  @_disfavoredOverload
  public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<Value._Target> {
    _objectResults("Sorting").sorted(by: descriptors)
  }

  /// The first object of each that agree in all these properties.
  @_disfavoredOverload
  public func distinct(by paths: some Sequence<String>) -> Results<Value._Target> {
    _objectResults("Telling apart").distinct(by: paths)
  }
}

// MARK: - Values

extension RealmKeyedCollection where Value: _PropertyValue, Value.PersistedType: _Sortable {
  /// The values that satisfy a condition, by their keys.
  @_disfavoredOverload
  public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> ValueResults<Value> {
    _valueResults("Querying").where(isIncluded)
  }

  /// The values that satisfy a predicate in text about `SELF`.
  @_disfavoredOverload
  public func filter(_ predicate: String, _ arguments: Any?...) -> ValueResults<Value> {
    _valueResults("Querying").filter(predicate, given: arguments)
  }

  /// The values in order, by what is stored, nil first.
  @_disfavoredOverload
  public func sorted(ascending: Bool = true) -> ValueResults<Value> {
    _valueResults("Sorting").sorted(ascending: ascending)
  }

  /// Each value once, where its key is first.
  @_disfavoredOverload
  public func distinct() -> ValueResults<Value> { _valueResults("Telling apart").distinct() }
}

extension RealmKeyedCollection where Value: _PropertyValue, Value.PersistedType: _MinMaxable {
  /// The least value that is not nil; nil if there is none.
  @_disfavoredOverload
  public func min() -> Value? { aggregateOfElements(.minimum) }

  /// The greatest value that is not nil; nil if there is none.
  @_disfavoredOverload
  public func max() -> Value? { aggregateOfElements(.maximum) }
}

extension RealmKeyedCollection where Value: _PropertyValue, Value.PersistedType: _Addable {
  /// The sum of the values that are not nil, zero if there is none.
  @_disfavoredOverload
  public func sum() -> Value { sumOfElements() }

  /// The average as the type that the caller names; nil if there is none.
  @_disfavoredOverload
  public func average<Result: _ListElement & _PropertyValue>() -> Result?
  where Result.PersistedType: _Addable {
    aggregateOfElements(.average)
  }
}
