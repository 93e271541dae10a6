import AtollStorage
import AtollVocabulary

/// A condition in the making: a way to a property, or what is demanded of it.
///
/// The closure of ``Results/where(_:)`` gets one for an object of the class. Its members are the
/// class's properties; operators turn them into conditions:
///
/// ```swift
/// airports.where { $0.country.code == "CH" && $0.elevation > Measurement(value: 1000, unit: .meters) }
/// ```
///
/// Operands have the property's own type; `persistableValue` leads to the stored type instead. Nil
/// equals nil and differs from everything else; it is neither less nor greater than anything.
@dynamicMemberLookup
public struct Query<T> {
  let term: QueryTerm

  init(_ term: QueryTerm) { self.term = term }
}

/// What a ``Query`` has come to.
enum QueryTerm {
  case path(QueryPath)
  case condition(Predicate)
}

/// A way from the queried class to a property, in terms of the file.
struct QueryPath {
  let store: Store
  /// The queried class.
  let root: Table
  /// Empty for the object itself.
  var steps: [StoredProperty] = []
  /// The last property as it was declared; nil for the object itself.
  var property: PropertyDescriptor?
  /// The class that the way has led to; nil at a scalar.
  var table: Table?

  init(store: Store, root: Table) {
    self.store = store
    self.root = root
    table = root
  }

  func appending(_ name: String) -> QueryPath {
    guard let table else {
      Trap.stop("Querying '\(root.model.name)': '\(text)' is a value and has no '\(name)'.")
    }
    guard let property = table.model.property(named: name) else {
      let names = table.model.properties.map(\.name).joined(separator: ", ")
      Trap.stop(
        "Querying '\(root.model.name)': class '\(table.model.name)' has no property '\(name)'. "
          + "It has: \(names).")
    }
    guard property.type.collection == .none else {
      Trap.stop("Querying '\(root.model.name)': \(property.place) is a list.")
    }
    guard let stored = table.step(to: property) else {
      Trap.stop("Querying '\(root.model.name)': \(property.place) is not stored.")
    }
    var path = self
    path.steps.append(stored)
    path.property = property
    path.table = stored.target.flatMap { table.neighbour($0) }
    return path
  }

  /// The way as a reader would write it.
  var text: String { ([root.model.name] + steps.map(\.name)).joined(separator: ".") }
}

extension Table {
  func step(to property: PropertyDescriptor) -> StoredProperty? {
    if property.isPrimaryKey { return stored.key }
    return stored.property(
      named: property.columnName, type: property.type.type, collection: property.type.collection)
  }
}

// MARK: - Members

extension Query where T: ObjectBase {
  /// The query of a property.
  public subscript<Value: _PropertyValue>(
    dynamicMember path: KeyPath<T, Value>
  ) -> Query<Value> { member(path) }
}

extension Query {
  /// The query of a property of a linked or an embedded object; nil where there is none.
  public subscript<Target: ObjectBase, Value: _PropertyValue>(
    dynamicMember path: KeyPath<Target, Value>
  ) -> Query<Value> where T == Target? { member(path) }

  fileprivate func member<Owner: ObjectBase, Value>(
    _ path: KeyPath<Owner, Value>
  ) -> Query<Value> {
    guard case .path(let way) = term else {
      Trap.stop("A condition has no properties: name the property before comparing.")
    }
    return Query<Value>(
      .path(KeyPathNames.names(of: path).reduce(way) { $0.appending($1) }))
  }
}

extension Query where T: _Mapping {
  /// The query of the stored value of a mapped property.
  public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(term) }
}

extension Query where T: _OptionalMapping {
  /// The query of the stored value of an optional mapped property.
  public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(term) }
}

/// Marks optionals of mapped types.
public protocol _OptionalMapping {
  associatedtype PersistedType
}

extension Optional: _OptionalMapping where Wrapped: _Mapping & _PersistableValue {}
