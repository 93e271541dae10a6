import AtollStorage

/// What several commits did together.
struct CommitEffects {
  struct Changes {
    /// More objects changed than were named.
    var isWhole = false
    var inserted: Set<RowID> = []
    var deleted: Set<RowID> = []
    var modified: [RowID: ColumnSet] = [:]
  }

  /// The file does not say any more what changed.
  private(set) var isWhole = false
  private(set) var classes: [ClassID: Changes] = [:]

  init(after number: CommitNumber, in store: Store) throws(Store.Error) {
    do {
      guard let commits = try store.file.effects(after: number) else {
        isWhole = true
        return
      }
      for changes in commits.flatMap(\.changes) {
        classes[changes.classID, default: Changes()].add(changes)
      }
    } catch {
      throw Store.Error(error)
    }
  }

  /// What happened to the objects of a class.
  func changes(of classID: ClassID) -> Changes {
    if isWhole { return Changes(isWhole: true) }
    return classes[classID] ?? Changes()
  }

  func touches(_ region: Set<ClassID>) -> Bool {
    isWhole || classes.keys.contains { region.contains($0) }
  }
}

extension CommitEffects.Changes {
  fileprivate mutating func add(_ changes: ClassChanges) {
    if changes.isWhole { isWhole = true }
    inserted.formUnion(changes.inserted)
    for modification in changes.modified {
      modified[modification.id, default: ColumnSet()].formUnion(modification.columns)
    }
    for id in changes.deleted where inserted.remove(id) == nil { deleted.insert(id) }
  }

  /// The rows of the class after the commits; both lists ascend.
  func applied(to rows: [RowID]) -> [RowID] {
    var rows = deleted.isEmpty ? rows : rows.filter { !deleted.contains($0) }
    let new = inserted.sorted()
    let isAppending = rows.last.map { last in new.first.map { last < $0 } ?? true } ?? true
    rows += new
    if !isAppending { rows.sort() }
    return rows
  }
}
