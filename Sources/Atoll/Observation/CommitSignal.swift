import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import Synchronization

/// The signal that one file has new commits of any origin, for all of this process.
///
/// Every open store of the file shares one signal. A commit of this process wakes the subscribers at
/// once and is announced to the others; a commit of another process arrives through `CommitWatch`.
/// Nothing is said about what changed: who wakes asks the file.
final class CommitSignal: Sendable {
  private struct State {
    var next = 0
    var subscribers: [Int: @Sendable () -> Void] = [:]
    var watch: CommitWatch?
    /// Commits that stores of this process made, or are about to make; the oldest are forgotten.
    var own: Set<Int64> = []
    var observers: [ObserverQueue.Identity: WeakObservers] = [:]
    var writer: Writer?
  }

  /// The store of this process that began the last write transaction, and where it belongs.
  ///
  /// The store is only looked at in its own place, which is why this may call itself sendable.
  private struct Writer: @unchecked Sendable {
    let place: Confinement
    weak var store: Store?
  }

  private struct WeakObservers {
    weak var observers: ObserverQueue?
  }

  private struct Registry {
    var signals: [String: WeakSignal] = [:]
  }

  private struct WeakSignal {
    weak var signal: CommitSignal?
  }

  private static let registry = Mutex(Registry())

  /// Set in the simulation: commits of other processes are not noticed here.
  let ignoresOtherProcesses: Bool
  private let state = Mutex(State())
  /// The number of times that a process may have committed.
  private let wakes = Atomic<UInt64>(0)

  /// Another value than before if somebody may have committed since.
  var revision: UInt64 { wakes.load(ordering: .sequentiallyConsistent) }

  init(ignoresOtherProcesses: Bool = false) { self.ignoresOtherProcesses = ignoresOtherProcesses }

  /// The signal of a file that exists.
  static func signal(of path: String) -> CommitSignal {
    let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return registry.withLock { registry in
      if let signal = registry.signals[path]?.signal { return signal }
      let signal = CommitSignal()
      signal.startWatching(path)
      registry.signals = registry.signals.filter { $0.value.signal != nil }
      registry.signals[path] = WeakSignal(signal: signal)
      return signal
    }
  }

  /// Without a watch, for want of descriptors, commits of other processes are seen at `refresh()`.
  private func startWatching(_ path: String) {
    let watch = try? CommitWatch(path: path) { [weak self] in
      StoreFile.relieve(path)
      self?.wake()
    }
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
    wakes.add(1, ordering: .sequentiallyConsistent)
    let bodies = state.withLock { Array($0.subscribers.values) }
    for body in bodies { body() }
  }

  /// The observers that are called on a queue; `make` makes them if there are none.
  func observers(
    _ identity: ObserverQueue.Identity, or make: () -> ObserverQueue
  ) -> ObserverQueue {
    if let observers = state.withLock({ $0.observers[identity]?.observers }) { return observers }
    let observers = make()
    return state.withLock { state in
      // Another thread may have been faster.
      if let observers = state.observers[identity]?.observers { return observers }
      state.observers = state.observers.filter { $0.value.observers != nil }
      state.observers[identity] = WeakObservers(observers: observers)
      return observers
    }
  }
}

// MARK: - Who writes

extension CommitSignal {
  /// Called when a store of this process has begun a write transaction.
  func begun(_ store: Store) {
    let writer = Writer(place: store.confinement, store: store)
    state.withLock { $0.writer = writer }
  }

  /// The store that writes where the caller is, for which nobody can wait there.
  var writerHere: Store? {
    guard let writer = state.withLock({ $0.writer }), writer.place.isCurrent,
      let store = writer.store, !store.isClosed, store.file.isWriting
    else { return nil }
    return store
  }
}

// MARK: - Whose commits

extension CommitSignal {
  /// Called under the write lock before a store of this process commits, so that nobody can see the
  /// commit before it is known whose it is.
  func willCommit(_ number: CommitNumber) {
    state.withLock { state in
      state.own.insert(number.rawValue)
      guard state.own.count > 2 * Limits.effectRecords else { return }
      state.own = state.own.filter { $0 > number.rawValue - Int64(Limits.effectRecords) }
    }
  }

  /// Takes back ``willCommit(_:)`` where nothing was committed.
  func didNotCommit(_ number: CommitNumber) {
    state.withLock { _ = $0.own.remove(number.rawValue) }
  }

  func origins(of commit: Commit) -> [ChangeOrigin] {
    if commit.origin == .remote {
      return commit.heads.map { .peer(author: "\($0.author)") }
    }
    let isOwn = state.withLock { $0.own.contains(commit.number.rawValue) }
    return [isOwn ? .local : .process]
  }
}
