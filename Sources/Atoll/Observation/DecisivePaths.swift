import AtollStorage

/// What decides which objects a query has and in which order, where it can be followed: the objects'
/// own columns, and what they link to.
struct DecisivePaths {
  private let classID: ClassID
  /// Of the objects' own class, what no link leads from.
  private var columns = ColumnSet()
  private var links: [ObservedPath] = []

  /// Nil if anything else decides: elements of collections, any-typed values, other queries.
  init?(_ query: StoreQuery, of table: Table) {
    guard query.base == nil, query.collection == nil else { return nil }
    classID = table.classID
    for path in query.predicate.paths + query.order.map(\.path) + query.distinct {
      guard let way = ObservedPath(path, from: table) else { return nil }
      if way.hops.count == 1, way.hops[0].target == nil {
        columns.formUnion(way.hops[0].columns)
      } else {
        links.append(way)
      }
    }
  }

  /// The objects that some commits may have brought, taken away or moved, ascending; nil if they may
  /// have done so with others too.
  func doubtful(_ effects: CommitEffects, in store: Store) throws(Store.Error) -> [RowID]? {
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
