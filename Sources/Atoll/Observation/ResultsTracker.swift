import AtollStorage
import AtollVocabulary

/// The contents that an observer of results was last shown, and the difference to the present ones.
struct ResultsTracker<Element: Object>: ChangeTracker {
  let results: Results<Element>
  private let parts: ObservedParts
  private var shown: SelectedRows
  /// The classes whose changes can matter.
  private let reach: Set<ClassID>
  private(set) var number = CommitNumber(0)
  private(set) var details = ChangeDetails()

  /// `paths` are what the observer asked for; nil for everything that the objects have and link to.
  init(_ results: Results<Element>, _ paths: [String]? = nil) {
    self.results = results
    parts = ObservedParts(paths, of: results.table)
    shown = SelectedRows(results.query, of: results.table)
    reach = shown.region.union(parts.classes)
  }

  var store: Store { results.store }

  static func failure(_ error: Store.Error) -> ResultsChange<Results<Element>>? { .error(error) }

  mutating func start() throws(Store.Error) -> ResultsChange<Results<Element>>? {
    store.moveOn()
    number = store.commitNumber
    try shown.read(in: store)
    return .initial(results)
  }

  mutating func advance() throws(Store.Error) -> ResultsChange<Results<Element>>? {
    store.moveOn()
    if store.commitNumber == number { return nil }
    let effects = try store.effects(after: number)
    number = store.commitNumber
    guard effects.touches(reach) else { return nil }
    let difference = try shown.follow(
      effects, try parts.changed(effects, in: store), in: store)
    if difference.isEmpty { return nil }
    details = ChangeDetails(origins: effects.origins, moves: difference.moves)
    return .update(
      results, deletions: difference.deletions, insertions: difference.insertions,
      modifications: difference.modifications)
  }
}
