package import AtollEventLoop
package import AtollStorage

/// Tells a process when another one committed to a store file, and others when this one did.
///
/// While a node serves the store, its local socket carries both; otherwise the file's write-ahead
/// log is watched. Either may come and go. Callable from any thread; never waits.
package final class StoreWatch: Sendable {
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
  }

  /// Tells the other processes that this one committed; cheap, also thousands of times a second.
  package func announceCommit(_ number: CommitNumber) {
  }

  /// Ends the watch; ``StoreWatch/init(path:onCommit:)``'s closure is not called after it returns,
  /// unless a call is under way.
  package func stop() {
  }
}
