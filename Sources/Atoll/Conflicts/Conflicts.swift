import AtollStorage
import AtollVocabulary
public import Dispatch

/// The writes that were lost to concurrent ones, oldest first; live, as ``Results`` are.
///
/// ```swift
/// for conflict in store.conflicts where conflict.className == "Airport" {
///   print(conflict.propertyPath, conflict.losing.text, "lost to", conflict.winning.text)
/// }
/// ```
///
/// The ledger is this file's own: replicas agree on the objects, each keeps what it saw being lost, and
/// forgets the oldest of 4,096. A write is in it only if neither of the two had seen the other.
public struct Conflicts {
  let store: Store
  private let cache = Cache()

  private final class Cache {
    var changeCount: UInt64 = 0
    var numbers: [Int64] = []
  }

  init(store: Store) { self.store = store }

  /// Writes the lost value once more, as an ordinary new assignment that peers hear of, and takes the
  /// conflict out of the ledger.
  ///
  /// - Throws: ``Store/Error/Code/invalidValue`` if there is nothing to write to any more, or the value
  ///   was too large to be kept. The transaction goes on.
  public func restore(_ conflict: Conflict) throws(Store.Error) {
    try change("Restoring a lost value") { file throws(StorageError) in
      try file.restoreConflict(conflict.id)
    }
    // Any object may show another value now.
    store.version += 1
  }

  /// Takes a conflict out of the ledger, in a write transaction.
  public func dismiss(_ conflict: Conflict) throws(Store.Error) {
    try change("Dismissing a conflict") { file throws(StorageError) in
      try file.dismissConflict(conflict.id)
    }
  }

  private func change(
    _ doing: String, _ body: (StoreFile) throws(StorageError) -> Void
  ) throws(Store.Error) {
    store.checkAccess(doing)
    store.requireTransaction(doing)
    store.willChange()
    do throws(StorageError) {
      try body(store.file)
    } catch {
      throw Store.Error(error)
    }
  }

  /// The entries there are, ascending.
  var numbers: [Int64] {
    store.checkAccess("Reading conflicts")
    store.pin()
    return store.alone {
      if cache.changeCount != store.changeCount {
        cache.numbers = store.attempt("reading conflicts") {
          file throws(StorageError) in try file.conflictNumbers()
        }
        cache.changeCount = store.changeCount
      }
      return cache.numbers
    }
  }
}

extension Conflicts: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { numbers.count }

  public subscript(index: Int) -> Conflict {
    let number = numbers[index]
    let conflict = store.attempt("reading a conflict") {
      file throws(StorageError) in try file.conflict(number)
    }
    guard let conflict else {
      Trap.stop("Reading a conflict: number \(number) is in the ledger and cannot be read.")
    }
    return Conflict(conflict, in: store)
  }
}

extension Store {
  /// The writes that lost to concurrent ones, to be looked at, restored and dismissed.
  public var conflicts: Conflicts {
    checkAccess("Reading conflicts")
    return Conflicts(store: self)
  }
}

// MARK: - Observation

extension Conflicts {
  /// Calls `block` with the conflicts there are, and again whenever some come or go, as
  /// `observe` of ``Results`` does.
  public func observe(
    on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<Conflicts>) -> Void
  ) -> NotificationToken {
    observe(queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in the same way, and also says with whose changes conflicts came or went.
  public func observe(
    on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<Conflicts>, ChangeDetails) -> Void
  ) -> NotificationToken {
    observe(queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in an actor, with it.
  public func observe<A: Actor>(
    on actor: A, _ block: @escaping @Sendable (isolated A, ResultsChange<Conflicts>) -> Void
  ) -> NotificationToken {
    observe(TurnPlace(actor), ObserverBlock(in: actor, block))
  }

  private func observe(
    _ place: TurnPlace?, _ block: ObserverBlock<ResultsChange<Conflicts>>
  ) -> NotificationToken {
    store.checkAccess("Observing conflicts")
    let observers = store.observers(on: place)
    let own = observers.belongs(to: store) ? Confined(value: self) : nil
    return Observation<ConflictsTracker>(
      observers,
      make: { store throws(Store.Error) in ConflictsTracker(own?.value ?? store.conflicts) },
      block: block
    ).start()
  }

  /// The changes of the conflicts as an asynchronous sequence, beginning with those there are.
  public var changes: ObservedChanges<ResultsChange<Conflicts>> {
    store.checkAccess("Observing conflicts")
    return ObservedChanges { ConflictsTracker(self) }
  }
}

/// The contents that an observer of conflicts was last shown.
private struct ConflictsTracker: ChangeTracker {
  private let conflicts: Conflicts
  private var shown: [RowID] = []
  private(set) var number = CommitNumber(0)
  private(set) var details = ChangeDetails()

  init(_ conflicts: Conflicts) { self.conflicts = conflicts }

  var store: Store { conflicts.store }

  static func failure(_ error: Store.Error) -> ResultsChange<Conflicts>? { .error(error) }

  mutating func start() throws(Store.Error) -> ResultsChange<Conflicts>? {
    store.moveOn()
    number = store.commitNumber
    shown = conflicts.numbers.map { RowID($0) }
    return .initial(conflicts)
  }

  mutating func advance() throws(Store.Error) -> ResultsChange<Conflicts>? {
    store.moveOn()
    if store.commitNumber == number { return nil }
    let last = number
    number = store.commitNumber
    let before = shown
    shown = conflicts.numbers.map { RowID($0) }
    let difference = ResultsDifference(
      from: before, to: shown, isAscending: true, isModified: { _ in false })
    if difference.isEmpty { return nil }
    details = ChangeDetails(origins: try store.effects(after: last).origins)
    return .update(
      conflicts, deletions: difference.deletions, insertions: difference.insertions,
      modifications: [])
  }
}
