import Synchronization

/// Keeps an observation going; it ends with ``invalidate()``, or with the token.
public final class NotificationToken: Sendable {
  private let end: Mutex<(@Sendable () -> Void)?>

  init(_ end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

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
