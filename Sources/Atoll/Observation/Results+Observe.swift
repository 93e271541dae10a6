import AtollStorage
public import Dispatch
import Synchronization

extension Results {
  /// Calls `block` with the objects there are, and again whenever they change, whoever changes
  /// them: this store, another thread, another process, or a peer.
  ///
  /// The calls are made on `queue`, which must be serial; changes between two calls are reported
  /// together. What `block` is given belongs to that queue: if it is the queue of this store, to
  /// this store, else to a store of its own.
  ///
  /// Without a queue the calls are made on the queue of this store, or on the main queue. The
  /// observation lasts as long as the token that is returned.
  public func observe(
    on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<Results<Element>>) -> Void
  ) -> NotificationToken {
    prepare("Observing results")
    let queue = queue ?? store.confinement.queue ?? .main
    let own = queue === store.confinement.queue ? self : nil
    let observation = ResultsObservation(
      QueryDescription(self), own: own, hub: store.hub, queue: queue, block: block)
    return observation.start()
  }
}

/// What it takes to ask the same in another store of the file.
struct QueryDescription<Element: Object>: Sendable {
  var configuration: Store.Configuration
  var query: StoreQuery

  init(_ results: Results<Element>) {
    configuration = results.store.configuration
    query = results.query
  }
}

/// One observer of results, at work on its queue.
///
/// Everything but `start` and the waking happens on `queue`, which is serial.
private final class ResultsObservation<Element: Object>: @unchecked Sendable {
  private let description: QueryDescription<Element>
  private let hub: StoreHub
  private let queue: DispatchQueue
  private let block: @Sendable (ResultsChange<Results<Element>>) -> Void
  private var own: Results<Element>?
  private var tracker: ResultsTracker<Element>?
  private let isScheduled = Atomic(false)
  private let isOver = Atomic(false)

  init(
    _ description: QueryDescription<Element>, own: Results<Element>?, hub: StoreHub,
    queue: DispatchQueue, block: @escaping @Sendable (ResultsChange<Results<Element>>) -> Void
  ) {
    self.description = description
    self.own = own
    self.hub = hub
    self.queue = queue
    self.block = block
  }

  func start() -> NotificationToken {
    let number = hub.subscribe { [weak self] in self?.wake() }
    wake()
    // The token keeps the observation; the hub and the queue do not.
    return NotificationToken { [self] in
      hub.unsubscribe(number)
      isOver.store(true, ordering: .sequentiallyConsistent)
      queue.async { self.finish() }
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
      if tracker == nil { try begin() } else { try proceed() }
    } catch {
      isOver.store(true, ordering: .sequentiallyConsistent)
      block(.error(error))
      finish()
    }
  }

  private func begin() throws(Store.Error) {
    let results = try take()
    var tracker = ResultsTracker(results)
    try tracker.start()
    self.tracker = tracker
    block(.initial(results))
  }

  private func take() throws(Store.Error) -> Results<Element> {
    if let own {
      self.own = nil
      return own
    }
    let store = try Store(configuration: description.configuration, queue: queue)
    let table = store.table(of: Element.self, "Observing results")
    return Results(store: store, table: table, query: description.query)
  }

  private func proceed() throws(Store.Error) {
    guard let difference = try tracker?.advance(), let results = tracker?.results else { return }
    block(
      .update(
        results, deletions: difference.deletions, insertions: difference.insertions,
        modifications: difference.modifications))
  }

  private func finish() {
    own = nil
    tracker = nil
  }
}
