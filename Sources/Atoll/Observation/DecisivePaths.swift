import AtollQuery
import AtollStorage
import AtollVocabulary

/// The columns that decide the objects of a query and their order, where they can be followed: the
/// objects' own columns, those that they link to, and those in their collections.
struct DecisivePaths {
  private let classID: ClassID
  /// The collection whose elements are queried, if it is not the whole class.
  private let collection: StoreQuery.Collection?
  /// Of the objects' own class, what no link leads from.
  private var columns = ColumnSet()
  private var links: Set<ObservedPath> = []
  /// Columns that decide too, but not of which objects: those of what links to an object.
  private var others: [ClassID: ColumnSet] = [:]
  /// Classes of which it decides, in the same way, which objects there are.
  private(set) var populations: Set<ClassID> = []

  /// Nil if anything else decides: objects in any-typed values, or another query.
  init?(_ query: StoreQuery, of table: Table) {
    guard query.base == nil, let conditions = query.predicate.ways else { return nil }
    classID = table.classID
    collection = query.collection
    for steps in conditions + (query.order.map(\.path) + query.distinct).map(\.steps) {
      guard record(steps, from: table) else { return nil }
    }
  }

  private mutating func record(_ steps: [PropertyPath.Step], from table: Table) -> Bool {
    var rest = steps[...]
    record(ObservedPath(taking: &rest, from: table))
    while case .origins(let property)? = rest.first {
      rest.removeFirst()
      guard let owner = table.neighbour(property.owner) else { return false }
      populations.insert(owner.classID)
      let link = ObservedPath.Hop(in: owner, [property])
      for hop in [link] + ObservedPath(taking: &rest, from: owner).hops {
        others[hop.classID, default: ColumnSet()].formUnion(hop.columns)
        if let target = hop.target { populations.insert(target) }
      }
    }
    // An any-typed value can lead to an object of any class.
    if steps.contains(where: \.isOfAny) { populations.formUnion(table.store.tables.map(\.classID)) }
    return rest.isEmpty
  }

  private mutating func record(_ way: ObservedPath) {
    if way.hops.count == 1, way.hops[0].target == nil {
      columns.formUnion(way.hops[0].columns)
    } else if !way.hops.isEmpty {
      links.insert(way)
    }
  }

  /// The objects that some commits may have brought, taken away or moved, ascending; nil if they may
  /// have done so with others too.
  func doubtful(_ effects: CommitEffects, in store: Store) throws(Store.Error) -> [RowID]? {
    guard canFollow(effects) else { return nil }
    let changes = effects.changes(of: classID)
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

  /// Tells whether it is known for which objects some commits may matter.
  private func canFollow(_ effects: CommitEffects) -> Bool {
    if let collection {
      // The effects do not say which elements there are.
      let owners = effects.changes(of: collection.owner)
      if owners.isWhole || owners.modified[collection.id] != nil { return false }
    }
    if effects.changes(of: classID).isWhole { return false }
    if populations.contains(where: { effects.changes(of: $0).areOfMembership }) { return false }
    return others.allSatisfy { classID, columns in
      let changes = effects.changes(of: classID)
      return !changes.isWhole && changes.modified.values.allSatisfy { $0.isDisjoint(with: columns) }
    }
  }
}

extension PropertyPath.Step {
  fileprivate var isOfAny: Bool {
    if case .property(let property) = self { property.type == .any } else { false }
  }
}
