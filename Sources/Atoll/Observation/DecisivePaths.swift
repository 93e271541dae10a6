import AtollStorage

/// What decides which objects a query has and in which order, where it can be followed: the objects'
/// own columns, what they link to, and what is in their collections.
struct DecisivePaths {
  private let classID: ClassID
  /// The collection whose elements are queried, if it is not the whole class.
  private let collection: StoreQuery.Collection?
  /// Of the objects' own class, what no link leads from.
  private var columns = ColumnSet()
  private var links: Set<ObservedPath> = []

  /// Nil if anything else decides: any-typed values, what links to the objects, other queries.
  init?(_ query: StoreQuery, of table: Table) {
    guard query.base == nil, let conditions = query.predicate.ways else { return nil }
    classID = table.classID
    collection = query.collection
    for steps in conditions + (query.order.map(\.path) + query.distinct).map(\.steps) {
      guard let way = ObservedPath(steps, from: table) else { return nil }
      if way.hops.count == 1, way.hops[0].target == nil {
        columns.formUnion(way.hops[0].columns)
      } else {
        links.insert(way)
      }
    }
  }

  /// The objects that some commits may have brought, taken away or moved, ascending; nil if they may
  /// have done so with others too.
  func doubtful(_ effects: CommitEffects, in store: Store) throws(Store.Error) -> [RowID]? {
    if let collection {
      let owners = effects.changes(of: collection.owner)
      // Which elements there are is not said.
      if owners.isWhole || owners.modified[collection.id] != nil { return nil }
    }
    let changes = effects.changes(of: classID)
    if changes.isWhole { return nil }
    var doubtful = changes.inserted.union(changes.deleted)
    for (id, written) in changes.modified where !written.isDisjoint(with: columns) {
      doubtful.insert(id)
    }
    for link in links {
      let changed = try ChangedObjects(along: link, effects, in: store, withArrivals: true)
      guard let ids = changed.ids else { return nil }
      doubtful.formUnion(ids)
    }
    return doubtful.sorted()
  }
}
