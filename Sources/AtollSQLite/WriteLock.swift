import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// One lock across processes for every write and every checkpoint of a store.
///
/// An open-file-description lock on two bytes of `<store>-lock`: byte 1 is the lock, byte 0 a
/// turnstile. Who waits holds the turnstile, and who comes back for the lock must pass it first, so
/// that a writer who works in short pieces cannot starve one who waits. A process that is stopped in
/// the turnstile holds nobody up: whoever has waited there for long takes the lock if it is free. The
/// lock ends with its process. The file's text is the last holder's name and process id, for messages
/// only.
package final class WriteLock {
  package enum Failure: Error, Hashable, Sendable {
    /// Somebody else held it all the time; the name as they wrote it, nil if they wrote none.
    case timedOut(holder: String?, waited: Duration)
    /// The system refused to open the lock's file, or to lock it.
    case system(FileFailure)
  }

  package let path: String
  package private(set) var isHeld = false
  private let descriptor: Int32
  private let holder: [UInt8]

  private static let holderBytes = 128
  private static let turnstile: off_t = 0
  private static let lock: off_t = 1
  private static let firstPause: UInt64 = 20_000
  private static let longestPause: UInt64 = 1_000_000
  /// The time for which the process in the turnstile goes first: while it runs, it asks for the lock
  /// every ``longestPause``.
  private static let turnstileTimeout = Duration.milliseconds(100)

  /// Makes or opens the lock file; takes nothing yet.
  package init(path: String, holderName: String) throws(Failure) {
    self.path = path
    // Of one length, so that a shorter name leaves nothing of a longer one before it.
    let text = Array("\(holderName) (process \(getpid()))".utf8.prefix(Self.holderBytes - 1))
    holder =
      text + Array(repeating: UInt8(ascii: " "), count: Self.holderBytes - 1 - text.count)
      + [UInt8(ascii: "\n")]
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(FileFailure("open", path: path)) }
  }

  deinit { close(descriptor) }

  /// Takes the lock, waiting at most `timeout`.
  package func acquire(timeout: Duration) throws(Failure) {
    let start = ContinuousClock.now
    var wait = Wait(deadline: start.advanced(by: timeout))
    while try !take(Self.turnstile) {
      if ContinuousClock.now > start.advanced(by: Self.turnstileTimeout), try take(Self.lock) {
        return begin()
      }
      guard wait.pause() else { throw .timedOut(holder: readHolder(), waited: timeout) }
    }
    defer { give(Self.turnstile) }
    while try !take(Self.lock) {
      guard wait.pause() else { throw .timedOut(holder: readHolder(), waited: timeout) }
    }
    begin()
  }

  private func begin() {
    isHeld = true
    // For messages only: a name that cannot be written costs a worse message.
    _ = pwrite(descriptor, holder, holder.count, 0)
  }

  package func release() {
    guard isHeld else { return }
    isHeld = false
    give(Self.lock)
  }

  /// True if somebody waits for the lock that this one holds.
  package var isWanted: Bool {
    guard csqlite_lock_byte(descriptor, Int16(F_WRLCK), Self.turnstile) == 0 else { return true }
    give(Self.turnstile)
    return false
  }

  /// Takes a byte; false if somebody else has it.
  private func take(_ byte: off_t) throws(Failure) -> Bool {
    if csqlite_lock_byte(descriptor, Int16(F_WRLCK), byte) == 0 { return true }
    guard errno == EAGAIN || errno == EACCES || errno == EINTR else {
      throw .system(FileFailure("fcntl", path: path))
    }
    return false
  }

  private func give(_ byte: off_t) {
    _ = csqlite_lock_byte(descriptor, Int16(F_UNLCK), byte)
  }

  private func readHolder() -> String? {
    var bytes = [UInt8](repeating: 0, count: Self.holderBytes)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    let text = bytes.prefix(max(count, 0)).reversed().drop { $0 <= 0x20 }.reversed()
    return text.isEmpty ? nil : String(decoding: Array(text), as: UTF8.self)
  }

  /// Pauses that grow, until a deadline.
  private struct Wait {
    let deadline: ContinuousClock.Instant
    private var nanoseconds = WriteLock.firstPause

    init(deadline: ContinuousClock.Instant) { self.deadline = deadline }

    /// Lets time pass; false if none is left.
    mutating func pause() -> Bool {
      guard ContinuousClock.now < deadline else { return false }
      var interval = timespec(tv_sec: 0, tv_nsec: Int(nanoseconds))
      nanosleep(&interval, nil)
      nanoseconds = min(nanoseconds * 2, WriteLock.longestPause)
      return true
    }
  }
}
