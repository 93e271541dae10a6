import AtollStorage

/// The rows that a query selects, kept up with commits at the cost of what these changed.
///
/// Where only an object's own columns decide whether it is among the rows, only the objects whose
/// columns were written are asked anew; what was written besides does not matter. Where the place of
/// a row depends on values, the place of one row is sought among the others; for several, and in
/// queries through links, the query is asked again as soon as anything that decides was written.
struct SelectedRows {
  let query: StoreQuery
  private(set) var ids = ChunkedArray<RowID>()
  /// The classes whose objects decide which rows there are, and in which order.
  let region: Set<ClassID>
  /// The columns of the class that decide, if nothing else does.
  private let decisive: ColumnSet?
  /// Whether each row is there or not whatever others are, in the order of the row ids.
  private let areSeparate: Bool
  /// Whether each row is there or not whatever others are, in the order of the query.
  private let areOrdered: Bool

  /// Changed objects beyond which asking the query again is cheaper than asking for each.
  private static let bound = 64

  init(_ query: StoreQuery, of table: Table) {
    self.query = query
    region = query.region
    decisive = query.decisiveColumns(of: table.stored)
    areOrdered = query.distinct.isEmpty && query.limit == nil && query.offset == 0
    areSeparate = areOrdered && query.isByRow
  }

  mutating func read(in store: Store) throws(Store.Error) {
    ids = ChunkedArray(try store.ids(query))
  }

  /// Follows some commits; `modified` are objects whose changes the observer wants to hear of.
  mutating func follow(
    _ effects: CommitEffects, _ modified: ChangedObjects, in store: Store
  ) throws(Store.Error) -> ResultsDifference {
    let changes = effects.changes(of: query.source)
    if let doubtful = doubtful(changes) {
      if doubtful.isEmpty { return ResultsDifference(modifications: indices(of: modified)) }
      if areSeparate, let selected = try selected(doubtful, changes, in: store) {
        return move(doubtful, selected, modified)
      }
      if areOrdered, doubtful.count == 1 {
        return try place(doubtful[0], modified, in: store)
      }
    } else if !effects.touches(region) {
      return ResultsDifference(modifications: indices(of: modified))
    }
    let before = ids
    try read(in: store)
    return ResultsDifference(
      from: Array(before), to: Array(ids), isAscending: query.isByRow,
      isModified: modified.contains)
  }

  /// The objects that may have come or gone; nil if others may have too.
  private func doubtful(_ changes: CommitEffects.Changes) -> [RowID]? {
    guard let decisive, !changes.isWhole else { return nil }
    let written = changes.modified.lazy.filter { !$0.value.isDisjoint(with: decisive) }.map(\.key)
    return changes.inserted.union(changes.deleted).union(written).sorted()
  }

  /// Which of the objects the query has now; nil if it is cheaper to ask it for all.
  private func selected(
    _ doubtful: [RowID], _ changes: CommitEffects.Changes, in store: Store
  ) throws(Store.Error) -> Set<RowID>? {
    if query.predicate == .always { return changes.inserted }
    guard doubtful.count <= Self.bound else { return nil }
    return Set(try store.ids(query.among(doubtful)))
  }

  /// Lets one row go to its place in the order; the others keep theirs to each other.
  private mutating func place(
    _ row: RowID, _ modified: ChangedObjects, in store: Store
  ) throws(Store.Error) -> ResultsDifference {
    let before = ids.indices(of: row).first
    if let before { ids.remove(at: before) }
    var after: Int?
    if try !store.ids(query.among([row])).isEmpty {
      var (low, high) = (0, ids.count)
      while low < high {
        let middle = (low + high) / 2
        if try store.ids(query.among([ids[middle], row])).first == row {
          high = middle
        } else {
          low = middle + 1
        }
      }
      ids.insert(row, at: low)
      after = low
    }
    var difference = ResultsDifference(modifications: indices(of: modified))
    if before == after { return difference }
    difference.deletions = before.map { [$0] } ?? []
    difference.insertions = after.map { [$0] } ?? []
    if let before, let after { difference.moves = [.init(from: before, to: after)] }
    difference.modifications.removeAll { $0 == after }
    return difference
  }

  /// Lets rows go and come by number; costs nothing for those that stay.
  private mutating func move(
    _ doubtful: [RowID], _ selected: Set<RowID>, _ modified: ChangedObjects
  ) -> ResultsDifference {
    var difference = ResultsDifference()
    var isNew: Set<RowID> = []
    for row in doubtful {
      let isThere = ids.index(ofRow: row) != nil
      if !isThere, selected.contains(row) { isNew.insert(row) }
    }
    difference.deletions = doubtful.compactMap {
      selected.contains($0) ? nil : ids.index(ofRow: $0)
    }
    for index in difference.deletions.reversed() { ids.remove(at: index) }
    for row in isNew.sorted() { ids.insert(row, at: ids.place(ofRow: row)) }
    difference.insertions = isNew.sorted().compactMap { ids.index(ofRow: $0) }
    difference.modifications = indices(of: modified).filter { !isNew.contains(ids[$0]) }
    return difference
  }

  /// Where the objects are, ascending.
  private func indices(of modified: ChangedObjects) -> [Int] {
    guard let rows = modified.ids else { return Array(ids.indices) }
    if rows.isEmpty { return [] }
    if query.isByRow { return rows.compactMap { ids.index(ofRow: $0) }.sorted() }
    guard let low = rows.min(), let high = rows.max() else { return [] }
    if low == high { return ids.indices(of: low) }
    return ids.indices { $0 >= low && $0 <= high && rows.contains($0) }
  }
}

extension ChunkedArray<RowID> {
  /// Where a row is, by numbers: comparing row ids would be a call for each.
  fileprivate func indices(of row: RowID) -> [Int] {
    let number = row.rawValue
    return indices { $0.rawValue == number }
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
  fileprivate func among(_ rows: [RowID]) -> StoreQuery {
    adding(.contained(PropertyPath(scope: 0), rows.map { .int($0.rawValue) }))
  }

  /// The columns of the objects' own class that decide which of them the query has, and where.
  ///
  /// Nil if anything else decides: other objects, or elements of collections.
  fileprivate func decisiveColumns(of stored: StoredClass) -> ColumnSet? {
    guard base == nil, collection == nil else { return nil }
    var columns = ColumnSet()
    for path in predicate.paths + order.map(\.path) + distinct {
      guard path.scope == 0 else { return nil }
      var way: [PropertyID] = []
      for step in path.steps {
        guard case .property(let property) = step, property.collection == .none,
          property.type != .link, property.type != .any
        else { return nil }
        way.append(property.id)
      }
      for (index, column) in stored.columns.enumerated()
      where column.properties.map(\.id).starts(with: way) { columns.insert(index) }
    }
    return columns
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
