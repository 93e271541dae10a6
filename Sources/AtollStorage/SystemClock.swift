package import AtollVocabulary

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Time, chance and name as the operating system gives them: the defaults of ``StoreOptions``.
package enum SystemClock {
  /// Milliseconds since 1970.
  @Sendable package static func wallTime() -> WallTime {
    let time = read(CLOCK_REALTIME)
    return WallTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Nanoseconds that never step back.
  @Sendable package static func instant() -> Instant {
    let time = read(CLOCK_MONOTONIC)
    return Instant(
      nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
  }

  /// Sixty-four random bits.
  @Sendable package static func random() -> UInt64 { UInt64.random(in: .min ... .max) }

  /// Lets some time pass.
  static func pause(milliseconds: Int) {
    var interval = timespec(tv_sec: 0, tv_nsec: milliseconds * 1_000_000)
    nanosleep(&interval, nil)
  }

  /// The name of this process as the system shows it.
  package static var processName: String {
    let path = CommandLine.arguments.first ?? "unknown"
    return path.split(separator: "/").last.map(String.init) ?? path
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    clock_gettime(clock, &time)
    return time
  }
}
