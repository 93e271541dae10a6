package import AtollEventLoop
package import AtollStorage
internal import AtollVocabulary
private import Synchronization

/// Tells a process when another one committed to a store file, and others when this one did.
///
/// While a node serves the store, its local socket carries both; otherwise the file's write-ahead
/// log is watched. Either may come and go. Callable from any thread; never waits.
package final class StoreWatch: Sendable {
  private struct State {
    var announcing: CommitNumber?
    var isStopped = false
  }

  private let place: StoreWatchPlace
  private let state = Mutex(State())

  /// One loop for all watches of the process, started by the first.
  private static let loop: Result<EventLoop, EventLoopError> = {
    do throws(EventLoopError) {
      return .success(try EventLoop(name: "atoll-watch"))
    } catch {
      return .failure(error)
    }
  }()

  /// Starts watching.
  ///
  /// - Parameters:
  ///   - path: the store file; it must exist.
  ///   - onCommit: "somebody may have committed": look at the commit number. Called on a thread of
  ///     the watch, at most 50 ms after the commit, and also without one. Must return soon.
  /// - Throws: `EventLoopError` when the system has no descriptors or threads left.
  package init(
    path: String, onCommit: @escaping @Sendable () -> Void
  ) throws(EventLoopError) {
    let loop = try Self.loop.get()
    let place = StoreWatchPlace(StorePaths(path), loop: loop, onCommit: onCommit)
    self.place = place
    loop.perform { place.assumeIsolated { $0.start() } }
  }

  deinit { stop() }

  /// Tells the other processes that this one committed; cheap, also thousands of times a second.
  package func announceCommit(_ number: CommitNumber) {
    let isFirst = state.withLock { state in
      let isFirst = state.announcing == nil
      state.announcing = max(number, state.announcing ?? number)
      return isFirst && !state.isStopped
    }
    guard isFirst else { return }
    place.loop.perform { [weak self] in
      guard let self else { return }
      let latest = state.withLock { state in
        defer { state.announcing = nil }
        return state.announcing
      }
      if let latest { place.assumeIsolated { $0.announce(latest) } }
    }
  }

  /// Ends the watch; a call of `onCommit` that is under way is not waited for.
  package func stop() {
    let isFirst = state.withLock { state in
      defer { state.isStopped = true }
      return !state.isStopped
    }
    guard isFirst else { return }
    place.loop.perform { [place] in place.assumeIsolated { $0.stop() } }
  }
}
