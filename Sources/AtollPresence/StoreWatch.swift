package import AtollEventLoop
package import AtollVocabulary
internal import AtollWire
private import Synchronization

/// Tells a process when another one committed to a store file, and others when this one did.
///
/// While a node serves the store, its local socket carries both; otherwise the file's write-ahead
/// log is watched. Either may come and go. Callable from any thread; never waits.
package final class StoreWatch: Sendable {
  private let place: StoreWatchPlace
  private let sender: SenderSlot

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
    let sender = SenderSlot()
    let place = StoreWatchPlace(StorePaths(path), loop: loop, sender: sender, onCommit: onCommit)
    self.sender = sender
    self.place = place
    loop.perform { place.assumeIsolated { $0.start() } }
  }

  deinit { stop() }

  /// Tells the other processes that this one committed; cheap, also thousands of times a second.
  ///
  /// Without a node there is nobody to tell: the others watch the file.
  package func announceCommit(_ number: CommitNumber) {
    // A node need not have the announcements that it does not take: it looks at the file when it
    // reads again.
    sender.current?.send(.committed(number: UInt64(clamping: number.rawValue)))
  }

  /// Ends the watch; a call of `onCommit` that is under way is not waited for.
  package func stop() {
    place.loop.perform { [place] in place.assumeIsolated { $0.stop() } }
  }
}

/// The way to the node's socket, while there is one.
final class SenderSlot: Sendable {
  private let slot = Mutex<LocalSender?>(nil)

  var current: LocalSender? {
    get { slot.withLock { $0 } }
    set { slot.withLock { $0 = newValue } }
  }
}
