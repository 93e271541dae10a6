import AtollStorage

/// Which objects of a class changed, as seen along paths that lead to other objects.
struct ChangedObjects {
  /// Nil for every object.
  private(set) var ids: Set<RowID>? = []

  init() {}

  mutating func formUnion(_ other: ChangedObjects) {
    guard let more = other.ids else { return ids = nil }
    ids?.formUnion(more)
  }

  func contains(_ id: RowID) -> Bool { ids?.contains(id) ?? true }

  /// Objects that changed along one path: themselves, or what they link to.
  init(along path: ObservedPath, _ effects: CommitEffects, in store: Store) throws(Store.Error) {
    for hop in path.hops.reversed() {
      if let changed = ids, !changed.isEmpty { ids = try hop.linking(to: changed, in: store) }
      let changes = effects.changes(of: hop.classID)
      if changes.isWhole { ids = nil }
      let own = changes.modified.filter { !$0.value.isDisjoint(with: hop.columns) }.keys
      ids?.formUnion(own)
    }
  }

  /// Objects of a class that changed in any property, or that link, in up to four steps, to some
  /// that did.
  init(of table: Table, _ effects: CommitEffects, in store: Store) throws(Store.Error) {
    let links = Links(leadingFrom: table.classID, in: store)
    var changed: [ClassID: Set<RowID>] = [:]
    for (classID, changes) in effects.classes where links.distances[classID] != nil {
      if changes.isWhole {
        ids = nil
        return
      }
      changed[classID] = Set(changes.modified.keys)
    }
    if effects.isWhole {
      ids = nil
      return
    }
    ids = changed[table.classID] ?? []
    for depth in 1..<Links.maximumDepth + 1 {
      var next: [ClassID: Set<RowID>] = [:]
      for link in links.all
      where depth + (links.distances[link.hop.classID] ?? depth)
        <= Links.maximumDepth
      {
        guard let targets = changed[link.target], !targets.isEmpty else { continue }
        let found = try link.hop.linking(to: targets, in: store) ?? []
        next[link.hop.classID, default: []].formUnion(found)
      }
      ids?.formUnion(next[table.classID] ?? [])
      changed = next
    }
  }
}

/// The links among the classes of a store, as far as an observer of one class looks.
private struct Links {
  struct Link {
    var hop: ObservedPath.Hop
    var target: ClassID
  }

  /// How many links deep an observer of a collection looks.
  static let maximumDepth = 4

  private(set) var all: [Link] = []
  /// How many links lead from the observed class to each other; absent if they are too many.
  private(set) var distances: [ClassID: Int]

  init(leadingFrom classID: ClassID, in store: Store) {
    for table in store.tables where !table.model.isEmbedded {
      for column in table.stored.columns {
        guard let last = column.properties.last, last.type == .link, let target = last.target
        else { continue }
        all.append(
          Link(
            hop: .init(classID: table.classID, properties: column.properties, columns: ColumnSet()),
            target: target))
      }
    }
    distances = [classID: 0]
    for depth in 1..<Self.maximumDepth + 1 {
      for link in all where distances[link.hop.classID] == depth - 1 {
        if distances[link.target] == nil { distances[link.target] = depth }
      }
    }
  }
}

extension ObservedPath.Hop {
  /// How many objects are sought at a time.
  private static let batch = 500

  /// The objects that link by the hop to any of these; nil for all, where they are too many to seek.
  func linking(to targets: Set<RowID>, in store: Store) throws(Store.Error) -> Set<RowID>? {
    guard let last = properties.last, last.type == .link, let target = last.target else {
      return []
    }
    if targets.count > 20 * Self.batch { return nil }
    var found: Set<RowID> = []
    var rest = Array(targets)[...]
    while !rest.isEmpty {
      let some = rest.prefix(Self.batch).map { Predicate.Expression.object($0, of: target) }
      rest = rest.dropFirst(Self.batch)
      do {
        found.formUnion(try store.file.ids(StoreQuery(classID, where: isLinked(to: some, last))))
      } catch {
        throw Store.Error(error)
      }
    }
    return found
  }

  private func isLinked(to some: [Predicate.Expression], _ last: StoredProperty) -> Predicate {
    let path = PropertyPath(properties)
    if last.collection == .none { return .contained(.path(path), some) }
    return .exists(path, .contained(.path(PropertyPath(scope: 1)), some))
  }
}
