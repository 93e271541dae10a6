public import Atoll
import Synchronization

extension Store {
  /// An opening that ``asyncOpen(configuration:callbackQueue:callback:)`` began.
  public final class AsyncOpenTask: Sendable {
    private let cancelled = Atomic(false)

    init() {}

    var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

    /// Has the callback not called any more; the file is opened and closed all the same.
    public func cancel() { cancelled.store(true, ordering: .relaxed) }
  }
}
