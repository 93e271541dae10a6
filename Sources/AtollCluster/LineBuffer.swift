import DequeModule
import Foundation

/// The lines a child process has written, for a reader that waits with a bound.
///
/// Filled by the thread that reads the pipe, emptied by the one that waits; `condition` guards all
/// of it, which is why the class may call itself sendable.
final class LineBuffer: @unchecked Sendable {
  private let condition = NSCondition()
  private var lines: Deque<String> = []
  private var partial: [UInt8] = []
  private var isClosed = false
  /// The newest lines, taken or not.
  private var newest: [String] = []

  /// Takes what the process wrote; nothing means that it will write no more.
  func append(_ bytes: Data) {
    condition.withLock {
      if bytes.isEmpty { isClosed = true }
      for byte in bytes {
        if byte == UInt8(ascii: "\n") {
          let line = String(decoding: partial, as: UTF8.self)
          lines.append(line)
          newest = newest.suffix(19) + [line]
          partial = []
        } else {
          partial.append(byte)
        }
      }
      condition.broadcast()
    }
  }

  /// The next line; nil at the end of the output, or when the time is over.
  func next(until deadline: Date) -> String? {
    condition.withLock {
      while lines.isEmpty, !isClosed {
        guard condition.wait(until: deadline) else { break }
      }
      return lines.popFirst()
    }
  }

  /// Waits until the process has closed its output.
  func waitForEnd(until deadline: Date) -> Bool {
    condition.withLock {
      while !isClosed {
        guard condition.wait(until: deadline) else { break }
      }
      return isClosed
    }
  }

  /// The last lines, at most 20, for messages.
  var last: [String] { condition.withLock { newest } }
}
