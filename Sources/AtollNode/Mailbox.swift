private import Foundation

/// Requests for a thread that takes all that wait at once.
///
/// Its bound is with those who put: an engine has one batch and one read a link under way.
final class Mailbox<Element: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  // Both are only touched under `condition`.
  private var elements: [Element] = []
  private var isClosed = false

  /// Adds an element; one that comes after ``close()`` is dropped.
  func put(_ element: Element) {
    condition.lock()
    defer { condition.unlock() }
    guard !isClosed else { return }
    elements.append(element)
    if elements.count == 1 { condition.signal() }
  }

  /// Waits for elements and takes all; nil after the end.
  func take() -> [Element]? {
    condition.lock()
    defer { condition.unlock() }
    while elements.isEmpty {
      if isClosed { return nil }
      condition.wait()
    }
    defer { elements = [] }
    return elements
  }

  /// The number of elements that nobody has taken yet.
  var count: Int {
    condition.lock()
    defer { condition.unlock() }
    return elements.count
  }

  /// Takes no more; what is there can still be taken.
  func close() {
    condition.lock()
    defer { condition.unlock() }
    isClosed = true
    condition.signal()
  }
}
