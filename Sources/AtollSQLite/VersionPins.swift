import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The versions of a store that the open snapshots of all processes show.
///
/// A pin is a shared open-file-description lock on one byte of `<store>-lock`; the place of the byte says
/// whose it is and what of:
///
///      62  61            22  21         0
///     | 1 |  commit number  | process id |
///
/// Nothing is written, two system calls are all it costs, and a process that is killed leaves no pin.
package final class VersionPins {
  /// One version that a process shows.
  package struct Pin: Hashable, Sendable {
    package let version: Int64
    package let process: Int32

    /// The process's name and id, as error messages have it.
    package var holder: String { "\(LockHolders.name(of: process)) (process \(process))" }
  }

  private let descriptor: Int32
  private var pinned: off_t?

  private static let mark: off_t = 1 << 62
  private static let processBits: off_t = 22
  private static let versionMask: off_t = (1 << 40) - 1

  /// Opens the lock file; nil if there is none and it must not, or cannot, be made.
  package init?(path: String, isReadOnly: Bool) {
    descriptor = open(
      path, isReadOnly ? O_RDONLY | O_CLOEXEC : O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Says that this one shows a version, and none other any more.
  package func pin(_ version: Int64) {
    unpin()
    let place =
      Self.mark | (off_t(version) & Self.versionMask) << Self.processBits
      | off_t(getpid()) & ((1 << Self.processBits) - 1)
    // For counting and for messages; a pin that is refused is not counted.
    if csqlite_lock_byte(descriptor, Int16(F_RDLCK), place) == 0 { pinned = place }
  }

  package func unpin() {
    guard let pinned else { return }
    _ = csqlite_lock_byte(descriptor, Int16(F_UNLCK), pinned)
    self.pinned = nil
  }

  /// Returns the pins of all processes, ascending by version; at most `bound` of them.
  package func all(bound: Int) -> [Pin] {
    var places: Set<off_t> = pinned.map { [$0] } ?? []
    // The system names any one of the locks in a range; what is on both sides of it is asked again.
    var ranges: [ClosedRange<off_t>] = [Self.mark...off_t.max - 1]
    while let range = ranges.popLast(), places.count < bound {
      var place: off_t = 0
      let length = range.upperBound - range.lowerBound + 1
      guard csqlite_find_lock(descriptor, range.lowerBound, length, &place) == 1,
        range.contains(place)
      else { continue }
      places.insert(place)
      if place > range.lowerBound { ranges.append(range.lowerBound...place - 1) }
      if place < range.upperBound { ranges.append(place + 1...range.upperBound) }
    }
    return places.sorted().map { place in
      Pin(
        version: Int64(place >> Self.processBits & Self.versionMask),
        process: Int32(truncatingIfNeeded: place & ((1 << Self.processBits) - 1)))
    }
  }
}
