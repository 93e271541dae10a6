internal import CUV

/// A libuv handle and the memory it lives in, from initialisation until libuv lets go of it.
///
/// libuv keeps a pointer to an open handle, and until the close callback also to a closing one. So
/// an open handle retains its object, and only the close callback frees the memory and releases
/// the object. Dropping the last reference from outside therefore closes nothing: ``close()``
/// does, and so does the loop when it stops.
///
///     new ──adopt()──▶ open ──close()──▶ closing ──callback──▶ closed
package class LoopHandle {
  private enum State {
    case new
    case open
    case closing
    case closed
  }

  package let loop: EventLoop
  private let memory: UnsafeMutableRawPointer
  private var state = State.new

  init(loop: EventLoop, type: uv_handle_type) {
    loop.assertOnLoop()
    self.loop = loop
    memory = .allocate(byteCount: uv_handle_size(type), alignment: 16)
  }

  deinit { memory.deallocate() }

  /// The handle as its own libuv type; valid until closed, which callers check with ``isOpen``.
  func pointer<Handle>(as type: Handle.Type = Handle.self) -> UnsafeMutablePointer<Handle> {
    memory.assumingMemoryBound(to: type)
  }

  package var isOpen: Bool { state == .open }

  /// Ties the object to memory that libuv has just initialised.
  func adopt() {
    state = .open
    pointer(as: uv_handle_t.self).pointee.data = Unmanaged.passRetained(self).toOpaque()
    if loop.isStopping { close() }
  }

  /// Stops every callback and gives the handle back; calling it again does nothing.
  package func close() {
    loop.assertOnLoop()
    guard state == .open else { return }
    state = .closing
    willClose()
    uv_close(pointer(as: uv_handle_t.self)) { handle in
      guard let data = handle?.pointee.data else { return }
      let object = Unmanaged<LoopHandle>.fromOpaque(data).takeRetainedValue()
      object.state = .closed
      object.didClose()
    }
  }

  /// Called in ``close()``, while the handle is still valid.
  func willClose() {}

  /// Called once, when libuv has let go of the handle.
  func didClose() {}

  /// The object that an open or closing handle belongs to.
  static func of(_ handle: UnsafeMutablePointer<uv_handle_t>) -> LoopHandle? {
    guard let data = handle.pointee.data else { return nil }
    return Unmanaged<LoopHandle>.fromOpaque(data).takeUnretainedValue()
  }

  /// The object of a callback's handle, if it is open and of the expected type.
  static func open<Handle>(_ handle: UnsafeMutablePointer<Handle>?) -> Self? {
    guard let handle else { return nil }
    let base = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
    guard let object = of(base), object.isOpen else { return nil }
    return object as? Self
  }
}
