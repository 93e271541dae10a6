import AtollQuery
import AtollStorage
import AtollVocabulary

/// The changed objects of a class, as seen along paths that lead to other objects.
struct ChangedObjects {
  /// Nil for every object.
  private(set) var ids: Set<RowID>? = []

  init() {}

  mutating func formUnion(_ other: ChangedObjects) {
    guard let more = other.ids else { return ids = nil }
    ids?.formUnion(more)
  }

  func contains(_ id: RowID) -> Bool { ids?.contains(id) ?? true }

  /// The search that finds them among others.
  var search: RowSearch { RowSearch(either: ids) }

  /// Objects that changed along one path: themselves, or what they link to or linked to.
  ///
  /// With arrivals also those that linked already to an object that has only come now, as it can be
  /// with what peers send.
  init(
    along path: ObservedPath, _ effects: CommitEffects, in store: Store,
    withArrivals: Bool = false
  ) throws(Store.Error) {
    for hop in path.hops.reversed() {
      var targets = ids ?? []
      if let target = hop.target.map(effects.changes) {
        targets.formUnion(target.deleted)
        if withArrivals { targets.formUnion(target.inserted) }
      }
      if ids != nil, !targets.isEmpty { ids = try hop.linking(to: targets, in: store) }
      let changes = effects.changes(of: hop.classID)
      if changes.isWhole || hop.target.map({ effects.changes(of: $0).isWhole }) == true {
        ids = nil
      }
      let own = changes.modified.filter { !$0.value.isDisjoint(with: hop.columns) }.keys
      ids?.formUnion(own)
    }
  }

  /// Objects of a class that changed in any property, or that link, in up to four steps, to some
  /// that did, or linked to some that were deleted.
  init(
    reaching links: ObservedLinks, _ effects: CommitEffects, in store: Store
  ) throws(Store.Error) {
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
    ids = changed[links.classID] ?? []
    for depth in 1..<ObservedLinks.maximumDepth + 1 {
      var next: [ClassID: Set<RowID>] = [:]
      for link in links.all where links.isWithin(link, depth) {
        var targets = changed[link.target] ?? []
        if depth == 1 { targets.formUnion(effects.changes(of: link.target).deleted) }
        if targets.isEmpty { continue }
        guard let found = try link.hop.linking(to: targets, in: store) else {
          ids = nil
          return
        }
        next[link.hop.classID, default: []].formUnion(found)
      }
      ids?.formUnion(next[links.classID] ?? [])
      changed = next
    }
  }
}

extension ObservedPath.Hop {
  /// The number of objects that are sought at a time.
  private static let batch = 512

  /// The class that the hop's link leads to.
  var target: ClassID? { properties.last.flatMap { $0.type == .link ? $0.target : nil } }

  /// The objects that link by the hop to any of these rows, alive or not; nil for all, where they
  /// are too many to seek.
  func linking(to targets: Set<RowID>, in store: Store) throws(Store.Error) -> Set<RowID>? {
    guard let last = properties.last, target != nil else { return [] }
    if targets.count > 20 * Self.batch { return nil }
    var found: Set<RowID> = []
    var rest = Array(targets)[...]
    while !rest.isEmpty {
      let some = Array(rest.prefix(Self.batch)).filledUp
      rest = rest.dropFirst(Self.batch)
      do {
        found.formUnion(try store.file.ids(StoreQuery(classID, where: isLinked(to: some, last))))
      } catch {
        throw Store.Error(error)
      }
    }
    return found
  }

  private func isLinked(to some: [RowID], _ last: StoredProperty) -> Predicate {
    let path = PropertyPath(properties)
    if last.collection == .none { return .linked(path, some) }
    return .exists(path, .linked(PropertyPath(scope: 1), some))
  }
}
