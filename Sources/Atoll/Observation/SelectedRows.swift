import AtollQuery
import AtollStorage
import AtollVocabulary

/// The rows that a query selects, kept up with commits at the cost of what these changed.
///
/// If ``DecisivePaths`` name the deciding columns, only the objects in which they were written are
/// queried anew; other writes do not matter. Where the place of a row depends on values, it is
/// sought among the others. Only if many rows changed for few that there are, or if rows depend on
/// others, the query is asked again as soon as anything that it looks at was written.
struct SelectedRows {
  private let followed: FollowedQuery
  private(set) var ids = ChunkedArray<RowID>()

  /// Rows that are asked for together; statements for so many are kept.
  private static let groupSize = 64

  init(_ query: StoreQuery, of table: Table) { followed = FollowedQuery(query, of: table) }

  var query: StoreQuery { followed.query }
  /// The classes whose objects decide which rows there are, and in which order.
  var region: Set<ClassID> { followed.region }

  mutating func read(in store: Store) throws(Store.Error) {
    ids = ChunkedArray(try store.ids(query))
  }

  /// Follows some commits; `modified` are objects whose changes the observer wants to hear of.
  mutating func follow(
    _ effects: CommitEffects, _ modified: ChangedObjects, in store: Store
  ) throws(Store.Error) -> ResultsDifference {
    let doubtful = try followed.doubtful(effects, in: store)
    if doubtful?.isEmpty == true {
      return ResultsDifference(modifications: indices(of: modified))
    }
    if followed.areSeparate, let doubtful {
      if query.isByRow, query.limit == nil {
        let selected = try selected(doubtful, effects.changes(of: query.source), in: store)
        return move(doubtful, selected, modified)
      }
      if let replacement = try replace(doubtful, in: store) {
        return ResultsDifference(
          replacement, modifications: indices(of: modified, knowing: replacement.places))
      }
    }
    let before = ids
    try read(in: store)
    return ResultsDifference(
      from: Array(before), to: Array(ids), isAscending: query.isByRow,
      isModified: modified.contains)
  }

  /// Places each row anew that some commits may have brought, taken away or moved.
  ///
  /// Nil, with nothing done, if the query has to be asked for all.
  private mutating func replace(
    _ rows: [RowID], in store: Store
  ) throws(Store.Error) -> RowReplacement? {
    guard FollowedQuery.areFew(rows, of: ids.count) else { return nil }
    var present = ids
    let taken = RowSearch(rows).indices(in: ids)
    var replacement = RowReplacement(taken: taken.map { (ids[$0], $0) })
    for index in taken.reversed() { present.remove(at: index) }
    var whole = query
    whole.limit = nil
    let placing = RowPlacing(query: whole, others: present, store: store)
    guard let placed = try placing.places(of: rows) else { return nil }
    replacement.placed = placed
    if let limit = query.limit, ids.count == limit {
      // The rows after the last of the others may come after objects that were never read.
      let known = present.count + placed.count { $0.gap < present.count }
      if known < limit { return nil }
    }
    for (offset, place) in placed.enumerated() { present.insert(place.row, at: place.gap + offset) }
    cut(&present, &replacement)
    ids = present
    return replacement
  }

  /// Lets go what has come to be beyond the limit.
  private func cut(_ present: inout ChunkedArray<RowID>, _ replacement: inout RowReplacement) {
    guard let limit = query.limit, present.count > limit else { return }
    while present.count > limit {
      let row = present.remove(at: present.count - 1)
      if replacement.placed.last?.row == row {
        replacement.placed.removeLast()
      } else {
        replacement.taken += RowSearch([row]).indices(in: ids).map { (row, $0) }
      }
    }
    replacement.taken.sort { $0.index < $1.index }
  }

  /// Returns the objects that the query has now.
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

  /// Returns the indices of objects, ascending; some are known.
  private func indices(
    of modified: ChangedObjects, knowing places: [RowID: Int] = [:]
  ) -> [Int] {
    guard let rows = modified.ids else { return Array(ids.indices) }
    if query.isByRow { return rows.compactMap { ids.index(ofRow: $0) }.sorted() }
    let others = RowSearch(rows.filter { places[$0] == nil }).indices(in: ids)
    return (others + rows.compactMap { places[$0] }).sorted()
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
  func among(_ rows: some Sequence<RowID>) -> StoreQuery {
    let numbers = Array(rows).filledUp.map { PersistedValue.int($0.rawValue) }
    return adding(.contained(PropertyPath(scope: 0), numbers))
  }
}

extension [RowID] {
  /// The same rows, the last repeated up to a power of two: few statements then serve lists of every
  /// length.
  var filledUp: [RowID] {
    guard let last else { return [] }
    let size = 1 << (Int.bitWidth - (count - 1).leadingZeroBitCount)
    return self + repeatElement(last, count: size - count)
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
