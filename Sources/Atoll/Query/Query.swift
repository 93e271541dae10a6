import AtollQuery
import AtollStorage
import AtollVocabulary

/// A condition in the making: a way to a property, or what is demanded of it.
///
/// The closure of ``Results/where(_:)`` gets one for an object of the class. Its members are the
/// class's properties; operators turn them into conditions:
///
/// ```swift
/// airports.where { $0.country.code == "CH" && $0.elevation > Measurement(value: 1000, unit: .meters) }
/// airports.where { $0.runways.length >= 3000 || $0.runways.count == 0 }
/// ```
///
/// Operands have the property's own type; `persistableValue` leads to the stored type instead. Nil
/// equals nil, is at least and at most nil, and differs from everything else. What is
/// asked of a property of a collection's elements is asked for some element.
@dynamicMemberLookup
public struct Query<T> {
  let term: QueryTerm

  init(_ term: QueryTerm) { self.term = term }

  /// A condition of its own: no conjunction of others, whose depth ``joining(_:_:)`` knows.
  init(_ predicate: Predicate, _ store: Store?) {
    self.init(predicate, store, depth: predicate.depth)
  }

  init(_ predicate: Predicate, _ store: Store?, depth: Int) {
    guard depth <= Limits.predicateDepth else {
      Trap.stop(
        "Making a query: its conditions are more than \(Limits.predicateDepth) inside one another. "
          + "Join them side by side, with the operators && and || from left to right.")
    }
    term = .condition(predicate, store, depth: depth)
  }
}

/// The term that a ``Query`` has become.
enum QueryTerm {
  case path(QueryPath)
  /// The store is for the text of the condition.
  case condition(Predicate, Store?, depth: Int)
}

extension Query {
  var store: Store? {
    switch term {
    case .path(let path): path.store
    case .condition(_, let store, _): store
    }
  }

  /// The way, where it is one.
  func path(_ doing: @autoclosure () -> String) -> QueryPath {
    guard case .path(let path) = term else {
      Trap.stop("\(doing()): a condition is no property. Name the property before comparing.")
    }
    return path
  }
}

/// A way from the queried class to a property, in terms of the file.
struct QueryPath {
  /// Nil for the count of a subquery.
  let store: Store?
  /// The name of the queried objects in messages.
  let root: String
  /// The collections that the way has crossed, each seen from the one before.
  private(set) var collections: [PropertyPath] = []
  /// From the element of the last collection crossed, or from the queried object.
  private(set) var path = PropertyPath(scope: 0)
  /// The expression in place of the path: a count, an aggregate, or a computed number.
  var aggregate: Predicate.Expression?
  /// The last property as it was declared; nil for the object itself.
  private(set) var type: _PropertyType?
  /// The class that the way has led to; nil at a scalar.
  private(set) var table: Table?
  /// True if the way ends at a list, set or map as a whole.
  private(set) var isCollection = false
  private var names: [String] = []

  /// The queried object.
  init(store: Store, root: Table) {
    self.store = store
    self.root = root.model.name
    table = root
  }

  /// The queried element of a collection.
  init(store: Store, element type: _PropertyType, root: String) {
    self.store = store
    self.root = root
    self.type = type
    table = type.target.map { store.table(of: $0, "Querying '\(root)'") }
  }

  /// The count of a subquery.
  init(count: Predicate.Expression) {
    store = nil
    root = "SUBQUERY"
    aggregate = count
  }

  /// The way as a reader would write it.
  var text: String { ([root] + names).joined(separator: ".") }

  /// True if operands are of a mapped type.
  var isMapped: Bool { type?.isMapped ?? false }

  var expression: Predicate.Expression { aggregate ?? .path(path) }

  // MARK: Further

  func appending(_ name: String) -> QueryPath {
    var way = isCollection ? crossing : self
    guard store != nil, let table = way.table, aggregate == nil else {
      Trap.stop("Querying '\(root)': '\(text)' is a value and has no '\(name)'.")
    }
    if let linking = table.model.linkingProperty(named: name) {
      return way.appending(linking, name)
    }
    guard let property = table.model.property(named: name) else {
      let names = table.model.properties.map(\.name).joined(separator: ", ")
      Trap.stop(
        "Querying '\(root)': class '\(table.model.name)' has no property '\(name)'. "
          + "It has: \(names).")
    }
    guard let stored = table.step(to: property) else {
      Trap.stop("Querying '\(root)': \(property.place) is not stored.")
    }
    way.path.steps.append(.property(stored))
    way.type = property.type
    way.isCollection = property.type.collection != .none
    way.names.append(name)
    way.table = stored.target.flatMap { table.neighbour($0) }
    return way
  }

  /// The way to the objects that link here by a property of theirs.
  private func appending(_ linking: LinkingProperty, _ name: String) -> QueryPath {
    var way = self
    let origin = store?.table(of: linking.origin, "Querying '\(text).\(name)'")
    guard let origin, let property = origin.model.property(named: linking.originProperty),
      let stored = origin.step(to: property)
    else { Trap.stop("Querying '\(root)': \(linking.property.place) links to nothing stored.") }
    way.path.steps.append(.origins(stored))
    way.type = linking.property.type
    way.table = origin
    way.isCollection = true
    way.names.append(name)
    return way
  }

  /// The same way to what is stored.
  var persisted: QueryPath {
    var way = self
    way.type?.isMapped = false
    return way
  }

  /// The way to an element of the collection that it ends at.
  var crossing: QueryPath {
    guard isCollection else { return self }
    var way = self
    way.collections.append(path)
    way.path = PropertyPath(scope: way.collections.count)
    way.isCollection = false
    return way
  }

  /// The way to the keys of the map that it ends at, each of this type.
  func keys(_ type: _PropertyType) -> QueryPath {
    var way = crossing
    way.path.isEntryKey = true
    way.type = type
    way.table = nil
    way.names.append("@allKeys")
    return way
  }

  /// The way to what the map, or the any-typed value, has at a place.
  func appending(_ step: PropertyPath.Step) -> QueryPath {
    var way = self
    way.path.steps.append(step)
    way.isCollection = false
    return way
  }

  /// The way to some element of what an any-typed value holds.
  var wildcard: QueryPath {
    var way = self
    way.collections.append(path.appending(.wildcard))
    way.path = PropertyPath(scope: way.collections.count)
    return way
  }

  /// The way with a count or an aggregate of its last collection at its end.
  func aggregating(
    _ make: (_ collection: PropertyPath, _ member: PropertyPath) -> Predicate.Expression
  )
    -> QueryPath
  {
    var way = crossing
    guard let collection = way.collections.popLast(), aggregate == nil else {
      Trap.stop("Querying '\(root)': '\(text)' is one value, of which there is no aggregate.")
    }
    way.aggregate = make(collection, way.path)
    return way
  }

  /// The way to the number made of this one and another.
  func computing(_ operation: Predicate.Operation, with other: QueryPath) -> QueryPath {
    let (a, b) = (crossing, other.crossing)
    guard a.collections.isEmpty || b.collections.isEmpty else {
      Trap.stop(
        "Querying '\(root)': '\(text) \(operation.rawValue) \(other.text)': one side only may lead "
          + "through a collection.")
    }
    var way = a.collections.isEmpty ? b : a
    way.aggregate = bounded(
      .computed(
        a.expression.deepened(by: b.collections.count, from: 1), operation,
        b.expression.deepened(by: a.collections.count, from: 1)))
    return way
  }

  /// The way to the number made of this one and a constant, which is the first where asked.
  func computing(
    _ operation: Predicate.Operation, _ value: _Stored, isFirst: Bool = false
  ) -> QueryPath {
    var way = crossing
    guard let constant = constant(value) else {
      Trap.stop("Querying '\(root)': an object is no number to compute with.")
    }
    way.aggregate = bounded(
      isFirst
        ? .computed(constant, operation, way.expression)
        : .computed(way.expression, operation, constant))
    return way
  }

  private func bounded(_ expression: Predicate.Expression) -> Predicate.Expression {
    guard expression.terms <= Limits.computedTerms else {
      Trap.stop(
        "Querying '\(root)': a number is computed from more than \(Limits.computedTerms) properties "
          + "and constants. Store the sum in a property, or compute it from the results.")
    }
    return expression
  }

  // MARK: Conditions

  /// A condition on the value at the end, for some element of each collection crossed.
  func some(_ condition: (QueryPath) -> Predicate) -> Predicate {
    let way = crossing
    return way.collections.reversed().reduce(condition(way)) { .exists($1, $0) }
  }
}

extension Table {
  func step(to property: PropertyDescriptor) -> StoredProperty? {
    if property.isPrimaryKey { return stored.key }
    return stored.property(
      named: property.columnName, type: property.type.type, collection: property.type.collection)
  }
}

/// The file's predicates, not those of Foundation.
typealias Predicate = AtollQuery.Predicate
