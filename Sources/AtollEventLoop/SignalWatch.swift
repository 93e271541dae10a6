internal import CUV

/// Calls a handler on the loop when the process gets a signal, instead of what the signal does.
package final class SignalWatch: LoopHandle {
  private var handler: (() -> Void)?

  /// Watches for `signal` until closed; several watches of one signal are all called.
  ///
  /// - Throws: `EventLoopError` for a signal that cannot be watched, such as SIGKILL.
  package init(
    signal: Int32, loop: EventLoop, handler: @escaping () -> Void
  ) throws(EventLoopError) {
    super.init(loop: loop, type: UV_SIGNAL)
    uv_signal_init(loop.loop, pointer())
    adopt()
    let code = uv_signal_start(
      pointer(), { handle, _ in SignalWatch.open(handle)?.handler?() }, signal)
    if code != 0 {
      close()
      throw EventLoopError("watching for signal \(signal)", code: code)
    }
    self.handler = handler
  }

  override func willClose() { handler = nil }
}
