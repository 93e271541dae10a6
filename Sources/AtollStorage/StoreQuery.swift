/// Which objects of a class, in which order, how many.
///
/// Without an order, and among equals, objects come by row id, which is the order in which this
/// file first heard of them. Ascending order puts nil first and NaN last.
package struct StoreQuery: Hashable, Sendable {
  package struct Order: Hashable, Sendable {
    package var path: PropertyPath
    package var isAscending: Bool

    package init(_ path: PropertyPath, isAscending: Bool = true) {
      self.path = path
      self.isAscending = isAscending
    }
  }

  package var source: ClassID
  package var predicate: Predicate
  package var order: [Order]
  package var offset: Int
  package var limit: Int?

  package init(
    _ source: ClassID, where predicate: Predicate = .always, order: [Order] = [], offset: Int = 0,
    limit: Int? = nil
  ) {
    self.source = source
    self.predicate = predicate
    self.order = order
    self.offset = offset
    self.limit = limit
  }
}
