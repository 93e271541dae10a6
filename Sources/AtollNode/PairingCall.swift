import AtollChanges
import AtollEventLoop
package import AtollStorage
package import AtollTransport
package import AtollVocabulary
import AtollWire
private import Foundation

/// Goes to the node that made a pairing code, and shows that this one was given it.
///
/// For programs without a loop: ``make()`` waits for the answer, for bounded time.
package final class PairingCall: Sendable {
  /// The node that is in this one's roster now, as this one is in its.
  package struct Outcome: Sendable {
    package var entry: RosterEntry
    /// The store in whose roster this node is.
    package var storeID: StoreID
  }

  /// Why the nodes do not know each other.
  package enum Failure: Error, Hashable, Sendable {
    case unreachable(peer: String, reason: String)
    /// Another node answers there; it was told nothing.
    case wrongNode(peer: String, found: NodeIdentity)
    case refused(peer: String, reason: String)
    case silent(peer: String)
  }

  /// Confined to the loop.
  private final class Line {
    var dial: Dial?
    var link: Link?
    var timer: LoopTimer?
    var isSettled = false
  }

  private let address: String
  private let endpoint: Endpoint
  private let code: PairingCode
  private let credentials: Credentials
  private let loop: EventLoop
  private let news = Mailbox<Result<Outcome, Failure>>()
  private let line = LoopBound(Line())

  /// - Throws: `TransportError` for what is no address, `EventLoopError` without descriptors or threads.
  package init(_ code: PairingCode, at address: String, as credentials: Credentials) throws {
    endpoint = try Endpoint(address)
    self.address = address
    self.code = code
    self.credentials = credentials
    loop = try EventLoop(name: "atoll-pair")
  }

  /// Connects, makes sure who is there, shows the proof, and waits for the answer.
  package func make() throws(Failure) -> Outcome {
    loop.perform { [self] in begin() }
    let answer = news.take()?.first
    let isClosed = DispatchSemaphore(value: 0)
    Task { [loop] in
      await loop.stop()
      isClosed.signal()
    }
    _ = isClosed.wait(timeout: .now() + .seconds(2))
    guard let answer else { throw .silent(peer: address) }
    return try answer.get()
  }

  // MARK: On the loop

  private func begin() {
    let timer = LoopTimer(loop: loop) { [self] in settle(.failure(.silent(peer: address))) }
    timer.start(after: Limits.connectTimeout + Limits.handshakeTimeout * 2)
    line.value.timer = timer
    do throws(TransportError) {
      let security = LinkSecurity(.always, try TLSContext(credentials))
      line.value.dial = Dial(endpoint, security, purpose: .pairing, loop: loop) { [self] result in
        switch result {
        case .success(let channel): show(channel)
        case .failure(let error): unreachable("\(error)")
        }
      }
    } catch {
      unreachable("\(error)")
    }
  }

  private func unreachable(_ reason: String) {
    settle(.failure(.unreachable(peer: address, reason: reason)))
  }

  private func show(_ channel: Channel) {
    let link = Link(channel, compression: Compression())
    line.value.link = link
    guard let peer = channel.peer,
      let connection = channel.exportedKey(label: PairingProof.exporterLabel)
    else { return unreachable("the connection is not secured") }
    // Only the node that made the code may hear of the secret, and only in a form for this connection.
    guard code.isOf(peer.identity) else {
      return settle(.failure(.wrongNode(peer: address, found: peer.identity)))
    }
    link.onFrame = { [self] frame in received(frame, from: peer) }
    link.onMalformed = { [self] error in refused("\(error)") }
    link.onClose = { [self] reason in refused("\(reason)") }
    link.send(.pair(PairingProof(of: code.secret, over: connection)))
    link.start()
  }

  private func received(_ frame: Frame, from peer: Channel.Peer) {
    switch frame {
    case .paired(let storeID):
      let entry = RosterEntry(
        identity: peer.identity, name: peer.claimedName, addresses: [address])
      settle(.success(Outcome(entry: entry, storeID: storeID)))
    case .goodbye(let goodbye): refused(goodbye.text)
    case .hello, .changesets, .chunk, .chunkReceipt, .progress, .request, .keepAlive, .digest,
      .prune,
      .acknowledgements, .question, .answer, .pair, .declined, .credit, .clock, .expedited,
      .snapshotOffer, .snapshotRequest, .snapshotWanted, .snapshotPage, .backfillRequest, .backfill,
      .localHello, .committed:
      refused("it answered with a \(frame.kind) frame")
    }
  }

  private func refused(_ reason: String) {
    settle(.failure(.refused(peer: address, reason: reason)))
  }

  private func settle(_ result: Result<Outcome, Failure>) {
    guard !line.value.isSettled else { return }
    line.value.isSettled = true
    line.value.timer?.close()
    line.value.link?.close()
    news.put(result)
  }
}

extension PairingCall.Failure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreachable(_, let reason): "pairing: \(reason)"
    case .wrongNode(let peer, let found):
      "pairing: the node at \(peer) is \(found), which did not make this code; it was told nothing. "
        + "Check the address, and that nobody stands between"
    case .refused(let peer, let reason): "pairing: \(peer) refused: \(reason)"
    case .silent(let peer): "pairing: \(peer) did not answer in time"
    }
  }
}
