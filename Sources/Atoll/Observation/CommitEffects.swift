import AtollStorage
import AtollVocabulary

/// The effects of several commits together.
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
  /// The origins of the commits; as far as the file still has them.
  private(set) var origins: Set<ChangeOrigin> = []

  init(after number: CommitNumber, in store: Store) throws(Store.Error) {
    do {
      guard let commits = try store.file.effects(after: number) else {
        isWhole = true
        return
      }
      for commit in commits {
        origins.formUnion(store.commitSignal.origins(of: commit))
        for changes in commit.changes {
          classes[changes.classID, default: Changes()].add(changes)
        }
      }
    } catch {
      throw Store.Error(error)
    }
  }

  /// Returns the changes to the objects of a class.
  func changes(of classID: ClassID) -> Changes {
    if isWhole { return Changes(isWhole: true) }
    return classes[classID] ?? Changes()
  }

  func touches(_ region: Set<ClassID>) -> Bool {
    isWhole || classes.keys.contains { region.contains($0) }
  }
}

extension CommitEffects.Changes {
  /// True if objects came or went, or more changed than were named.
  var areOfMembership: Bool { isWhole || !inserted.isEmpty || !deleted.isEmpty }

  fileprivate mutating func add(_ changes: ClassChanges) {
    if changes.isWhole { isWhole = true }
    for id in changes.inserted {
      // Deleted and made again, it is the same object with other values.
      if deleted.remove(id) == nil { inserted.insert(id) } else { modified[id] = .all }
    }
    for modification in changes.modified {
      modified[modification.id, default: ColumnSet()].formUnion(modification.columns)
    }
    for id in changes.deleted where inserted.remove(id) == nil { deleted.insert(id) }
  }
}

extension Store {
  /// Returns the effects between a commit and the one that the store shows.
  ///
  /// Observers of a store take turns, so that what one of them asks the next asks too.
  func effects(after number: CommitNumber) throws(Error) -> CommitEffects {
    if let recentEffects, recentEffects.after == number, recentEffects.upTo == commitNumber {
      return recentEffects.effects
    }
    let effects = try CommitEffects(after: number, in: self)
    recentEffects = (number, commitNumber, effects)
    return effects
  }
}
