// The names of the Realm Swift API, for code that was written to it.
//
// The module decides nothing: every name here is an alias of one in `Atoll`, which is re-exported, so
// that a model and its data access compile with `import AtollRealm` in place of
// `import RealmSwift`. A name is here if what it stands for exists; of Realm's sync there is the
// session (`SyncSession`), and nothing of users, subscriptions and reset modes.

@_exported public import Atoll

/// Realm's name of `Store`.
public typealias Realm = Store

/// Realm's name of what objects and embedded objects have in common.
public typealias RealmObjectBase = ObjectBase

/// Realm's name of the types that a `List` can hold.
public typealias RealmCollectionValue = _ListElement

/// Realm's name of `AnyValue`.
public typealias AnyRealmValue = AnyValue

/// Realm's name of `PersistableEnum`.
public typealias RealmEnum = PersistableEnum

/// Realm's name of `ResultsChange`.
public typealias RealmCollectionChange = ResultsChange

/// Realm's name of `MapChange`.
public typealias RealmMapChange = MapChange

/// Realm's name of the types whose least and greatest a collection can tell.
public typealias MinMaxType = _MinMaxable

/// Realm's name of the types that a collection can add up.
public typealias AddableType = _Addable

/// Realm's name of the types that can be keys of a `Map`.
public typealias MapKeyType = _MapKey

/// Realm's name of the types that a collection can be ordered by.
public typealias SortableType = _Sortable

/// Realm's name of the classes whose objects a store gives: every `Object`.
public protocol RealmFetchable: Object {}

extension Object: RealmFetchable {}

/// Realm's name of what older models had in a `RealmOptional`.
///
/// Only for code that names it: properties are declared as optionals, with `@Persisted`.
public protocol RealmOptionalType {}

extension Bool: RealmOptionalType {}
extension Int: RealmOptionalType {}
extension Int8: RealmOptionalType {}
extension Int16: RealmOptionalType {}
extension Int32: RealmOptionalType {}
extension Int64: RealmOptionalType {}
extension Float: RealmOptionalType {}
extension Double: RealmOptionalType {}

extension ThreadConfined {
  /// The store that manages this; nil if none does.
  public var realm: Realm? { _confiningStore }
}
