import AtollStorage
import AtollVocabulary

/// The difference of two lists of rows.
package struct ResultsDifference: Equatable {
  /// Indices in the old list, ascending.
  package var deletions: [Int] = []
  /// Indices in the new list, ascending.
  package var insertions: [Int] = []
  /// Indices in the new list, ascending, of rows that are in both.
  package var modifications: [Int] = []
  /// Rows that changed places: each is in both lists above, under these indices; by the old one.
  var moves: [ChangeDetails.Move] = []

  package init(modifications: [Int] = []) { self.modifications = modifications }

  package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

  /// Compares; `isAscending` says that both lists are in the order of the row ids.
  package init(
    from old: [RowID], to new: [RowID], isAscending: Bool, isModified: (RowID) -> Bool
  ) {
    if isAscending {
      merge(old, new, isModified)
    } else {
      match(old, new, isModified)
    }
  }

  /// Walks both ascending lists side by side.
  private mutating func merge(_ old: [RowID], _ new: [RowID], _ isModified: (RowID) -> Bool) {
    var before = 0
    var after = 0
    while before < old.count || after < new.count {
      if after == new.count || before < old.count && old[before] < new[after] {
        deletions.append(before)
        before += 1
      } else if before == old.count || new[after] < old[before] {
        insertions.append(after)
        after += 1
      } else {
        if isModified(new[after]) { modifications.append(after) }
        before += 1
        after += 1
      }
    }
  }

  /// Rows that changed places are deleted and inserted; as many as possible stay.
  private mutating func match(_ old: [RowID], _ new: [RowID], _ isModified: (RowID) -> Bool) {
    let origins = Self.origins(of: new, in: old)
    let kept = Self.longestAscent(origins)
    var isKept = [Bool](repeating: false, count: old.count)
    for (after, before) in origins.enumerated() {
      guard kept[after], let before else {
        insertions.append(after)
        if let before { moves.append(.init(from: before, to: after)) }
        continue
      }
      isKept[before] = true
      if isModified(new[after]) { modifications.append(after) }
    }
    deletions = isKept.indices.filter { !isKept[$0] }
    moves.sort { $0.from < $1.from }
  }

  /// Returns the former place of each row; for the first of equal ones, which lists can have, that
  /// of the first.
  private static func origins(of new: [RowID], in old: [RowID]) -> [Int?] {
    var places: [RowID: Int] = [:]
    var later: [RowID: [Int]] = [:]
    places.reserveCapacity(old.count)
    for (index, row) in old.enumerated().reversed() {
      if let next = places.updateValue(index, forKey: row) { later[row, default: []].append(next) }
    }
    return new.map { row in
      guard let place = places[row] else { return nil }
      places[row] = later.isEmpty ? nil : later[row]?.popLast()
      return place
    }
  }

  /// Marks a longest strictly ascending subsequence; nil is never part of it.
  static func longestAscent(_ values: [Int?]) -> [Bool] {
    // tails[n] is the index of the least value that ends an ascent of n + 1 values.
    var tails: [Int] = []
    var previous = [Int](repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
      guard let value else { continue }
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if let tail = values[tails[middle]], tail < value {
          low = middle + 1
        } else {
          high = middle
        }
      }
      if low > 0 { previous[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var marks = [Bool](repeating: false, count: values.count)
    var index = tails.last ?? -1
    while index >= 0 {
      marks[index] = true
      index = previous[index]
    }
    return marks
  }
}
