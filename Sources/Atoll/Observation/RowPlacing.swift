import AtollQuery
import AtollStorage
import AtollVocabulary

/// The change of rows that were placed anew among others, which stayed as they were to each other.
struct RowReplacement {
  /// Those that had a place, with their old index, ascending.
  var taken: [(row: RowID, index: Int)] = []
  /// Those that have one now, in order; `gap` is how many of the others come before.
  var placed: [(row: RowID, gap: Int)] = []

  /// The present places of the rows that have one.
  var places: [RowID: Int] {
    var places: [RowID: Int] = [:]
    for (offset, place) in placed.enumerated() { places[place.row] = place.gap + offset }
    return places
  }

  /// The rows of `placed` that stayed where they were: between the same others, and in order among
  /// themselves.
  var areKept: [Bool] {
    var old: [RowID: (index: Int, gap: Int)] = [:]
    for (offset, (row, index)) in taken.enumerated() { old[row] = (index, index - offset) }
    return ResultsDifference.longestAscent(
      placed.map { place in
        guard let old = old[place.row], old.gap == place.gap else { return nil }
        return old.index
      })
  }
}

extension ResultsDifference {
  /// Makes the difference of a replacement; `modifications` are indices in the new list.
  init(_ replacement: RowReplacement, modifications: [Int]) {
    let kept = replacement.areKept
    var stayed: Set<RowID> = []
    var places: [RowID: Int] = [:]
    for (offset, place) in replacement.placed.enumerated() {
      if kept[offset] {
        stayed.insert(place.row)
      } else {
        insertions.append(place.gap + offset)
        places[place.row] = place.gap + offset
      }
    }
    for (row, index) in replacement.taken where !stayed.contains(row) {
      deletions.append(index)
      if let place = places[row] { moves.append(.init(from: index, to: place)) }
    }
    let inserted = Set(insertions)
    self.modifications = modifications.filter { !inserted.contains($0) }
  }
}

/// Seeks the places of some rows among others that are in the order of a query.
///
/// The rows are ordered by the query itself together with some of the others, evenly spaced, which
/// leaves each row a fraction of the places; and so on. A row among 100,000 takes five statements of
/// at most 16 rows, and several rows share the first of them.
struct RowPlacing<Others: RandomAccessCollection<RowID>> where Others.Index == Int {
  let query: StoreQuery
  /// In order; none of them is sought, and the query has them all.
  let others: Others
  let store: Store

  /// Others that are compared with at a time.
  private static var pivots: Int { 15 }

  /// The places of those rows that the query has, in its order.
  ///
  /// Nil if the query does not have one of the others, whose places are not to be relied on then.
  func places(of rows: [RowID]) throws(Store.Error) -> [(row: RowID, gap: Int)]? {
    try places(of: rows, in: 0...others.count)
  }

  private func places(
    of rows: [RowID], in gaps: ClosedRange<Int>
  ) throws(Store.Error) -> [(row: RowID, gap: Int)]? {
    let pivots = pivots(in: gaps)
    let ordered = try store.ids(query.among(rows + pivots.keys))
    var (found, group): ([(row: RowID, gap: Int)], [RowID]) = ([], [])
    var (start, met) = (gaps.lowerBound, 0)
    for row in ordered {
      guard let pivot = pivots[row] else {
        group.append(row)
        continue
      }
      guard pivot >= start, let places = try settle(group, in: start...pivot) else { return nil }
      found += places
      (group, start, met) = ([], pivot + 1, met + 1)
    }
    guard met == pivots.count, let rest = try settle(group, in: start...gaps.upperBound) else {
      return nil
    }
    return found + rest
  }

  /// The places of rows that are in order already.
  private func settle(
    _ group: [RowID], in gaps: ClosedRange<Int>
  ) throws(Store.Error) -> [(row: RowID, gap: Int)]? {
    if group.isEmpty { return [] }
    if gaps.count == 1 { return group.map { ($0, gaps.lowerBound) } }
    return try places(of: group, in: gaps)
  }

  /// Some of the others between the gaps, by their index.
  private func pivots(in gaps: ClosedRange<Int>) -> [RowID: Int] {
    let count = gaps.count - 1
    let number = min(Self.pivots, count)
    var pivots: [RowID: Int] = [:]
    for part in 0..<number {
      let index = gaps.lowerBound + (2 * part + 1) * count / (2 * number)
      pivots[others[index]] = index
    }
    return pivots
  }
}
