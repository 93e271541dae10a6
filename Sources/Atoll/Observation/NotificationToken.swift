import AtollStorage
import AtollVocabulary
import Synchronization

/// Keeps an observation going; it ends with ``invalidate()``, or with the token.
///
/// Given to ``Store/write(withoutNotifying:_:)`` it spares its observer what that transaction does.
public final class NotificationToken: Sendable {
  private let end: Mutex<(@Sendable () -> Void)?>
  let observer: (any SilenceableObserver)?

  init(_ observer: (any SilenceableObserver)? = nil, _ end: @escaping @Sendable () -> Void) {
    self.observer = observer
    self.end = Mutex(end)
  }

  deinit { invalidate() }

  /// Ends the observation; its block is not called any more, unless a call is under way.
  public func invalidate() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}

extension NotificationToken: Hashable {
  /// Tells whether both are one token.
  public static func == (a: NotificationToken, b: NotificationToken) -> Bool { a === b }

  /// Combines the token's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// An observer that can be spared some commits.
protocol SilenceableObserver: Sendable {
  /// Tells the observer nothing of a commit that is about to be made.
  func silence(_ number: CommitNumber)
  /// Takes that back, where nothing was committed.
  func unsilence(_ number: CommitNumber)
  /// Tells what there is to tell at once, if the observer uses this store.
  func catchUp(in store: Store)
}
