import AtollQuery
import AtollStorage
import AtollVocabulary

/// A query, and what of a commit can matter to which rows it has, and in which order.
struct FollowedQuery {
  let query: StoreQuery
  /// The classes whose objects decide which rows there are, and in which order.
  let region: Set<ClassID>
  private let decisive: DecisivePaths?
  /// True if each row is there once or not at all, whatever others are, but for those beyond a limit.
  let areSeparate: Bool

  /// Rows that are always placed one by one, and how many of all there are may be.
  private static let (fewRows, fewOfAll) = (48, 64)

  init(_ query: StoreQuery, of table: Table) {
    self.query = query
    decisive = DecisivePaths(query, of: table)
    region = query.region.union(decisive?.populations ?? [])
    areSeparate = query.distinct.isEmpty && query.offset == 0 && query.collection == nil
  }

  /// The objects that may have come, gone or moved, ascending; nil if others may have too.
  func doubtful(
    _ effects: CommitEffects, in store: Store
  ) throws(Store.Error) -> [RowID]? {
    guard effects.touches(region) else { return [] }
    return try decisive?.doubtful(effects, in: store)
  }

  /// Tells whether placing so many rows one by one costs less than asking for all.
  static func areFew(_ rows: some Collection, of all: Int) -> Bool {
    rows.count <= min(max(fewRows, all / fewOfAll), Limits.effectObjects)
  }
}
