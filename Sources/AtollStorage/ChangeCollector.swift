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

  var isEmpty: Bool { classes.allSatisfy(\.isEmpty) }

  mutating func insert(_ id: Int64, of classID: ClassID) {
    change(classID) { $0.inserted.append(id) }
  }

  mutating func delete(_ id: Int64, of classID: ClassID) {
    change(classID) { $0.deleted.append(id) }
  }

  mutating func modify(_ id: Int64, of classID: ClassID, column: Int) {
    change(classID) { $0.modified[id, default: ColumnSet()].insert(column) }
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
