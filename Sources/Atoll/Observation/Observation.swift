import Dispatch
import Synchronization

/// One observer at work on its queue.
///
/// Everything but `start` and the waking happens on `queue`, which is serial.
final class Observation<Tracker: ChangeTracker>: @unchecked Sendable {
  /// Makes the tracker, in a store of the queue's own if need be.
  typealias Making = () throws(Store.Error) -> Tracker

  private let hub: StoreHub
  private let queue: DispatchQueue
  private let make: Making
  private let block: @Sendable (Tracker.Change) -> Void
  private var tracker: Tracker?
  private let isScheduled = Atomic(false)
  private let isOver = Atomic(false)

  init(
    _ hub: StoreHub, on queue: DispatchQueue, make: @escaping Making,
    block: @escaping @Sendable (Tracker.Change) -> Void
  ) {
    self.hub = hub
    self.queue = queue
    self.make = make
    self.block = block
  }

  func start() -> NotificationToken {
    let number = hub.subscribe { [weak self] in self?.wake() }
    wake()
    // The token keeps the observation; the hub and the queue do not.
    return NotificationToken { [self] in
      hub.unsubscribe(number)
      isOver.store(true, ordering: .sequentiallyConsistent)
      queue.async { self.tracker = nil }
    }
  }

  /// Schedules one look at the file, however often it is called before that.
  private func wake() {
    if isScheduled.exchange(true, ordering: .sequentiallyConsistent) { return }
    queue.async { self.look() }
  }

  private func look() {
    isScheduled.store(false, ordering: .sequentiallyConsistent)
    if isOver.load(ordering: .sequentiallyConsistent) { return }
    do throws(Store.Error) {
      if let change = try next() { block(change) }
      if tracker?.isOver == true { end() }
    } catch {
      end()
      block(Tracker.failure(error))
    }
  }

  private func next() throws(Store.Error) -> Tracker.Change? {
    if tracker != nil { return try tracker?.advance() }
    var tracker = try make()
    let change = try tracker.start()
    self.tracker = tracker
    return change
  }

  private func end() {
    isOver.store(true, ordering: .sequentiallyConsistent)
    tracker = nil
  }
}

/// A value that is only used where it may be, whatever the compiler can see of it.
struct Confined<Value>: @unchecked Sendable {
  let value: Value
}

extension Store {
  /// Where observers of this store's things are called if they name no queue.
  func observers(on queue: DispatchQueue?) -> DispatchQueue {
    queue ?? confinement.queue ?? .main
  }

  /// This store for its own queue, another one of the file for any other queue.
  func maker(for queue: DispatchQueue) -> @Sendable () throws(Error) -> Store {
    if queue === confinement.queue {
      let own = Confined(value: self)
      return { () throws(Error) in own.value }
    }
    let configuration = configuration
    return { () throws(Error) in try Store(configuration: configuration, queue: queue) }
  }
}
