import Foundation

/// The changes of sections, and of the rows in those that stayed.
struct SectionsDifference {
  /// In the former sections, ascending.
  private(set) var deletions: [IndexPath] = []
  /// In the present sections, ascending.
  private(set) var (insertions, modifications): ([IndexPath], [IndexPath]) = ([], [])
  /// Former sections that are gone, and present ones that are new.
  private(set) var (gone, new): (IndexSet, IndexSet)

  /// `origins` are the former indices of the present sections, of which there were `count`; `rows` is
  /// what became of the rows in each.
  ///
  /// Sections that changed places among each other went and came; as many as possible stay.
  init(origins: [Int?], of count: Int, rows: [ResultsDifference]) {
    var isGone = [Bool](repeating: true, count: count)
    new = IndexSet()
    for (index, stays) in ResultsDifference.longestAscent(origins).enumerated() {
      guard stays, let origin = origins[index] else {
        new.insert(index)
        continue
      }
      isGone[origin] = false
      if rows[index].isEmpty { continue }
      deletions += rows[index].deletions.map { [origin, $0] }
      insertions += rows[index].insertions.map { [index, $0] }
      modifications += rows[index].modifications.map { [index, $0] }
    }
    gone = IndexSet(isGone.indices.filter { isGone[$0] })
  }

  var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && gone.isEmpty && new.isEmpty
  }
}
