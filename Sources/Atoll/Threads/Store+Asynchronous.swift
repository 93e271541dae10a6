import AtollStorage
import DequeModule
import Dispatch

// Writes that wait for the file without keeping their thread.
extension Store {
  /// Makes the changes of `body` in one transaction as ``write(withoutNotifying:_:)`` does; while
  /// another thread or process writes, the actor does other work.
  ///
  /// The state may have moved on when `body` is called: look again at what was read before.
  ///
  /// - Throws: What `body` throws; ``Store/Error`` as ``write(withoutNotifying:_:)`` does;
  ///   `CancellationError` if the task is cancelled before `body` is called.
  @discardableResult
  public func asyncWrite<Result>(
    withoutNotifying tokens: [NotificationToken] = [],
    isolation: isolated (any Actor)? = #isolation, _ body: () throws -> Result
  ) async throws -> Result {
    runningAsyncWrites += 1
    defer { runningAsyncWrites -= 1 }
    let deadline = ContinuousClock.now.advanced(by: configuration.options.lockTimeout)
    var pause = Self.firstPause
    while true {
      try Task.checkCancellation()
      let isLast = ContinuousClock.now >= deadline
      if try beginWriteIfFree(orThrow: isLast) { break }
      try await Task.sleep(for: pause)
      pause = min(pause * 2, Self.longestPause)
    }
    return try endWrite(tokens, body)
  }

  static var firstPause: Duration { .milliseconds(1) }
  static var longestPause: Duration { .milliseconds(20) }

  /// Begins a write transaction unless somebody else has one.
  fileprivate func beginWriteIfFree(orThrow mustThrow: Bool) throws(Error) -> Bool {
    do throws(Error) {
      try beginWrite(waiting: .zero)
      return true
    } catch {
      if error.code == .locked, !mustThrow { return false }
      throw error
    }
  }
}

// MARK: - Without async

extension Store {
  /// A write that waits for its turn; see ``Store/cancelAsyncTransaction(_:)``.
  public struct AsyncTransactionID: Hashable, Sendable {
    fileprivate let number: Int
  }

  /// Calls `block` in a write transaction of its own as soon as nobody else writes, and then
  /// `onComplete`, both where the store belongs; returns at once.
  ///
  /// With `isGroupingAllowed`, writes that wait one behind the other share one transaction, and so
  /// one wait for the disk: they all become durable, or all of them get the error. `onComplete` is
  /// given the error if the transaction could not begin or be made durable. The store must belong to
  /// a queue, an actor or the main thread.
  @discardableResult
  public func writeAsync(
    isGroupingAllowed: Bool = false, _ block: @escaping () -> Void,
    onComplete: (((any Swift.Error)?) -> Void)? = nil
  ) -> AsyncTransactionID {
    checkAccess("Writing asynchronously")
    guard let place = confinement.turns else {
      Trap.stop(
        "Writing asynchronously to a store of a thread without a queue. Open it for a serial queue "
          + "with Store(configuration:queue:), or for an actor with Store.open(configuration:).")
    }
    let pending = pendingWrites ?? PendingWrites(of: self, place)
    pendingWrites = pending
    return AsyncTransactionID(
      number: pending.add(
        PendingWrites.Write(
          canShare: isGroupingAllowed, body: block, onComplete: onComplete)))
  }

  /// Calls `block` as ``writeAsync(isGroupingAllowed:_:onComplete:)`` does; what it does not commit
  /// itself is given up.
  package func beginAsync(_ block: @escaping () -> Void) -> AsyncTransactionID {
    writeAsync {
      block()
      if self.isInWriteTransaction { self.cancelWrite() }
    }
  }

  /// Commits, and has `onComplete` called where the store belongs.
  package func commitAsync(
    _ onComplete: (((any Swift.Error)?) -> Void)?
  ) -> AsyncTransactionID {
    let failure = commitFailure()
    if let place = confinement.turns {
      let told = Confined(value: onComplete)
      place.async { told.value?(failure) }
    } else {
      onComplete?(failure)
    }
    return AsyncTransactionID(number: 0)
  }

  // Apart from its caller: the optimizer of Swift 6.3.1 does not get over both in one function.
  private func commitFailure() -> Error? {
    do throws(Error) {
      try commitWrite()
      return nil
    } catch {
      return error
    }
  }

  /// Takes back a ``writeAsync(isGroupingAllowed:_:onComplete:)`` whose block was not called yet.
  public func cancelAsyncTransaction(_ id: AsyncTransactionID) {
    checkAccess("Cancelling an asynchronous write")
    pendingWrites?.remove(id.number)
  }

  /// True if blocks of ``writeAsync(isGroupingAllowed:_:onComplete:)`` and
  /// ``asyncWrite(withoutNotifying:isolation:_:)`` wait to be called, or one is being called.
  public var isPerformingAsynchronousWriteOperations: Bool {
    runningAsyncWrites > 0 || pendingWrites?.isEmpty == false
  }
}

/// Writes of one store that wait for their turn, first come first served.
final class PendingWrites: @unchecked Sendable {
  struct Write {
    let canShare: Bool
    let body: () -> Void
    let onComplete: (((any Error)?) -> Void)?
  }

  /// Writes that share a transaction at most.
  private static let groupBound = 100

  private weak var store: Store?
  private let place: TurnPlace
  private var next = 0
  private var writes: Deque<(number: Int, write: Write)> = []
  private var isScheduled = false
  /// True if blocks are being called.
  private var isRunning = false
  private var pause = Store.firstPause
  private var deadline = ContinuousClock.now

  init(of store: Store, _ place: TurnPlace) {
    self.store = store
    self.place = place
  }

  var isEmpty: Bool { writes.isEmpty && !isRunning }

  func add(_ write: Write) -> Int {
    next += 1
    writes.append((next, write))
    schedule()
    return next
  }

  func remove(_ number: Int) { writes.removeAll { $0.number == number } }

  private func schedule() {
    if isScheduled { return }
    isScheduled = true
    if let store {
      deadline = ContinuousClock.now.advanced(by: store.configuration.options.lockTimeout)
    }
    pause = Store.firstPause
    // A waiting write keeps the store.
    let kept = Confined(value: store)
    place.async { self.run(kept.value) }
  }

  private func run(_ store: Store?) {
    guard let store, !writes.isEmpty else { return isScheduled = false }
    if store.isClosed { return finishAll(of: store) }
    do throws(Store.Error) {
      let isLast = ContinuousClock.now >= deadline
      // The application may have begun one itself, and not ended it.
      if store.isInWriteTransaction { return runLater(store) }
      guard try store.beginWriteIfFree(orThrow: isLast) else { return runLater(store) }
    } catch {
      return finish([writes.removeFirst().write], error)
    }
    let group = takeGroup()
    var failure: (any Error)?
    isRunning = true
    do {
      try store.endWrite([]) { for write in group { write.body() } }
    } catch {
      failure = error
    }
    isRunning = false
    finish(group, failure)
  }

  /// Tells everybody that waits that the store was closed.
  private func finishAll(of store: Store) {
    let all = writes.map(\.write)
    writes = []
    finish(
      all,
      Store.Error(
        .notWritable,
        "Writing asynchronously: the store '\(store.configuration.path)' was closed before."))
  }

  private func runLater(_ store: Store) {
    let kept = Confined(value: store)
    let nanoseconds = Int(pause.components.attoseconds / 1_000_000_000)
    pause = min(pause * 2, Store.longestPause)
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
      self.place.async { self.run(kept.value) }
    }
  }

  private func takeGroup() -> [Write] {
    let first = writes.removeFirst().write
    guard first.canShare else { return [first] }
    let more = writes.prefix { $0.write.canShare }.prefix(Self.groupBound - 1).map(\.write)
    writes.removeFirst(more.count)
    return [first] + more
  }

  private func finish(_ group: [Write], _ error: (any Error)?) {
    isScheduled = false
    if !writes.isEmpty { schedule() }
    for write in group { write.onComplete?(error) }
  }
}
