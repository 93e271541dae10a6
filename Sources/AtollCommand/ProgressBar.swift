import Foundation

/// The progress of a long command, on standard error if that is a terminal; else nothing.
struct ProgressBar {
  private let label: String
  private let total: Int?
  private let isShown = isatty(STDERR_FILENO) == 1
  private let start = ContinuousClock.now
  private var lastShown: ContinuousClock.Instant?
  private static let width = 30

  /// Begins; `total` is what ``advance(to:)`` comes to in the end, nil if that is not known.
  init(_ label: String, total: Int?) {
    self.label = label
    self.total = total
  }

  /// Shows the state, at most ten times a second.
  mutating func advance(to done: Int) {
    guard isShown else { return }
    let now = ContinuousClock.now
    if let lastShown, lastShown.duration(to: now) < .milliseconds(100) { return }
    lastShown = now
    write("\r\u{1B}[K" + line(done, after: start.duration(to: now)))
  }

  func clear() { if isShown, lastShown != nil { write("\r\u{1B}[K") } }

  /// `importing [#####.....]  50%  00:12 left`.
  func line(_ done: Int, after elapsed: Duration) -> String {
    guard let total, total > 0 else { return "\(label) \(done)" }
    let part = min(1, Double(done) / Double(total))
    let filled = Int(part * Double(Self.width))
    let bar =
      String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
    let percent = "\(Int(part * 100))%"
    let left = part > 0 ? Int((elapsed / .seconds(1)) * (1 - part) / part) : 0
    let clock = "\(left / 60 < 10 ? "0" : "")\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60)"
    return "\(label) [\(bar)] \(percent)  \(clock) left"
  }

  private func write(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
