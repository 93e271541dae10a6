package import AtollVocabulary

/// A query for objects of a class: condition, order, and number.
///
/// Without an order, and among equals, objects come by row id, which is the order in which this
/// file first heard of them; those of a collection come in its order. Ascending order puts nil first
/// and NaN last.
package struct StoreQuery: Hashable, Sendable {
  package struct Order: Hashable, Sendable {
    package var path: PropertyPath
    package var isAscending: Bool

    package init(_ path: PropertyPath, isAscending: Bool = true) {
      self.path = path
      self.isAscending = isAscending
    }
  }

  /// The collection of one object whose elements are queried instead of a whole class.
  package struct Collection: Hashable, Sendable {
    package var owner: ClassID
    package var id: RowID
    package var path: FieldPath

    package init(owner: ClassID, id: RowID, path: FieldPath) {
      self.owner = owner
      self.id = id
      self.path = path
    }
  }

  /// The class of the objects; for a collection of values, of the object that has it.
  package var source: ClassID
  package var collection: Collection?
  package var predicate: Predicate
  package var order: [Order]
  /// Of objects that agree in all of these only the first in the order is taken.
  package var distinct: [PropertyPath]
  package var offset: Int
  package var limit: Int?
  /// At most one: only objects that this query has are taken.
  private var bases: [StoreQuery] = []
  /// Queries that this one chooses from, each from the next, and itself.
  package private(set) var levels = 1

  package init(
    _ source: ClassID, in collection: Collection? = nil, where predicate: Predicate = .always,
    order: [Order] = [], distinct: [PropertyPath] = [], offset: Int = 0, limit: Int? = nil
  ) {
    self.source = source
    self.collection = collection
    self.predicate = predicate
    self.order = order
    self.distinct = distinct
    self.offset = offset
    self.limit = limit
  }
}

extension StoreQuery {
  /// The query whose objects this one chooses from; nil for all there are.
  package var base: StoreQuery? { bases.first }

  package var limitValue: PersistedValue { .int(Int64(limit ?? -1)) }
  package var offsetValue: PersistedValue { .int(Int64(offset)) }

  /// True if objects come by row id.
  package var isByRow: Bool { order.isEmpty && collection == nil }

  /// True if a further condition would choose from fewer objects than the query's own does.
  private var isCut: Bool { !distinct.isEmpty || limit != nil || offset != 0 }

  /// A query that chooses from what this one has, in the same order.
  package var narrowed: StoreQuery {
    guard isCut else { return self }
    var query = StoreQuery(source, in: collection, order: order)
    query.bases = [self]
    query.levels = levels + 1
    return query
  }

  /// The objects of the query that satisfy a condition too.
  package func adding(_ condition: Predicate) -> StoreQuery {
    var query = narrowed
    query.predicate = query.predicate.and(condition)
    return query
  }

  /// The objects of the query ordered anew; equal ones as they were ordered before.
  package func sorted(by order: [Order]) -> StoreQuery {
    var query = narrowed
    query.order = order + query.order.filter { old in !order.contains { $0.path == old.path } }
    return query
  }

  /// The first object of each that agree in all paths.
  package func distinct(by paths: [PropertyPath]) -> StoreQuery {
    var query = narrowed
    query.distinct = paths
    return query
  }

  /// The first objects of the query.
  package func limited(to count: Int) -> StoreQuery {
    var query = self
    query.limit = min(query.limit ?? count, count)
    return query
  }

  /// Every class whose objects decide what the query has.
  package var region: Set<ClassID> {
    var region: Set<ClassID> = [source]
    if let collection { region.insert(collection.owner) }
    region.formUnion(predicate.keyedClasses)
    for path in order.map(\.path) + distinct + predicate.paths { region.formUnion(path.targets) }
    return base.map { region.union($0.region) } ?? region
  }
}
