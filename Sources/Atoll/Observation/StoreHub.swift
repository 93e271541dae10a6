import AtollEventLoop
import AtollNode
import AtollStorage
import Foundation
import Synchronization

/// Where commits to one file are heard of in this process, whoever made them.
///
/// Every open store of the file shares one hub. A commit of this process wakes the subscribers at
/// once and is announced to the others; a commit of another process arrives through `StoreWatch`.
/// Nothing is said about what changed: who wakes asks the file.
final class StoreHub: Sendable {
  private struct State {
    var next = 0
    var subscribers: [Int: @Sendable () -> Void] = [:]
    var watch: StoreWatch?
  }

  private struct Registry {
    var hubs: [String: WeakHub] = [:]
  }

  private struct WeakHub {
    weak var hub: StoreHub?
  }

  private static let registry = Mutex(Registry())

  private let state = Mutex(State())

  /// The hub of a file that exists.
  static func hub(of path: String) -> StoreHub {
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return registry.withLock { registry in
      if let hub = registry.hubs[path]?.hub { return hub }
      let hub = StoreHub()
      hub.startWatching(path)
      registry.hubs = registry.hubs.filter { $0.value.hub != nil }
      registry.hubs[path] = WeakHub(hub: hub)
      return hub
    }
  }

  /// Without a watch, for want of descriptors, commits of other processes are seen at `refresh()`.
  private func startWatching(_ path: String) {
    let watch = try? StoreWatch(path: path) { [weak self] in self?.wake() }
    state.withLock { $0.watch = watch }
  }

  deinit { state.withLock { $0.watch }?.stop() }

  /// Calls `body` after every commit, and sometimes without one, on any thread.
  func subscribe(_ body: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.next += 1
      state.subscribers[state.next] = body
      return state.next
    }
  }

  func unsubscribe(_ number: Int) {
    state.withLock { _ = $0.subscribers.removeValue(forKey: number) }
  }

  /// Called after each commit of a store of this process.
  func committed(_ number: CommitNumber) {
    state.withLock { $0.watch }?.announceCommit(number)
    wake()
  }

  private func wake() {
    let bodies = state.withLock { Array($0.subscribers.values) }
    for body in bodies { body() }
  }
}
