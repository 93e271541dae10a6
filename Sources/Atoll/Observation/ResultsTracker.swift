import AtollStorage

/// What an observer of results was last shown, and how the present differs from it.
struct ResultsTracker<Element: Object>: ChangeTracker {
  let results: Results<Element>
  /// What the observer asked for; nil for everything that the objects have and link to.
  private let paths: [ObservedPath]?
  private var shown: [RowID] = []
  private var number = CommitNumber(0)
  /// The classes whose objects decide which objects the results have, and in which order.
  private let region: Set<ClassID>

  init(_ results: Results<Element>, _ paths: [String]? = nil) {
    self.results = results
    self.paths = paths?.map { ObservedPath($0, from: results.table, under: []) }
    region = results.query.region
  }

  private var store: Store { results.store }
  var hub: StoreHub { store.hub }

  static func failure(_ error: Store.Error) -> ResultsChange<Results<Element>> { .error(error) }

  mutating func start() throws(Store.Error) -> ResultsChange<Results<Element>>? {
    store.moveOn()
    number = store.commitNumber
    shown = try ids()
    return .initial(results)
  }

  mutating func advance() throws(Store.Error) -> ResultsChange<Results<Element>>? {
    store.moveOn()
    if store.commitNumber == number { return nil }
    let effects = try CommitEffects(after: number, in: store)
    number = store.commitNumber
    let modified = try modifiedObjects(effects)
    guard effects.touches(region) || modified.ids?.isEmpty != true else { return nil }
    let before = shown
    let own = effects.changes(of: results.table.classID)
    if isEverything, !own.isWhole {
      shown = own.applied(to: before)
    } else if effects.touches(region) {
      shown = try ids()
    }
    let difference = ResultsDifference(
      from: before, to: shown, isAscending: results.query.isByRow,
      isModified: modified.contains)
    if difference.isEmpty { return nil }
    return .update(
      results, deletions: difference.deletions, insertions: difference.insertions,
      modifications: difference.modifications)
  }

  /// Whether the results are all objects of the class: then the effects alone say how they change.
  private var isEverything: Bool {
    results.query == StoreQuery(results.table.classID)
  }

  private func modifiedObjects(
    _ effects: CommitEffects
  ) throws(Store.Error) -> ChangedObjects {
    guard let paths else { return try ChangedObjects(of: results.table, effects, in: store) }
    var changed = ChangedObjects()
    for path in paths {
      changed.formUnion(try ChangedObjects(along: path, effects, in: store))
    }
    return changed
  }

  private func ids() throws(Store.Error) -> [RowID] {
    do {
      return try store.file.ids(results.query)
    } catch {
      throw Store.Error(error)
    }
  }
}
