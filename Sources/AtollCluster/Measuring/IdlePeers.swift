import AtollChanges
import AtollEventLoop
import AtollTransport
import AtollVocabulary
import AtollWire
import Synchronization

/// Peers that have what the daemon's store has, and nothing to say; confined to their loop.
///
/// Each shakes hands, says every now and then that it is there, and confirms what it is told of others.
final class IdlePeers {
  private let loop: EventLoop
  private let endpoint: Endpoint
  private let storeID: StoreID
  private let holdings: Holdings
  private let tally: Tally
  private var left: Int

  /// Connections that are under way at a time.
  private static let atOnce = 50

  /// The results of the peers; for any thread.
  final class Tally: Sendable {
    /// The number of peers that the daemon has greeted, and the reasons of links that ended.
    let state = Mutex<(linked: Int, failures: [String])>((0, []))

    fileprivate func record(failure: String) { state.withLock { $0.failures.append(failure) } }
  }

  /// One end of a link.
  private final class Peer {
    let author = Author(
      replica: ReplicaID(high: .random(in: 1 ... .max), low: .random(in: 1 ... .max)),
      incarnation: Incarnation(.random(in: 1 ... .max)))
    var link: Link?
    var timer: LoopTimer?
    /// The last number of what the daemon told of others.
    var told: UInt64 = 0
    var hasHeard = false
  }

  init(
    _ count: Int, at endpoint: Endpoint, of storeID: StoreID, holding holdings: Holdings,
    loop: EventLoop, tally: Tally
  ) {
    self.loop = loop
    self.tally = tally
    self.endpoint = endpoint
    self.storeID = storeID
    self.holdings = holdings
    left = count
    for _ in 0..<min(count, Self.atOnce) { dialNext() }
  }

  private func dialNext() {
    guard left > 0 else { return }
    left -= 1
    _ = Dial(endpoint, LinkSecurity(.automatic, nil), loop: loop) { [self] result in
      switch result {
      case .success(let channel): begin(Link(channel, compression: Compression()))
      case .failure(let error): tally.record(failure: "\(error)")
      }
    }
  }

  private func begin(_ link: Link) {
    let peer = Peer()
    peer.link = link
    link.onFrame = { [self] frame in receive(frame, peer) }
    link.onClose = { [self] reason in tally.record(failure: "\(reason)") }
    link.send(
      .hello(
        Hello(
          storeID: storeID, author: peer.author, agent: "an idle peer", isEagerWanted: false,
          holdings: holdings)))
    link.start()
  }

  private func receive(_ frame: Frame, _ peer: Peer) {
    switch frame {
    case .hello:
      guard !peer.hasHeard else { return }
      peer.hasHeard = true
      tally.state.withLock { $0.linked += 1 }
      let timer = LoopTimer(loop: loop) { [self] in sayAgain(peer) }
      peer.timer = timer
      timer.start(after: Limits.keepAliveInterval)
      dialNext()
    case .acknowledgements(let known): peer.told = max(peer.told, known.number)
    case .goodbye(let goodbye): tally.record(failure: goodbye.text)
    case .changesets, .expedited, .chunk, .chunkReceipt, .progress, .request, .keepAlive, .digest,
      .prune, .declined, .credit, .clock, .snapshotOffer, .snapshotRequest, .snapshotWanted,
      .snapshotPage, .backfillRequest, .backfill, .question, .answer, .pair, .paired, .localHello,
      .committed:
      break
    }
  }

  private func sayAgain(_ peer: Peer) {
    peer.link?.send(.keepAlive(holdings))
    peer.link?.send(
      .acknowledgements(Acknowledgements(number: 0, follows: 0, received: peer.told)))
    peer.timer?.start(after: Limits.keepAliveInterval)
  }
}
