import AtollVocabulary

#if Replication
import AtollPresence

/// The news of commits of other processes on a file.
struct CommitWatch: Sendable {
  private let watch: StoreWatch

  /// Begins to listen; `onCommit` is called on a thread of its own.
  ///
  /// - Throws: What `StoreWatch` does, when the system has no descriptors or threads left.
  init(path: String, onCommit: @escaping @Sendable () -> Void) throws {
    watch = try StoreWatch(path: path, onCommit: onCommit)
  }

  func announceCommit(_ number: CommitNumber) { watch.announceCommit(number) }
  func stop() { watch.stop() }
}

#else

/// No news of other processes, in a build that does not replicate: what they commit is seen at `refresh()`
/// and when a transaction begins.
struct CommitWatch: Sendable {
  init(path: String, onCommit: @escaping @Sendable () -> Void) throws {}
  func announceCommit(_ number: CommitNumber) {}
  func stop() {}
}
#endif
