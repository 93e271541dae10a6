internal import CUV

/// Calls a handler when a file, or an entry of a folder, changes.
///
/// A hint, not a record: several changes may come as one call, and a watched file that is removed
/// stays unwatched when it is made anew.
package final class FileWatch: LoopHandle {
  private var handler: ((_ entry: String?) -> Void)?

  /// Watches `path` until closed.
  ///
  /// The handler gets the name of the entry of a watched folder, where the system tells.
  ///
  /// - Throws: `EventLoopError` when nothing is at `path`, or the system's watches are used up.
  package init(
    path: String, loop: EventLoop, handler: @escaping (_ entry: String?) -> Void
  ) throws(EventLoopError) {
    super.init(loop: loop, type: UV_FS_EVENT)
    uv_fs_event_init(loop.loop, pointer())
    adopt()
    let code = uv_fs_event_start(
      pointer(), { handle, entry, _, _ in FileWatch.open(handle)?.changed(entry) }, path, 0)
    if code != 0 {
      close()
      throw EventLoopError("watching \(path)", code: code)
    }
    self.handler = handler
  }

  private func changed(_ entry: UnsafePointer<CChar>?) {
    handler?(entry.map { String(cString: $0) })
  }

  override func willClose() { handler = nil }
}
