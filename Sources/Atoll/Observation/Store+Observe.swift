import AtollStorage
import AtollVocabulary
public import Dispatch

extension Store {
  /// The notification of an observer of a whole store.
  public enum Notification: Hashable, Sendable {
    /// The store shows another state than before.
    case didChange
    /// There may be a newer state, which is shown after ``Store/refresh()``; only where
    /// ``Store/autorefresh`` is off.
    case refreshRequired
  }

  /// Calls `block` whenever the store shows another state, of any origin; for `queue`
  /// and the token see `observe` of ``Results``.
  @_disfavoredOverload
  public func observe(
    on queue: DispatchQueue? = nil, _ block: @escaping @Sendable (Notification, Store) -> Void
  ) -> NotificationToken {
    observe(
      queue.map(TurnPlace.init),
      ObserverBlock({ change in block(change.notification, change.store) }))
  }

  /// Calls `block` in the same way, and also says who made the change.
  public func observe(
    on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (Notification, Store, ChangeDetails) -> Void
  ) -> NotificationToken {
    observe(
      queue.map(TurnPlace.init),
      ObserverBlock({ change, details in block(change.notification, change.store, details) }))
  }

  /// Calls `block` in an actor, with it.
  ///
  /// If it is the actor of this store, `block` is given this store.
  public func observe<A: Actor>(
    on actor: A, _ block: @escaping @Sendable (isolated A, Notification, Store) -> Void
  ) -> NotificationToken {
    observe(
      TurnPlace(actor),
      ObserverBlock(in: actor) { actor, change in
        block(actor, change.notification, change.store)
      })
  }

  /// The notifications of the store as an asynchronous sequence; it ends with the store.
  ///
  /// Commits that are made while nobody waits are one `didChange`.
  public var changes: ObservedChanges<Notification> {
    checkAccess("Observing the store")
    let number = shownNumber
    return ObservedChanges { StoreTracker(self, since: number) }.mapped(\.notification)
  }

  private func observe(
    _ place: TurnPlace?, _ block: ObserverBlock<StoreTracker.Change>
  ) -> NotificationToken {
    checkAccess("Observing the store")
    let observers = observers(on: place)
    let own = observers.belongs(to: self) ? Confined(value: self) : nil
    let number = shownNumber
    return Observation<StoreTracker>(
      observers,
      make: { store throws(Error) in StoreTracker(own?.value ?? store, since: number) },
      block: block
    ).start()
  }

  /// The commit that the store shows now, which it reads if it shows none.
  private var shownNumber: CommitNumber {
    pin()
    return commitNumber
  }
}

/// A store as its observer was last shown it.
struct StoreTracker: ChangeTracker {
  struct Change {
    let notification: Store.Notification
    let store: Store
  }

  let store: Store
  private(set) var number: CommitNumber
  private(set) var details = ChangeDetails()
  /// True if a refresh was asked for since the store last moved on.
  private var hasAsked = false

  /// Tells what comes after a commit, which the store showed when it was asked to be observed.
  init(_ store: Store, since number: CommitNumber) {
    self.store = store
    self.number = number
  }

  /// The store's file could not be read: it is told that it should be, which says why.
  static func failure(_ error: Store.Error) -> Change? { nil }

  mutating func start() throws(Store.Error) -> Change? { try advance() }

  mutating func advance() throws(Store.Error) -> Change? {
    store.moveOn()
    if store.commitNumber != number {
      details = ChangeDetails(origins: try store.effects(after: number).origins)
      number = store.commitNumber
      hasAsked = false
      return Change(notification: .didChange, store: store)
    }
    guard !store.autorefresh, store.commitSignal.revision != store.shownRevision, !hasAsked else {
      return nil
    }
    hasAsked = true
    return Change(notification: .refreshRequired, store: store)
  }
}
