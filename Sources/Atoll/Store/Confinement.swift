import Dispatch
import Foundation

/// Where a store may be used: on one thread, or on one serial queue.
struct Confinement {
  private let thread: pthread_t
  let queue: DispatchQueue?

  private static let key = DispatchSpecificKey<ObjectIdentifier>()

  init(_ queue: DispatchQueue?) {
    self.queue = queue
    thread = pthread_self()
  }

  /// Lets `isCurrent` recognise the queue.
  static func mark(_ queue: DispatchQueue) {
    queue.setSpecific(key: key, value: ObjectIdentifier(queue))
  }

  var isCurrent: Bool {
    guard let queue else { return pthread_equal(thread, pthread_self()) != 0 }
    return DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(queue)
  }

  func stop(_ doing: String) -> Never {
    guard let queue else {
      Trap.stop(
        "\(doing) on another thread than the one that opened the store. A store and its objects "
          + "belong to one thread. Open another Store there, or open it for a serial queue with "
          + "Store(configuration:queue:).")
    }
    Trap.stop(
      "\(doing) outside the queue '\(queue.label)', for which the store was opened. "
        + "Dispatch to that queue, or open another Store where you are.")
  }
}
