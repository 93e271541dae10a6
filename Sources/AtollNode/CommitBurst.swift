import AtollEventLoop
import AtollVocabulary

/// Looks at the file at once for a commit that comes alone, and once for those of a burst.
///
/// Each look costs half a dozen hops between threads here and at the peers. An application that
/// commits thousands of times a second fills the processors with them, and itself waits.
final class CommitBurst {
  private let loop: EventLoop
  private let look: () -> Void
  private var timer: LoopTimer?
  private var lookedAt: Instant?
  private var isGathering = false

  init(loop: EventLoop, look: @escaping () -> Void) {
    self.loop = loop
    self.look = look
    timer = LoopTimer(loop: loop) { [weak self] in self?.lookNow() }
  }

  /// A process announced a commit.
  func announced() {
    guard !isGathering else { return }
    if let lookedAt, loop.now.duration(since: lookedAt) < Limits.commitBurstSpacing {
      isGathering = true
      timer?.start(after: Limits.commitBurstDelay)
    } else {
      lookNow()
    }
  }

  func close() {
    timer?.close()
    timer = nil
  }

  private func lookNow() {
    isGathering = false
    lookedAt = loop.now
    look()
  }
}
