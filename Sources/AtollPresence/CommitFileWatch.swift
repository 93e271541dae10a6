package import AtollEventLoop
import AtollVocabulary

/// Calls a handler soon after any process wrote to a store's write-ahead log.
///
/// The fallback where nobody says "committed". The first event of a commit comes before its last
/// byte, and a busy writer makes thousands of events; so an event only starts a short pause, during
/// which nothing is watched, and the handler is called at its end. A commit is visible only after
/// its flush, which the log does not show; so a few more calls follow, after pauses that grow. Events that
/// follow each other soon are gathered for longer. Where there is nothing to watch (no log file yet, no
/// watches left), the handler is called every now and then instead.
package final class CommitFileWatch {
  private let path: String
  private let loop: EventLoop
  private let handler: () -> Void
  private var watch: FileWatch?
  private var timer: LoopTimer?
  private var sweep: LoopTimer?
  /// The pause before the next call, and those after it.
  private var pauses: ArraySlice<Duration> = []
  private var writtenAt: Instant?

  /// Together as long as a slow disk's flush.
  private static let pauses = [1, 2, 4, 10, 13, 20].map { Duration.milliseconds($0) }
  /// Of them, those that a busy writer is spared.
  private static let shortPauses = 3

  /// Begins to watch.
  package init(_ paths: StorePaths, loop: EventLoop, handler: @escaping () -> Void) {
    path = paths.log
    self.loop = loop
    self.handler = handler
    timer = LoopTimer(loop: loop) { [weak self] in
      self?.look()
    }
    sweep = LoopTimer(loop: loop) { [weak self] in self?.rearm() }
    rearm()
  }

  package func close() {
    watch?.close()
    timer?.close()
    sweep?.close()
    (watch, timer, sweep) = (nil, nil, nil)
  }

  private func rearm() {
    sweep?.start(after: Limits.commitSweepInterval)
    arm()
    handler()
  }

  /// Watches anew: the log may have been replaced by another file of its name.
  private func arm() {
    watch?.close()
    watch = try? FileWatch(path: path, loop: loop) { [weak self] _ in self?.written() }
  }

  private func written() {
    watch?.close()
    watch = nil
    let isBusy = writtenAt.map { loop.now.duration(since: $0) < Limits.commitNoticeSpacing } == true
    writtenAt = loop.now
    pauses = Self.pauses.dropFirst(isBusy ? Self.shortPauses : 0)
    pause()
  }

  private func pause() {
    if let next = pauses.popFirst() { timer?.start(after: next) }
  }

  private func look() {
    pause()
    arm()
    handler()
  }
}
