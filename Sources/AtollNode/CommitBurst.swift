import AtollEventLoop
import AtollVocabulary

/// Looks at the file at once for a commit that comes alone, and once for those of a burst.
///
/// Each look costs half a dozen hops between threads here and at the peers. An application that
/// commits thousands of times a second fills the processors with them, and itself waits; the longer
/// it goes on, the more is gathered, so that peers flush their disks less often, which it waits for too.
final class CommitBurst {
  private let loop: EventLoop
  private let look: () -> Void
  private var timer: LoopTimer?
  private var pace = CommitPace()

  init(loop: EventLoop, look: @escaping () -> Void) {
    self.loop = loop
    self.look = look
    timer = LoopTimer(loop: loop) { [weak self] in self?.gathered() }
  }

  /// A process announced a commit.
  func announced() {
    switch pace.announced(at: loop.now) {
    case .look: look()
    case .gather(let delay): timer?.start(after: delay)
    case .wait: break
    }
  }

  func close() {
    timer?.close()
    timer = nil
  }

  private func gathered() {
    pace.gathered()
    look()
  }
}
