import AtollVocabulary

/// Gathers what a transaction does to objects, for its commit.
struct ChangeCollector {
  private struct Changes {
    var inserted: [Int64] = []
    var deleted: [Int64] = []
    var modified: [Int64: ColumnSet] = [:]
    var isWhole = false

    var isEmpty: Bool { !isWhole && inserted.isEmpty && deleted.isEmpty && modified.isEmpty }

    /// Gives up naming objects one by one when there are too many.
    mutating func bound() {
      guard inserted.count + deleted.count + modified.count > Limits.effectObjects else { return }
      self = Changes(isWhole: true)
    }
  }

  /// By class number; of most nothing.
  private var classes: [Changes] = []

  /// The columns of each class that a full-text or spatial index is about.
  var searched: [ClassID: ColumnSet] = [:]
  /// Rows of those classes whose indexes may not say what the rows do.
  private(set) var unindexed: [ClassID: Set<Int64>] = [:]
  private(set) var unindexedCount = 0

  var isEmpty: Bool { classes.allSatisfy(\.isEmpty) }

  mutating func insert(_ id: Int64, of classID: ClassID) {
    if !searched.isEmpty { addSearched(id, of: classID) }
    change(classID) { $0.inserted.append(id) }
  }

  mutating func delete(_ id: Int64, of classID: ClassID) {
    if !searched.isEmpty { addSearched(id, of: classID) }
    change(classID) { $0.deleted.append(id) }
  }

  mutating func modify(_ id: Int64, of classID: ClassID, column: Int) {
    if !searched.isEmpty { addSearched(id, of: classID, column: column) }
    change(classID) { $0.modified[id, default: ColumnSet()].insert(column) }
  }

  private mutating func addSearched(_ id: Int64, of classID: ClassID, column: Int? = nil) {
    guard let columns = searched[classID], column.map({ columns.contains($0) }) ?? true,
      unindexed[classID, default: []].insert(id).inserted
    else { return }
    unindexedCount += 1
  }

  /// Hands over the rows whose indexes are now brought up to date.
  mutating func takeUnindexed() -> [ClassID: Set<Int64>] {
    defer { (unindexed, unindexedCount) = ([:], 0) }
    return unindexed
  }

  @inline(__always)
  private mutating func change(_ classID: ClassID, _ body: (inout Changes) -> Void) {
    let index = Int(classID.rawValue)
    while classes.count <= index { classes.append(Changes()) }
    if classes[index].isWhole { return }
    body(&classes[index])
    classes[index].bound()
  }

  /// The changes in the order and form of a commit.
  func finish() -> [ClassChanges] {
    classes.indices.compactMap { index in
      let changes = classes[index]
      if changes.isEmpty { return nil }
      let inserted = Set(changes.inserted)
      let deleted = Set(changes.deleted)
      let modified = changes.modified.keys.sorted()
        .filter { !inserted.contains($0) && !deleted.contains($0) }
      return ClassChanges(
        classID: ClassID(Int32(index)), isWhole: changes.isWhole,
        inserted: inserted.subtracting(deleted).sorted().map(RowID.init),
        deleted: deleted.subtracting(inserted).sorted().map(RowID.init),
        modified: modified.map {
          .init(id: RowID($0), columns: changes.modified[$0] ?? ColumnSet())
        })
    }
  }
}
