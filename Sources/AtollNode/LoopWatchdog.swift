package import AtollEventLoop
internal import AtollVocabulary
internal import CoreMetrics
private import Foundation
package import Logging
private import Synchronization

/// Asks an event loop for an answer again and again, from a thread of its own, and reports when none
/// comes.
///
/// The loop never waits on anything; if it does not answer for `Limits.loopTimeout`, something in it
/// computes or blocks, and no peer is heard meanwhile. It is said when it is found out, each time the
/// block has become twice as long, and when it is over.
package final class LoopWatchdog: Sendable {
  private struct State {
    /// The time of the question that has no answer yet.
    var askedAt: Instant?
    /// The time without an answer at the last report; zero if there was none.
    var reported = Duration.zero
    var isEnded = false
  }

  private let loop: EventLoop
  private let logger: Logger
  private let onAnswer: @Sendable () -> Void
  private let state = Mutex(State())
  private let delays: CoreMetrics.Timer
  private let blocked: Gauge
  private let blocks: CoreMetrics.Counter

  /// Starts the thread; `onAnswer` is called on the loop at every answer.
  package init(
    _ loop: EventLoop, logger: Logger, metrics: MetricSource,
    onAnswer: @escaping @Sendable () -> Void = {}
  ) {
    self.loop = loop
    self.logger = logger
    self.onAnswer = onAnswer
    delays = metrics.timer(.loopDelaySeconds)
    blocked = metrics.gauge(.loopBlockedSeconds)
    blocks = metrics.counter(.loopBlocks)
    let thread = Thread { [self] in
      Thread.current.name = "atoll-watchdog"
      while turn() { Thread.sleep(forTimeInterval: Limits.loopQuestionInterval.inSeconds) }
    }
    thread.stackSize = 256 << 10
    thread.start()
  }

  /// For how long the loop has not answered; nil while it answers within its time.
  package var blockedFor: Duration? {
    let now = loop.now
    let waited = state.withLock { $0.askedAt }.map { now.duration(since: $0) } ?? .zero
    return waited < Limits.loopTimeout ? nil : waited
  }

  /// Asks no more; the thread ends within `Limits.loopQuestionInterval`.
  package func stop() { state.withLock { $0.isEnded = true } }

  /// Asks, or looks how long the last question has waited; false at the end.
  private func turn() -> Bool {
    let now = loop.now
    enum Step {
      case ask
      case wait(Duration, isNews: Bool)
      case end
    }
    let step = state.withLock { state -> Step in
      if state.isEnded { return .end }
      guard let askedAt = state.askedAt else {
        state.askedAt = now
        return .ask
      }
      let waited = now.duration(since: askedAt)
      let isNews = waited >= max(Limits.loopTimeout, state.reported * 2)
      if isNews { state.reported = waited }
      return .wait(waited, isNews: isNews)
    }
    switch step {
    case .end: return false
    case .ask: loop.perform { [self] in answered(since: now) }
    case .wait(let waited, let isNews):
      blocked.record(waited < Limits.loopTimeout ? 0 : waited.inSeconds)
      if isNews { report(waited) }
    }
    return true
  }

  private func report(_ waited: Duration) {
    if waited < Limits.loopTimeout * 2 { blocks.increment() }
    logger.warning(
      """
      the event loop "\(loop.name)" has not answered for \(waited): peers are not heard meanwhile. \
      If it goes on, a stack of each thread (`gdb -p`, `eu-stack -p`) tells what it does
      """, metadata: ["seconds": "\(waited.inSeconds)"])
  }

  private func answered(since asked: Instant) {
    let waited = loop.now.duration(since: asked)
    let wasReported = state.withLock { state in
      state.askedAt = nil
      defer { state.reported = .zero }
      return state.reported > .zero
    }
    delays.record(waited)
    blocked.record(0)
    if wasReported {
      logger.warning(
        "the event loop \"\(loop.name)\" answers again; it was blocked for \(waited)",
        metadata: ["seconds": "\(waited.inSeconds)"])
    }
    onAnswer()
  }
}
