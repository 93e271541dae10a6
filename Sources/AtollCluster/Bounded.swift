import Foundation

/// Waiting for something that another process does and that announces itself only in a file.
enum Bounded {
  /// Asks again and again until there is an answer.
  ///
  /// - Returns: the answer; nil when the time is over, or when there is no point any more.
  static func wait<Answer>(
    _ bound: Duration, while isWorthwhile: () -> Bool = { true }, _ ask: () throws -> Answer?
  ) rethrows -> Answer? {
    let deadline = ContinuousClock.now + bound
    while ContinuousClock.now < deadline, isWorthwhile() {
      if let answer = try ask() { return answer }
      Thread.sleep(forTimeInterval: 0.005)
    }
    return try ask()
  }
}
