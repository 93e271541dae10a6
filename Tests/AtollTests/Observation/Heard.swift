import Dispatch
import Foundation

/// The reports of an observer, in order; a test waits for the next one, with a bound.
final class Heard<Report>: @unchecked Sendable {
  /// For observers that want one of their own.
  let queue = DispatchQueue(label: "observer")
  private let condition = NSCondition()
  private var reports: [Report] = []

  func note(_ report: Report) {
    condition.withLock {
      reports.append(report)
      condition.broadcast()
    }
  }

  func next(within seconds: TimeInterval = 10) -> Report? {
    let end = Date(timeIntervalSinceNow: seconds)
    return condition.withLock {
      while reports.isEmpty { if !condition.wait(until: end) { return nil } }
      return reports.removeFirst()
    }
  }

  /// Every report that came and was not taken.
  func takeAll() -> [Report] {
    condition.withLock {
      defer { reports = [] }
      return reports
    }
  }

  /// The same for tests in tasks, whose thread others may be waiting for.
  func following() async -> Report? {
    nonisolated(unsafe) var report: Report?
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        report = self.next()
        continuation.resume()
      }
    }
    return report
  }
}
