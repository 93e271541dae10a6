import Synchronization

/// The end of every misuse.
///
/// Swift has no catchable exceptions, so a broken rule of use stops the process, always through
/// here and always with a sentence that names what was being done and with which values. Where a
/// misuse depends on data, a throwing form stands beside the one that stops.
package enum Trap {
  private static let watcher = Mutex<(@Sendable (String) -> Void)?>(nil)

  /// Lets a test see the sentence before the process ends.
  package static func watch(_ body: @escaping @Sendable (String) -> Void) {
    watcher.withLock { $0 = body }
  }

  package static func stop(_ sentence: String) -> Never {
    watcher.withLock { $0 }?(sentence)
    fatalError(sentence)
  }
}
