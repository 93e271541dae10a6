internal import AtollVocabulary
internal import CUV
internal import DequeModule

/// Memory that libuv writes from, until its callback.
private final class WriteRequest {
  let request = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
  let memory: UnsafeMutableRawBufferPointer

  init(byteCount: Int) {
    memory = .allocate(byteCount: byteCount, alignment: 1)
  }

  deinit {
    request.deallocate()
    memory.deallocate()
  }
}

extension ByteStream {
  /// Bytes written and not yet taken by the system.
  package var queuedBytes: Int { writing.totalBytes }

  /// Writes a chunk after those before it.
  ///
  /// A peer that reads so slowly that more than `Limits.linkQueueBytes` already wait is given up:
  /// the stream fails with ENOBUFS.
  package func write(_ chunk: [UInt8]) { write([chunk]) }

  /// Writes several chunks, in as few system calls as they allow.
  package func write(_ chunks: [[UInt8]]) {
    loop.assertOnLoop()
    guard isOpen, !isEnding else { return }
    guard writing.totalBytes <= Limits.linkQueueBytes else {
      return fail(
        "writing to \(name)", UV_ENOBUFS.rawValue,
        remedy: "the peer does not read; it is given up until it connects again")
    }
    for chunk in chunks {
      sentBytes &+= UInt64(chunk.count)
      writing.append(chunk)
    }
    flush()
  }

  /// Hands chunks to the system until it takes no more; the rest of one gather waits in libuv.
  private func flush() {
    while isOpen, writing.bytesInFlight == 0, writing.waitingBytes > 0 {
      let gathered = writing.gathered
      let total = writing.chunks.prefix(gathered).reduce(-writing.offset) { $0 + $1.count }
      let code = tryWrite(gathered)
      if code < 0, code != UV_EAGAIN.rawValue { return fail("writing to \(name)", code) }
      let taken = max(0, Int(code))
      writing.consume(taken)
      if taken < total { wait(total - taken) }
    }
  }

  /// The number of bytes that the system takes of the first chunks without waiting, or a negative code.
  private func tryWrite(_ count: Int) -> Int32 {
    withUnsafeTemporaryAllocation(of: uv_buf_t.self, capacity: count) { buffers in
      lend(to: buffers, at: 0) {
        uv_try_write(pointer(), buffers.baseAddress, UInt32(buffers.count))
      }
    }
  }

  /// Points one buffer at each chunk, as long as `body` runs.
  private func lend(
    to buffers: UnsafeMutableBufferPointer<uv_buf_t>, at index: Int, _ body: () -> Int32
  ) -> Int32 {
    guard index < buffers.count else { return body() }
    let skipped = index == 0 ? writing.offset : 0
    return writing.chunks[index].withUnsafeBytes { bytes in
      let rest = UnsafeRawBufferPointer(rebasing: bytes[skipped...])
      let base = UnsafeMutableRawPointer(mutating: rest.baseAddress)
      buffers[index] = uv_buf_init(
        base?.assumingMemoryBound(to: CChar.self), UInt32(clamping: rest.count))
      return lend(to: buffers, at: index + 1, body)
    }
  }

  /// Copies the next `count` bytes into memory that stays put, and lets libuv write them when it can.
  private func wait(_ count: Int) {
    let request = WriteRequest(byteCount: count)
    copy(count, into: request.memory)
    writing.consume(count)
    writing.bytesInFlight = count
    writing.didWait = true
    request.request.pointee.data = Unmanaged.passRetained(request).toOpaque()
    var buffer = uv_buf_init(
      request.memory.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(clamping: count))
    let code = uv_write(request.request, pointer(), &buffer, 1) { request, status in
      guard let request, let data = request.pointee.data else { return }
      let stream = ByteStream.open(request.pointee.handle)
      Unmanaged<WriteRequest>.fromOpaque(data).release()
      stream?.wrote(status)
    }
    if code != 0 {
      Unmanaged.passUnretained(request).release()
      fail("writing to \(name)", code)
    }
  }

  private func copy(_ count: Int, into memory: UnsafeMutableRawBufferPointer) {
    var filled = 0
    var index = 0
    var skipped = writing.offset
    while filled < count {
      let part = writing.chunks[index].dropFirst(skipped).prefix(count - filled)
      UnsafeMutableRawBufferPointer(rebasing: memory[filled...]).copyBytes(from: part)
      filled += part.count
      index += 1
      skipped = 0
    }
  }

  private func wrote(_ status: Int32) {
    writing.bytesInFlight = 0
    guard status == 0 else { return fail("writing to \(name)", status) }
    flush()
    guard isOpen, writing.totalBytes == 0 else { return }
    if isEnding { return shutDown() }
    guard writing.didWait else { return }
    writing.didWait = false
    onDrain?()
  }
}

// MARK: Ending

extension ByteStream {
  /// Writes what is queued, ends this side, and closes when the peer has ended its own.
  ///
  /// Closing at once instead would make the system throw away what the peer has not read yet,
  /// if the peer is sending. A peer that does not end within `timeout` is not waited for.
  package func end(timeout: Duration = Limits.closeTimeout) {
    loop.assertOnLoop()
    guard isOpen, !isEnding else { return }
    isEnding = true
    let timer = LoopTimer(loop: loop) { [weak self] in self?.close(.here) }
    timer.start(after: timeout)
    endTimer = timer
    startReading()
    if isOpen, writing.totalBytes == 0 { shutDown() }
  }

  private func shutDown() {
    let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
    let code = uv_shutdown(request, pointer()) { request, _ in request?.deallocate() }
    if code != 0 {
      request.deallocate()
      close(.here)
    }
  }
}
