import Synchronization

/// Moves a store of a queue or an actor on when others have committed, as long as the store lasts.
///
/// It does so in a turn of its own, so that what the store shows stays the same within each turn. Commits between
/// two turns are one step.
final class CommitFollower: @unchecked Sendable {
  private weak var store: Store?
  private let commitSignal: CommitSignal
  private let place: TurnPlace
  private let isScheduled = Atomic(false)
  private let subscription = Mutex<Int?>(nil)

  init(of store: Store, in place: TurnPlace) {
    self.store = store
    self.place = place
    commitSignal = store.commitSignal
    let number = commitSignal.subscribe { [weak self] in self?.wake() }
    subscription.withLock { $0 = number }
  }

  deinit {
    if let number = subscription.withLock({ $0 }) { commitSignal.unsubscribe(number) }
  }

  private func wake() {
    if isScheduled.exchange(true, ordering: .sequentiallyConsistent) { return }
    place.async { self.follow() }
  }

  private func follow() {
    isScheduled.store(false, ordering: .sequentiallyConsistent)
    if let store, !store.isClosed { store.moveOn() }
  }
}
