import Synchronization

/// Rings after commits, for one who waits.
final class CommitAlarm: Sendable {
  private struct State {
    var hasRung = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let commitSignal: CommitSignal
  private let state: SharedState
  private let number: Int

  /// Shared with the closure of the signal, which must not keep the alarm.
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

  init(_ commitSignal: CommitSignal) {
    let state = SharedState()
    self.commitSignal = commitSignal
    self.state = state
    number = commitSignal.subscribe { state.ring() }
  }

  deinit { commitSignal.unsubscribe(number) }

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
