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

  /// Tries until nothing is thrown any more, ten times a second.
  ///
  /// - Returns: what the attempt that succeeded did.
  /// - Throws: what the last attempt within the bound threw.
  static func retry<Answer>(_ bound: Duration, _ attempt: () throws -> Answer) throws -> Answer {
    let deadline = ContinuousClock.now + bound
    while true {
      do {
        return try attempt()
      } catch {
        guard ContinuousClock.now < deadline else { throw error }
        Thread.sleep(forTimeInterval: 0.1)
      }
    }
  }
}
