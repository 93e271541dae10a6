internal import COpenSSL

/// OpenSSL's error after a call that failed.
struct OpenSSLFailure {
  /// Nil if it said nothing.
  let reason: Int32?
  /// Its words: "wrong version number".
  let words: String

  /// Takes the oldest error of this thread's queue, and empties the queue.
  init() {
    let code = ERR_get_error()
    ERR_clear_error()
    reason = code == 0 ? nil : atoll_error_reason(code)
    words = ERR_reason_error_string(code).map { String(cString: $0) } ?? "no reason was given"
  }
}

/// Memory that OpenSSL writes to and reads from as if it were a file or a socket.
final class MemoryBuffer {
  let pointer: OpaquePointer

  init?() {
    guard let pointer = BIO_new(BIO_s_mem()) else { return nil }
    self.pointer = pointer
  }

  /// Holds a copy of `bytes`.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Int(Int32.max), let pointer = BIO_new(BIO_s_mem()) else { return nil }
    self.pointer = pointer
    guard BIO_write(pointer, bytes, Int32(bytes.count)) == bytes.count else { return nil }
  }

  deinit { BIO_free(pointer) }

  /// Everything that was written and not yet read.
  func take() -> [UInt8] {
    let count = Int(clamping: atoll_bio_pending(pointer))
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, taken in
      taken = max(0, Int(BIO_read(pointer, buffer.baseAddress, Int32(clamping: count))))
    }
  }
}
