package import AtollChanges
import AtollEventLoop
package import AtollTransport
package import AtollVocabulary
import AtollWire
private import Foundation
private import Synchronization

/// Asks a running node what it holds, over a link of its own without a handshake.
///
/// Beyond this machine both ends show their keys: the node has to have that of the credentials in its
/// roster, and this side says whom it knows.
///
/// For programs without a loop: ``ask(_:)`` waits for the answer, ``Limits/digestTimeout`` at most.
package final class DigestInquiry: Sendable {
  /// Why there is no answer.
  package enum Failure: Error, Hashable, Sendable {
    case unreachable(peer: String, reason: String)
    case ended(peer: String, reason: String)
    case silent(peer: String)
    /// A node answers there that nobody let in here; it was asked nothing.
    case stranger(peer: String, identity: NodeIdentity)
  }

  /// Messages to the loop's thread; the link is only touched there.
  private enum News: Sendable {
    case answer(DigestAnswer)
    case failed(Failure)
  }

  /// Confined to the loop.
  private final class Line {
    var dial: Dial?
    var link: Link?
    var timer: LoopTimer?
    var pending: DigestQuestion?
    var end: Failure?
  }

  private let peer: String
  private let security: LoopBound<LinkSecurity>
  private let isKnown: @Sendable (NodeIdentity) -> Bool
  private let loop: EventLoop
  private let news = Mailbox<News>()
  private let line: LoopBound<Line>

  /// Begins to connect to `host:port`, where a node listens.
  ///
  /// - Parameters:
  ///   - peer: Where the node listens, as `host:port`.
  ///   - credentials: What the node is shown where the link is encrypted; nil if it never is.
  ///   - protection: Which links are encrypted.
  ///   - isKnown: Whether a node with that identity may be asked.
  /// - Throws: `TransportError` for what is no address, `EventLoopError` without descriptors or threads.
  package init(
    peer: String, as credentials: Credentials?, _ protection: LinkProtection = .automatic,
    isKnown: @escaping @Sendable (NodeIdentity) -> Bool
  ) throws {
    self.peer = peer
    self.isKnown = isKnown
    let context = try credentials.map { credentials throws(TransportError) in
      try TLSContext(credentials)
    }
    security = LoopBound(LinkSecurity(protection, context))
    let endpoint = try Endpoint(peer)
    loop = try EventLoop(name: "atoll-ask")
    line = LoopBound(Line())
    loop.perform { [self] in dial(endpoint) }
  }

  /// Brings a question and waits for what is said to it.
  package func ask(_ question: DigestQuestion) throws(Failure) -> DigestAnswer {
    loop.perform { [self] in send(question) }
    switch news.take()?.first {
    case .answer(let answer): return answer
    case .failed(let failure): throw failure
    case nil: throw .silent(peer: peer)
    }
  }

  /// Hangs up.
  package func close() {
    let isClosed = DispatchSemaphore(value: 0)
    loop.perform { [self] in
      line.value.dial?.cancel()
      line.value.timer?.close()
      line.value.link?.close()
      line.value.link = nil
    }
    Task { [loop] in
      await loop.stop()
      isClosed.signal()
    }
    _ = isClosed.wait(timeout: .now() + .seconds(2))
  }

  // MARK: On the loop

  private func dial(_ endpoint: Endpoint) {
    line.value.dial = Dial(endpoint, security.value, loop: loop) { [self] result in
      line.value.dial = nil
      switch result {
      case .success(let channel):
        let link = Link(channel, compression: Compression())
        if let peer = channel.peer, !isKnown(peer.identity) {
          link.close()
          return fail(.stranger(peer: self.peer, identity: peer.identity))
        }
        take(link)
      case .failure(let error): fail(.unreachable(peer: peer, reason: "\(error)"))
      }
    }
  }

  private func take(_ link: Link) {
    line.value.link = link
    link.onFrame = { [self] frame in received(frame) }
    link.onMalformed = { [self] error in fail(.ended(peer: peer, reason: "\(error)")) }
    link.onClose = { [self] reason in fail(.ended(peer: peer, reason: "\(reason)")) }
    if let question = line.value.pending { link.send(.question(question)) }
    link.start()
  }

  private func send(_ question: DigestQuestion) {
    if let end = line.value.end { return news.put(.failed(end)) }
    line.value.pending = question
    line.value.link?.send(.question(question))
    let timer = LoopTimer(loop: loop) { [self] in fail(.silent(peer: peer)) }
    timer.start(after: Limits.digestTimeout)
    line.value.timer = timer
  }

  private func received(_ frame: Frame) {
    switch frame {
    case .answer(let answer):
      guard line.value.pending != nil else { return }
      settle(.answer(answer))
    case .goodbye(let goodbye): fail(.ended(peer: peer, reason: "\(goodbye)"))
    case .hello, .changesets, .chunk, .chunkReceipt, .progress, .request, .keepAlive, .digest,
      .prune,
      .acknowledgements, .question, .pair, .paired, .declined, .credit, .clock, .expedited,
      .snapshotOffer, .snapshotRequest, .snapshotWanted, .snapshotPage, .backfillRequest, .backfill,
      .localHello, .committed:
      break
    }
  }

  private func fail(_ failure: Failure) {
    guard line.value.end == nil else { return }
    line.value.end = failure
    if line.value.pending != nil { settle(.failed(failure)) }
  }

  private func settle(_ what: News) {
    line.value.pending = nil
    line.value.timer?.close()
    line.value.timer = nil
    news.put(what)
  }
}

/// A value that only one thread touches, in something that many hold.
final class LoopBound<Value>: @unchecked Sendable {
  /// On the loop only.
  var value: Value

  init(_ value: Value) { self.value = value }
}

extension DigestInquiry.Failure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreachable(_, let reason): reason
    case .ended(let peer, let reason): "\(peer) ended the link: \(reason)"
    case .silent(let peer): "\(peer) said nothing for \(Limits.digestTimeout)"
    case .stranger(let peer, let identity):
      "the node at \(peer) is \(identity), which is not in this store's roster: check the address, and "
        + "pair the two (`atoll pair`) if it is the right one"
    }
  }
}
