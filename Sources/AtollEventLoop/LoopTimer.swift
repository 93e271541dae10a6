package import AtollVocabulary
internal import CUV

/// Calls a handler once, at a time that can be moved or called off.
///
/// Resolution is a millisecond, rounded up: never early.
package final class LoopTimer: LoopHandle {
  private var handler: (() -> Void)?

  package init(loop: EventLoop, handler: @escaping () -> Void) {
    self.handler = handler
    super.init(loop: loop, type: UV_TIMER)
    uv_timer_init(loop.loop, pointer())
    adopt()
  }

  /// Fires `delay` from now; an earlier appointment is forgotten.
  package func start(after delay: Duration) {
    loop.assertOnLoop()
    guard isOpen else { return }
    let due = uv_hrtime() &+ Self.nanoseconds(delay)
    uv_update_time(loop.loop)
    // The loop counts whole milliseconds, and is up to one behind: it has to see the one after `due`.
    let (early, now) = (due / 1_000_000, uv_now(loop.loop))
    let milliseconds = due.isMultiple(of: 1_000_000) ? early : early + 1
    uv_timer_start(
      pointer(), { LoopTimer.open($0)?.handler?() },
      delay > .zero && milliseconds > now ? milliseconds - now : 0, 0)
  }

  /// Fires at `time`, at once if that has passed.
  package func start(at time: Instant) {
    start(after: time.duration(since: loop.now))
  }

  /// Forgets the appointment; the timer can be started again.
  package func cancel() {
    loop.assertOnLoop()
    if isOpen { uv_timer_stop(pointer()) }
  }

  override func willClose() { handler = nil }

  /// At most thirty years, so that sums do not overflow.
  private static func nanoseconds(_ delay: Duration) -> UInt64 {
    let (seconds, attoseconds) = delay.components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return UInt64(min(seconds, 1_000_000_000)) * 1_000_000_000
      + UInt64(attoseconds / 1_000_000_000)
  }
}
