// The names of the Realm Swift API, for code that was written to it.
//
// The module decides nothing: every name here is an alias of one in `Atoll`, which is re-exported, so
// that a model and its data access compile with `import AtollRealm` in place of
// `import RealmSwift`. A name is here if what it stands for exists; of Realm's sync there is the
// session (`SyncSession`), and nothing of users, subscriptions and reset modes.

@_exported public import Atoll

/// Realm's name of ``Atoll/Store``.
public typealias Realm = Store

/// Realm's name of what objects and embedded objects have in common.
public typealias RealmObjectBase = ObjectBase

/// Realm's name of the types that a `List` can hold.
public typealias RealmCollectionValue = _ListElement

/// Realm's name of ``Atoll/AnyValue``.
public typealias AnyRealmValue = AnyValue

/// Realm's name of ``Atoll/PersistableEnum``.
public typealias RealmEnum = PersistableEnum

/// Realm's name of ``Atoll/ResultsChange``.
public typealias RealmCollectionChange = ResultsChange

/// Realm's name of ``Atoll/MapChange``.
public typealias RealmMapChange = MapChange

/// Realm's name of the types whose least and greatest a collection can tell.
public typealias MinMaxType = _MinMaxable

/// Realm's name of the types that a collection can add up.
public typealias AddableType = _Addable

/// Realm's name of the types that can be keys of a `Map`.
public typealias MapKeyType = _MapKey

extension ObjectBase {
  /// Realm's name of ``Atoll/ObjectBase/store``.
  public final var realm: Realm? { store }
}

extension CollectionBase {
  /// Realm's name of ``Atoll/CollectionBase/store``.
  public final var realm: Realm? { store }
}
