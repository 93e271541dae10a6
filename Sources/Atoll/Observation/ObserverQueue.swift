import AtollStorage
import Synchronization

/// The observers of a file that are called in one place: they share a store, and take turns.
///
/// A commit wakes them once, however many observers there are; then the store moves on once, the
/// file is asked once what changed, and each observer looks whether that concerns it. Everything but
/// joining, leaving and the waking happens in the place, which is a serial queue or an actor.
final class ObserverQueue: @unchecked Sendable {
  /// The identity of observers that can share: those of one place, for stores with the same
  /// classes.
  struct Identity: Hashable {
    let place: TurnPlace.Identity
    let types: [ObjectIdentifier]?
    let schemaVersion: UInt64
  }

  private let place: TurnPlace
  private let commitSignal: CommitSignal
  private let configuration: Store.Configuration
  /// The store that belongs there, while it lasts.
  private weak var owner: Store?
  private let isOwned: Bool
  /// The store that observers have in another place, while there are any.
  private var own: Store?
  private let members = Mutex(Members())
  private let isScheduled = Atomic(false)
  /// Only used in the place.
  private var isTakingTurns = false
  private let subscription = Mutex<Int?>(nil)

  private struct Members {
    var next = 0
    var observers: [Int: any Observer] = [:]
  }

  init(_ place: TurnPlace, for store: Store) {
    self.place = place
    commitSignal = store.commitSignal
    configuration = store.configuration
    isOwned = place.identity == store.confinement.turns?.identity
    owner = isOwned ? store : nil
    let number = commitSignal.subscribe { [weak self] in self?.wake() }
    subscription.withLock { $0 = number }
  }

  deinit {
    if let number = subscription.withLock({ $0 }) { commitSignal.unsubscribe(number) }
    // The store is let go where it was used.
    if let own {
      let store = Confined(value: own)
      place.async { _ = store }
    }
  }

  /// Adds an observer, which looks for the first time in a turn of its own.
  func join(_ observer: any Observer) -> Int {
    let number = members.withLock { members in
      members.next += 1
      members.observers[members.next] = observer
      return members.next
    }
    place.async { observer.look() }
    return number
  }

  func leave(_ number: Int) {
    let (observer, isLast) = members.withLock { members in
      (members.observers.removeValue(forKey: number), members.observers.isEmpty)
    }
    place.async {
      observer?.forget()
      if isLast, self.members.withLock({ $0.observers.isEmpty }) { self.own = nil }
    }
  }

  /// Tells whether observers are given things of this store, because it belongs there.
  func belongs(to store: Store) -> Bool { isOwned && owner === store }

  /// The store whose things the observers are given; called in the place.
  func store() throws(Store.Error) -> Store {
    if isOwned {
      guard let owner else {
        throw Store.Error(.system, "Observing a store that was let go of before it was looked at.")
      }
      return owner
    }
    if let own { return own }
    let store = try Store(configuration.observing, for: Confinement(to: place))
    own = store
    return store
  }

  /// Schedules one turn, however often it is called before that.
  func wake() {
    if isScheduled.exchange(true, ordering: .sequentiallyConsistent) { return }
    place.async { self.takeTurns() }
  }

  /// Lets each observer look; what an observer causes while it is told is looked at in another turn.
  func takeTurns() {
    if isTakingTurns { return wake() }
    isTakingTurns = true
    defer { isTakingTurns = false }
    isScheduled.store(false, ordering: .sequentiallyConsistent)
    let observers = members.withLock { $0.observers }
    for (_, observer) in observers.sorted(by: { $0.key < $1.key }) { observer.look() }
  }
}

/// One who is told of changes, in turns.
protocol Observer: AnyObject, Sendable {
  /// Looks whether there is something to tell, and tells it.
  func look()
  /// Lets go of what belongs to the store; nothing is told any more.
  func forget()
}

extension Store {
  /// Those who are called in a place; observers that name none are called where the store belongs,
  /// or on the main queue.
  func observers(on place: TurnPlace?) -> ObserverQueue {
    checkObservable()
    let place = place ?? confinement.turns ?? .main
    if place.identity == confinement.turns?.identity {
      if let ownObservers { return ownObservers }
      let observers = ObserverQueue(place, for: self)
      ownObservers = observers
      return observers
    }
    let identity = ObserverQueue.Identity(
      place: place.identity, types: configuration.objectTypes?.map { ObjectIdentifier($0) },
      schemaVersion: configuration.schemaVersion)
    return commitSignal.observers(identity) { ObserverQueue(place, for: self) }
  }
}

extension Store {
  /// Lets the observers that are called where the store belongs look now.
  func takeTurns() { ownObservers?.takeTurns() }
}

extension Store.Configuration {
  /// The same for a store that only looks: it needs no node of its own.
  var observing: Store.Configuration {
    var configuration = self
    configuration.node = .none
    return configuration
  }
}
