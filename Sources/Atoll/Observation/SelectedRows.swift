import AtollStorage
import AtollVocabulary

/// The rows that a query selects, kept up with commits at the cost of what these changed.
///
/// Where ``DecisivePaths`` say what decides, only the objects for which it was written are asked anew;
/// what was written besides does not matter. Where the place of a row depends on values, it is sought
/// among the others. Only if many rows changed for few that there are, or if collections or a limit
/// decide, the query is asked again as soon as anything that it looks at was written.
struct SelectedRows {
  let query: StoreQuery
  private(set) var ids = ChunkedArray<RowID>()
  /// The classes whose objects decide which rows there are, and in which order.
  let region: Set<ClassID>
  private let decisive: DecisivePaths?
  /// Whether each row is there or not whatever others are, in the order of the row ids.
  private let areSeparate: Bool
  /// Whether each row is there or not whatever others are, in the order of the query.
  private let areOrdered: Bool

  /// Rows that are asked for together; statements for so many are kept.
  private static let groupSize = 64
  /// Rows that are always placed one by one, and how many of all there are may be.
  private static let (fewRows, fewOfAll) = (48, 64)

  init(_ query: StoreQuery, of table: Table) {
    self.query = query
    region = query.region
    decisive = DecisivePaths(query, of: table)
    areOrdered = query.distinct.isEmpty && query.limit == nil && query.offset == 0
    areSeparate = areOrdered && query.isByRow
  }

  mutating func read(in store: Store) throws(Store.Error) { take(try store.ids(query)) }

  /// Takes rows that somebody has read.
  mutating func take(_ rows: some Sequence<RowID>) { ids = ChunkedArray(rows) }

  /// Follows some commits; `modified` are objects whose changes the observer wants to hear of.
  mutating func follow(
    _ effects: CommitEffects, _ modified: ChangedObjects, in store: Store
  ) throws(Store.Error) -> ResultsDifference {
    if areSeparate, let rows = try doubtful(effects, in: store) {
      if rows.isEmpty { return ResultsDifference(modifications: indices(of: modified)) }
      let selected = try selected(rows, effects.changes(of: query.source), in: store)
      return move(rows, selected, modified)
    }
    if let replacement = try replace(effects, in: store) {
      return ResultsDifference(replacement, modifications: indices(of: modified))
    }
    let before = ids
    try read(in: store)
    return ResultsDifference(
      from: Array(before), to: Array(ids), isAscending: query.isByRow,
      isModified: modified.contains)
  }

  /// Follows some commits by placing each row anew that they may have brought, taken away or moved.
  ///
  /// Nil, with nothing done, if the query has to be asked for all.
  mutating func replace(
    _ effects: CommitEffects, in store: Store
  ) throws(Store.Error) -> RowReplacement? {
    guard areOrdered, let rows = try doubtful(effects, in: store) else { return nil }
    if rows.isEmpty { return RowReplacement() }
    let bound = min(max(Self.fewRows, ids.count / Self.fewOfAll), Limits.effectObjects)
    guard rows.count <= bound else { return nil }
    var others = ids
    let taken = others.indices(of: rows)
    var replacement = RowReplacement(taken: taken.map { (ids[$0], $0) })
    for index in taken.reversed() { others.remove(at: index) }
    let placing = RowPlacing(query: query, others: others, store: store)
    guard let placed = try placing.places(of: rows) else { return nil }
    replacement.placed = placed
    for (offset, place) in placed.enumerated() { others.insert(place.row, at: place.gap + offset) }
    ids = others
    return replacement
  }

  /// The objects that may have come, gone or moved; nil if others may have too.
  private func doubtful(
    _ effects: CommitEffects, in store: Store
  ) throws(Store.Error) -> [RowID]? {
    guard effects.touches(region) else { return [] }
    return try decisive?.doubtful(effects, in: store)
  }

  /// Which of the objects the query has now.
  private func selected(
    _ doubtful: [RowID], _ changes: CommitEffects.Changes, in store: Store
  ) throws(Store.Error) -> Set<RowID> {
    if query.predicate == .always { return changes.inserted }
    var selected: Set<RowID> = []
    var rest = doubtful[...]
    while !rest.isEmpty {
      selected.formUnion(try store.ids(query.among(rest.prefix(Self.groupSize))))
      rest = rest.dropFirst(Self.groupSize)
    }
    return selected
  }

  /// Lets rows go and come by number; costs nothing for those that stay.
  private mutating func move(
    _ doubtful: [RowID], _ selected: Set<RowID>, _ modified: ChangedObjects
  ) -> ResultsDifference {
    var difference = ResultsDifference()
    let new = doubtful.filter { selected.contains($0) && ids.index(ofRow: $0) == nil }
    difference.deletions = doubtful.compactMap {
      selected.contains($0) ? nil : ids.index(ofRow: $0)
    }
    for index in difference.deletions.reversed() { ids.remove(at: index) }
    for row in new { ids.insert(row, at: ids.place(ofRow: row)) }
    difference.insertions = new.compactMap { ids.index(ofRow: $0) }
    let isNew = Set(new)
    difference.modifications = indices(of: modified).filter { !isNew.contains(ids[$0]) }
    return difference
  }

  /// Where the objects are, ascending.
  func indices(of modified: ChangedObjects) -> [Int] {
    guard let rows = modified.ids else { return Array(ids.indices) }
    if query.isByRow { return rows.compactMap { ids.index(ofRow: $0) }.sorted() }
    return ids.indices(of: rows)
  }
}

extension ChunkedArray<RowID> {
  /// Where some rows are, ascending; looks at all, at a few nanoseconds each.
  fileprivate func indices(of rows: some Collection<RowID>) -> [Int] {
    guard let first = rows.first?.rawValue else { return [] }
    if rows.count == 1 { return indices { $0.rawValue == first } }
    let sought = Set(rows)
    // Most of the others are told by six bits.
    var bits: UInt64 = 0
    for row in sought { bits |= 1 << UInt64(row.rawValue & 63) }
    return indices { bits >> UInt64($0.rawValue & 63) & 1 == 1 && sought.contains($0) }
  }
}

extension RandomAccessCollection<RowID> where Index == Int {
  /// The first place whose row is not before `row`; rows ascend.
  fileprivate func place(ofRow row: RowID) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < row { low = middle + 1 } else { high = middle }
    }
    return low
  }

  fileprivate func index(ofRow row: RowID) -> Int? {
    let place = place(ofRow: row)
    return place < endIndex && self[place] == row ? place : nil
  }
}

extension StoreQuery {
  /// Those of some rows that the query has, in its order.
  ///
  /// The list is filled up to a power of two, so that few statements serve lists of every length.
  func among(_ rows: some Sequence<RowID>) -> StoreQuery {
    var numbers = rows.map { PersistedValue.int($0.rawValue) }
    if let last = numbers.last {
      let size = 1 << (Int.bitWidth - (numbers.count - 1).leadingZeroBitCount)
      numbers += repeatElement(last, count: size - numbers.count)
    }
    return adding(.contained(PropertyPath(scope: 0), numbers))
  }
}

extension Store {
  func ids(_ query: StoreQuery) throws(Error) -> [RowID] {
    do {
      return try file.ids(query)
    } catch {
      throw Error(error)
    }
  }
}
