import AtollStorage

/// What an observer was last shown, and how the present differs from it.
///
/// Used where its results may be used.
struct ResultsTracker<Element: Object> {
  let results: Results<Element>
  private var shown: [RowID] = []
  private var number = CommitNumber(0)
  /// The classes whose objects can change the results.
  private let region: Set<ClassID>

  init(_ results: Results<Element>) {
    self.results = results
    region = results.query.region
  }

  private var store: Store { results.store }

  /// Takes the present as shown.
  mutating func start() throws(Store.Error) {
    store.moveOn()
    number = store.commitNumber
    shown = try ids()
  }

  /// Moves the store on; nil if nothing of the results changed.
  mutating func advance() throws(Store.Error) -> ResultsDifference? {
    store.moveOn()
    if store.commitNumber == number { return nil }
    let effects = try effects()
    number = store.commitNumber
    guard effects.isWhole || !effects.classes.isDisjoint(with: region) else { return nil }
    let before = shown
    shown = try effects.isWhole || !isEverything ? ids() : effects.applied(to: before)
    let difference = ResultsDifference(
      from: before, to: shown, isAscending: results.query.order.isEmpty,
      isModified: { effects.isWhole || effects.modified.contains($0) })
    return difference.isEmpty ? nil : difference
  }

  /// Whether the results are all objects of the class: then the effects alone say how they change.
  private var isEverything: Bool {
    results.query == StoreQuery(results.table.classID)
  }

  private func ids() throws(Store.Error) -> [RowID] {
    do {
      return try store.file.ids(results.query)
    } catch {
      throw Store.Error(error)
    }
  }

  private func effects() throws(Store.Error) -> Effects {
    do {
      guard let commits = try store.file.effects(after: number) else {
        return Effects(isWhole: true)
      }
      var effects = Effects()
      for changes in commits.flatMap(\.changes) {
        effects.classes.insert(changes.classID)
        if changes.classID == results.table.classID { effects.add(changes) }
      }
      return effects
    } catch {
      throw Store.Error(error)
    }
  }
}

/// What several commits did, as far as one class is concerned.
private struct Effects {
  /// Every class that changed.
  var classes: Set<ClassID> = []
  /// The file does not say any more what changed.
  var isWhole = false
  var inserted: Set<RowID> = []
  var deleted: Set<RowID> = []
  var modified: Set<RowID> = []

  mutating func add(_ changes: ClassChanges) {
    if changes.isWhole { isWhole = true }
    inserted.formUnion(changes.inserted)
    modified.formUnion(changes.modified.lazy.map(\.id))
    for id in changes.deleted where inserted.remove(id) == nil { deleted.insert(id) }
  }

  /// The rows of the class after the commits; both lists ascend.
  func applied(to rows: [RowID]) -> [RowID] {
    var rows = deleted.isEmpty ? rows : rows.filter { !deleted.contains($0) }
    let new = inserted.sorted()
    let isAppending = rows.last.map { last in new.first.map { last < $0 } ?? true } ?? true
    rows += new
    if !isAppending { rows.sort() }
    return rows
  }
}

extension Store {
  /// Shows the newest state; inside a transaction it is shown already.
  func moveOn() {
    if !file.isWriting { refresh() }
  }
}

extension StoreQuery {
  /// The class itself and every class that a path of the query leads through.
  var region: Set<ClassID> {
    var region: Set<ClassID> = [source]
    for path in order.map(\.path) + predicate.paths {
      region.formUnion(path.steps.compactMap(\.target))
    }
    return region
  }
}

extension Predicate {
  var paths: [PropertyPath] {
    switch self {
    case .always, .never: []
    case .all(let parts), .any(let parts): parts.flatMap(\.paths)
    case .not(let part): part.paths
    case .comparison(let path, _, .path(let other)): [path, other]
    case .comparison(let path, _, .value), .comparison(let path, _, .object): [path]
    case .contained(let path, _), .text(let path, _, _): [path]
    }
  }
}
