import Foundation
import Synchronization

/// One application that writes beside a daemon: its process, which may be ended and started again,
/// and what it has been told is committed.
final class Writer: Sendable {
  let name: String
  private let state = Mutex(State())

  private struct State {
    var program: Program?
    /// The number of the last entry whose transaction returned.
    var acknowledged = 0
    /// The number of the entry that the next process begins with.
    var first = 1
    /// Numbers whose loss a restored backup explains.
    var excused: [ClosedRange<Int>] = []
    var broken: [String] = []
    var starts = 0

    mutating func acknowledge(_ number: Int) {
      acknowledged = max(acknowledged, number)
      first = max(first, number + 1)
    }
  }

  /// A writer that does not run yet, and has heard of `acknowledged` entries already.
  init(name: String, acknowledged: Int = 0) {
    self.name = name
    state.withLock { $0.acknowledge(acknowledged) }
  }

  var acknowledged: Int { state.withLock { $0.acknowledged } }
  var first: Int { state.withLock { $0.first } }
  var excused: [ClosedRange<Int>] { state.withLock { $0.excused } }
  var broken: [String] { state.withLock { $0.broken } }

  /// Starts the process where the last one ended; does nothing if it runs.
  ///
  /// At most `rate` transactions a second, with a clock `ahead` milliseconds before this machine's; `seed`
  /// and how often it was started decide what it writes.
  func start(
    _ path: String, rate: Double, ahead: Int64 = 0, seed: UInt64, cleanUp: CleanUp
  ) throws {
    try state.withLock { state in
      guard state.program == nil else { return }
      state.starts += 1
      state.program = try Program(
        Program.sibling("atoll-cluster"),
        [
          "application", "work", path, "--writer", name, "--first", "\(state.first)",
          "--rate", "\(rate)", "--ahead=\(ahead)", "--seed", "\(seed &+ UInt64(state.starts))",
        ], name: "application \(name)", cleanUp: cleanUp)
    }
  }

  /// Ends the process with SIGKILL, if it runs, having heard what it said.
  func kill() {
    state.withLock { state in
      state.program?.kill()
      _ = state.program?.output.waitForEnd(until: Date(timeIntervalSinceNow: 5))
      listen(&state)
      state.program = nil
    }
  }

  /// Takes what the process has said; notes if it has ended by itself.
  func listen() { state.withLock { listen(&$0) } }

  /// Notes that a restored backup may have taken entries after `number` with it.
  ///
  /// The process may have been ended between a commit and its "wrote", and a peer may have that entry. To
  /// make it again would count it twice, so the next process begins with the number after it.
  func excuse(after number: Int) {
    state.withLock { state in
      state.excused.append(number + 1...state.first)
      state.first += 1
    }
  }

  private func listen(_ state: inout State) {
    guard let program = state.program else { return }
    while let line = program.output.next(until: .distantPast) {
      let words = line.split(separator: " ", maxSplits: 1)
      if words.first == "wrote", let number = words.last.flatMap({ Int($0) }) {
        state.acknowledge(number)
      } else {
        state.broken.append("application \(name) says: \(line)")
      }
    }
  }
}
