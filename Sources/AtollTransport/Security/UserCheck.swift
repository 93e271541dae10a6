package import AtollEventLoop
import AtollVocabulary

/// Makes sure that the other end of a plain stream within this machine belongs to one user.
///
/// A process that was connected to may not have accepted yet, so that nobody has the other end: it is asked
/// again, for `Limits.connectTimeout` at most.
package final class UserCheck {
  private let stream: ByteStream
  private let user: UInt32
  private var handler: ((TransportError?) -> Void)?
  private var timer: LoopTimer?
  private var pause = Duration.milliseconds(1)
  private var left = Limits.connectTimeout

  /// Begins; the handler gets what is wrong, or nil, perhaps at once, and is not called after ``cancel()``.
  package init(
    _ stream: ByteStream, user: UInt32, loop: EventLoop,
    handler: @escaping (TransportError?) -> Void
  ) {
    self.stream = stream
    self.user = user
    self.handler = handler
    timer = LoopTimer(loop: loop) { self.look() }
    look()
  }

  package func cancel() {
    handler = nil
    finish(nil)
  }

  private func look() {
    let peer = stream.peerAddress?.description ?? stream.name
    switch stream.peerUser {
    case .user(user): finish(nil)
    case .user(let found): finish(.otherUser(peer: peer, found: found, expected: user))
    case .unknown(let detail): finish(.unknownUser(peer: peer, detail: detail))
    case .notYet:
      guard left > .zero else {
        return finish(.unknownUser(peer: peer, detail: "no process accepts the connection"))
      }
      left -= pause
      timer?.start(after: pause)
      pause = min(pause * 2, .milliseconds(100))
    }
  }

  private func finish(_ problem: TransportError?) {
    let handler = handler
    self.handler = nil
    timer?.close()
    timer = nil
    handler?(problem)
  }
}
