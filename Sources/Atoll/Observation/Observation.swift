import AtollStorage
import AtollVocabulary
import Synchronization

/// One observer at work on its queue.
///
/// Everything but `start`, the ending and the silencing happens on the queue, which is serial.
final class Observation<Tracker: ChangeTracker>: Observer, @unchecked Sendable {
  /// Makes the tracker, of things of the queue's store.
  typealias Making = (Store) throws(Store.Error) -> Tracker
  typealias Block = ObserverBlock<Tracker.Change>

  private let observers: ObserverQueue
  private let make: Making
  private let block: Block
  private var tracker: Tracker?
  private let isOver = Atomic(false)
  /// Commits of which the observer is not told.
  private let silenced = Mutex<Set<Int64>>([])

  init(_ observers: ObserverQueue, make: @escaping Making, block: Block) {
    self.observers = observers
    self.make = make
    self.block = block
  }

  func start() -> NotificationToken {
    let number = observers.join(self)
    // The token keeps the observers of the queue; the signal and the queue do not.
    return NotificationToken(self) { [self] in
      isOver.store(true, ordering: .sequentiallyConsistent)
      observers.leave(number)
    }
  }

  func look() {
    if isOver.load(ordering: .sequentiallyConsistent) { return }
    if tracker?.store.isClosed == true { return end() }
    do throws(Store.Error) {
      if let change = try next() { block.call(change, tracker?.details ?? ChangeDetails()) }
      if tracker?.isOver == true { end() }
    } catch {
      end()
      if let failure = Tracker.failure(error) { block.call(failure, ChangeDetails()) }
    }
  }

  func forget() { tracker = nil }

  private func next() throws(Store.Error) -> Tracker.Change? {
    if tracker != nil {
      let isSilent = isSilent()
      let change = try tracker?.advance()
      return isSilent ? nil : change
    }
    var tracker = try make(try observers.store())
    let change = try tracker.start()
    self.tracker = tracker
    return change
  }

  /// Tells whether every commit that is new to the observer was made without notifying it.
  private func isSilent() -> Bool {
    guard let tracker, silenced.withLock({ !$0.isEmpty }) else { return false }
    tracker.store.moveOn()
    let (last, now) = (tracker.number.rawValue, tracker.store.commitNumber.rawValue)
    return silenced.withLock { silenced in
      defer { silenced = silenced.filter { $0 > now } }
      return last < now && (last + 1...now).allSatisfy { silenced.contains($0) }
    }
  }

  private func end() {
    isOver.store(true, ordering: .sequentiallyConsistent)
    tracker = nil
  }
}

extension Observation: SilenceableObserver {
  func silence(_ number: CommitNumber) {
    silenced.withLock { _ = $0.insert(number.rawValue) }
  }

  func unsilence(_ number: CommitNumber) {
    silenced.withLock { _ = $0.remove(number.rawValue) }
  }

  func catchUp(in store: Store) {
    if observers.belongs(to: store), tracker != nil { look() }
  }
}

/// The block of an observer: with the change alone, or with its details.
///
/// Made of blocks that may be called anywhere, or of one that is only called in its actor.
struct ObserverBlock<Change>: @unchecked Sendable {
  let call: (Change, ChangeDetails) -> Void

  init(_ block: @escaping @Sendable (Change) -> Void) { call = { change, _ in block(change) } }

  init(_ block: @escaping @Sendable (Change, ChangeDetails) -> Void) { call = block }

  /// Of a block that is made of others, and may be called where they may.
  init(anywhere block: @escaping (Change, ChangeDetails) -> Void) { call = block }

  init<A: Actor>(in actor: A, _ block: @escaping @Sendable (isolated A, Change) -> Void) {
    call = { change, _ in
      let change = Confined(value: change)
      actor.assumeIsolated { block($0, change.value) }
    }
  }
}

/// A value that is only used where it may be, whatever the compiler can see of it.
struct Confined<Value>: @unchecked Sendable {
  let value: Value
}
