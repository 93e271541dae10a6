package import AtollVocabulary
internal import CUV
private import Synchronization

/// A libuv loop on a thread of its own, as an executor that actors can be isolated to.
///
/// Everything with a handle (timers, streams, listeners, watches) belongs to the loop's thread:
/// it is made, used and closed there, and its callbacks come there. Only ``enqueue(_:)``,
/// ``perform(_:)``, ``stop()`` and ``now`` may be called from anywhere.
///
/// A loop runs until ``stop()``, which closes every handle that is still open. Work that is
/// handed over later still runs, one piece at a time, on the thread that hands it over: a task
/// that awaits an actor of a stopped loop must end, not hang.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
  /// Work that other threads hand over.
  private enum Work {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  private enum Phase {
    case running
    case stopping
    case ended
  }

  private struct Shared {
    var phase = Phase.running
    var queue: [Work] = []
    /// True if somebody will look at `queue`: it is then enough to append.
    var isDrainComing = false
    var stopWaiters: [CheckedContinuation<Void, Never>] = []
  }

  /// The size of ``readBuffer``: what one read takes from a socket at most.
  static let readBufferBytes = 64 << 10

  package let name: String
  let loop: UnsafeMutablePointer<uv_loop_t>
  /// The read buffer of every stream of the loop; consumers copy the bytes that they keep.
  let readBuffer: UnsafeMutableRawBufferPointer
  private let wake: UnsafeMutablePointer<uv_async_t>
  private let turnEnd: UnsafeMutablePointer<uv_prepare_t>
  private let shared = Mutex(Shared())
  /// The thread that runs the loop's work at the moment; 0 if none does.
  private let runner = Atomic<UInt>(0)
  /// Only touched on the loop.
  private var endOfTurn: [() -> Void] = []
  private(set) var isStopping = false

  /// Starts the loop's thread.
  ///
  /// - Parameter name: shown by debuggers; the first 15 bytes count.
  /// - Throws: `EventLoopError` when the system has no descriptors or threads left.
  package init(name: String) throws(EventLoopError) {
    self.name = name
    loop = .allocate(capacity: 1)
    wake = .allocate(capacity: 1)
    turnEnd = .allocate(capacity: 1)
    readBuffer = .allocate(byteCount: Self.readBufferBytes, alignment: 16)
    var code = uv_loop_init(loop)
    if code == 0 {
      code = start()
      if code != 0 { uv_loop_close(loop) }
    }
    if code != 0 { throw EventLoopError("starting the event loop \"\(name)\"", code: code) }
  }

  deinit {
    loop.deallocate()
    wake.deallocate()
    turnEnd.deallocate()
    readBuffer.deallocate()
  }

  /// Nanoseconds of the monotonic clock.
  package var now: Instant { Instant(nanoseconds: uv_hrtime()) }

  private func start() -> Int32 {
    var code = uv_async_init(loop, wake) { handle in EventLoop.of(handle?.pointee.loop)?.drain() }
    if code != 0 { return code }
    uv_prepare_init(loop, turnEnd)
    uv_prepare_start(turnEnd) { handle in EventLoop.of(handle?.pointee.loop)?.endTurn() }
    wake.pointee.data = nil
    turnEnd.pointee.data = nil
    loop.pointee.data = Unmanaged.passRetained(self).toOpaque()
    var thread = uv_thread_t()
    code = uv_thread_create(
      &thread,
      { argument in
        guard let argument else { return }
        Unmanaged<EventLoop>.fromOpaque(argument).takeUnretainedValue().run()
      }, loop.pointee.data)
    if code != 0 { abandon() }
    return code
  }

  /// Takes the handles back when there is no thread to run them.
  private func abandon() {
    closeOwnHandles()
    uv_run(loop, UV_RUN_DEFAULT)
    Unmanaged.passUnretained(self).release()
  }

  static func of(_ loop: UnsafeMutablePointer<uv_loop_t>?) -> EventLoop? {
    guard let data = loop?.pointee.data else { return nil }
    return Unmanaged<EventLoop>.fromOpaque(data).takeUnretainedValue()
  }
}

// MARK: Running

extension EventLoop {
  /// The thread's whole life.
  private func run() {
    atoll_thread_detach()
    atoll_thread_name(name)
    atoll_thread_block_broken_pipe()
    runner.store(atoll_thread_self(), ordering: .releasing)
    uv_run(loop, UV_RUN_DEFAULT)
    uv_loop_close(loop)
    end()
    Unmanaged.passUnretained(self).release()
  }

  /// Runs what came in while handles were closing, and lets go of whoever waits for the end.
  private func end() {
    while true {
      let (left, waiters) = shared.withLock { shared in
        let left = shared.queue
        shared.queue = []
        guard left.isEmpty else { return (left, [CheckedContinuation<Void, Never>]()) }
        runner.store(0, ordering: .releasing)
        shared.phase = .ended
        shared.isDrainComing = false
        defer { shared.stopWaiters = [] }
        return (left, shared.stopWaiters)
      }
      guard left.isEmpty else {
        run(left)
        continue
      }
      for waiter in waiters { waiter.resume() }
      return
    }
  }

  private func drain() {
    let work = shared.withLock { shared in
      shared.isDrainComing = false
      defer { shared.queue = [] }
      return shared.queue
    }
    run(work)
  }

  private func run(_ work: [Work]) {
    for piece in work {
      switch piece {
      case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
      case .closure(let closure): closure()
      }
    }
  }

  private func endTurn() {
    while !endOfTurn.isEmpty {
      let actions = endOfTurn
      endOfTurn = []
      for action in actions { action() }
    }
  }

  /// Calls `action` when everything that is ready has been handled, before the loop waits again.
  ///
  /// Data that was gathered during the turn is sent then.
  package func atEndOfTurn(_ action: @escaping () -> Void) {
    assertOnLoop()
    endOfTurn.append(action)
  }
}

// MARK: From other threads

extension EventLoop {
  package func enqueue(_ job: consuming ExecutorJob) { hand(.job(UnownedJob(job))) }

  /// Runs `closure` on the loop, after what was handed over before.
  package func perform(_ closure: @escaping @Sendable () -> Void) { hand(.closure(closure)) }

  private func hand(_ work: Work) {
    // Tasks hold their executor unowned: the work itself may let go of the last reference.
    let lifetime = Unmanaged.passRetained(self)
    defer { lifetime.release() }
    let isMine = shared.withLock { shared in
      shared.queue.append(work)
      guard !shared.isDrainComing else { return false }
      switch shared.phase {
      case .running:
        shared.isDrainComing = true
        uv_async_send(wake)
        return false
      case .stopping:
        return false
      case .ended:
        shared.isDrainComing = true
        return true
      }
    }
    if isMine { runAfterEnd() }
  }

  /// The loop's thread is gone: whoever finds the queue unattended runs it.
  private func runAfterEnd() {
    runner.store(atoll_thread_self(), ordering: .releasing)
    while true {
      let work = shared.withLock { shared in
        let work = shared.queue
        shared.queue = []
        if work.isEmpty {
          runner.store(0, ordering: .releasing)
          shared.isDrainComing = false
        }
        return work
      }
      if work.isEmpty { return }
      run(work)
    }
  }

  /// Closes every handle, ends the thread, and returns when both are done.
  ///
  /// Calling it again, also at the same time, waits for the same end.
  package func stop() async {
    await withCheckedContinuation { continuation in
      let isEnded = shared.withLock { shared in
        if shared.phase == .ended { return true }
        shared.stopWaiters.append(continuation)
        return false
      }
      if isEnded { continuation.resume() } else { perform { self.beginStop() } }
    }
  }

  private func beginStop() {
    guard !isStopping, runner.load(ordering: .acquiring) == atoll_thread_self() else { return }
    isStopping = true
    shared.withLock { shared in
      if shared.phase == .running { shared.phase = .stopping }
    }
    uv_walk(
      loop, { handle, _ in handle.flatMap { LoopHandle.of($0) }?.close() }, nil)
    closeOwnHandles()
  }

  private func closeOwnHandles() {
    uv_close(UnsafeMutableRawPointer(wake).assumingMemoryBound(to: uv_handle_t.self), nil)
    uv_close(UnsafeMutableRawPointer(turnEnd).assumingMemoryBound(to: uv_handle_t.self), nil)
  }
}

// MARK: Where am I

extension EventLoop {
  package var isOnLoop: Bool { runner.load(ordering: .acquiring) == atoll_thread_self() }

  /// Stops the program when called from another thread: the handles would be corrupted.
  package func assertOnLoop() {
    precondition(isOnLoop, "called from another thread than the event loop \"\(name)\"")
  }

  package func checkIsolated() { assertOnLoop() }

  package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }
}
