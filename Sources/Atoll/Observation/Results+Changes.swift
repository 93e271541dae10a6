import Synchronization

extension Results {
  /// The changes of the results as an asynchronous sequence, beginning with the objects there are.
  ///
  /// Iterate where the store belongs, for instance on the main actor for a store of the main
  /// thread: each step moves the store on and compares. Changes that come while nobody waits are
  /// reported together by the next step.
  ///
  /// ```swift
  /// for try await change in store.objects(Airport.self).changes { … }
  /// ```
  public var changes: Changes { Changes(results: self) }

  /// See ``Results/changes``.
  public struct Changes: AsyncSequence {
    public typealias Element = ResultsChange<Results>

    let results: Results

    public func makeAsyncIterator() -> Iterator { Iterator(results) }

    /// One observer's place among the changes.
    public struct Iterator: AsyncIteratorProtocol {
      private var tracker: ResultsTracker<Results.Element>
      private let alarm: CommitAlarm
      private var hasBegun = false

      init(_ results: Results) {
        results.prepare("Observing results")
        tracker = ResultsTracker(results)
        alarm = CommitAlarm(results.store.hub)
      }

      /// Waits for the next change; nil once the task is cancelled.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(Store.Error) -> ResultsChange<Results>? {
        if !hasBegun {
          hasBegun = true
          try tracker.start()
          return .initial(tracker.results)
        }
        while !Task.isCancelled {
          if let difference = try tracker.advance() {
            return .update(
              tracker.results, deletions: difference.deletions,
              insertions: difference.insertions, modifications: difference.modifications)
          }
          await alarm.wait()
        }
        return nil
      }
    }
  }
}

/// Rings after commits, for one who waits.
private final class CommitAlarm: Sendable {
  private struct State {
    var hasRung = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let hub: StoreHub
  private let state: SharedState
  private let number: Int

  /// Shared with the hub's closure, which must not keep the alarm.
  private final class SharedState: Sendable {
    let value = Mutex(State())

    func ring() {
      let waiter = value.withLock { state in
        state.hasRung = state.waiter == nil
        defer { state.waiter = nil }
        return state.waiter
      }
      waiter?.resume()
    }
  }

  init(_ hub: StoreHub) {
    let state = SharedState()
    self.hub = hub
    self.state = state
    number = hub.subscribe { state.ring() }
  }

  deinit { hub.unsubscribe(number) }

  /// Returns at the next commit, at once if there was one since the last wait, or at cancellation.
  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isLate = state.value.withLock { state in
          if state.hasRung || Task.isCancelled {
            state.hasRung = false
            return true
          }
          state.waiter = continuation
          return false
        }
        if isLate { continuation.resume() }
      }
    } onCancel: {
      state.ring()
    }
  }
}
