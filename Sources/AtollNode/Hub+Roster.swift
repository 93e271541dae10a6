import AtollEventLoop
import AtollReplication
import AtollStorage
import AtollTransport
import AtollVocabulary
import AtollWire

// The roster of this store's file, and the effects of its changes.
extension Hub {
  /// Tells whether a node may get anything of this store.
  func admits(_ identity: NodeIdentity) -> Bool { roster.contains { $0.identity == identity } }

  /// A node came that this store does not know.
  func turnAway(_ peer: Channel.Peer, at address: String) {
    let isNew = board.record(pending: peer.identity, name: peer.claimedName, address: address)
    if isNew { log.stranger(peer.identity, name: peer.claimedName, address: address) }
    announceStatus()
  }

  /// Takes the roster as it is now: cuts off who is not in it any more, connects to who is new.
  func take(_ roster: [RosterEntry]) {
    let former = Dictionary(self.roster.map { ($0.identity, $0.role) }) { $1 }
    self.roster = roster
    pinned = pinned.filter { admits($0.value) }
    board.record(admitted: roster.map(\.identity))
    for (id, link) in links.sorted(by: { $0.key < $1.key }) {
      guard let peer = link.peer else { continue }
      if !admits(peer.identity) {
        handle(.revoked(id, .stranger))
      } else if former[peer.identity] != role(of: id) {
        // Begun anew, so that both sides go by the new role from the first frame.
        link.close()
      }
    }
    connect()
    handle(.connectAgain)
    announceStatus()
  }

  /// The peers to stay connected to: those of the configuration, then those of the roster.
  ///
  /// None as long as the store is paused.
  func connect() {
    let addresses = roster.flatMap(\.addresses).map { PeerID($0) }
    let peers = configured + addresses.filter { !configured.contains($0) }
    for (peer, dial) in dials where isPaused || !peers.contains(peer) {
      dial.cancel()
      dials[peer] = nil
    }
    board.change(to: peers)
    handle(.peersChanged(isPaused ? [] : peers))
  }

  /// Ends all links and makes no more, or begins again.
  func pause(_ isPaused: Bool) {
    guard isPaused != self.isPaused else { return }
    self.isPaused = isPaused
    log.paused(isPaused)
    board.record(paused: isPaused)
    connect()
    if isPaused {
      for id in links.keys.sorted() { handle(.revoked(id, .paused)) }
    } else {
      handle(.connectAgain)
    }
    announceStatus()
  }

  /// Why nothing is said to whoever answers at a peer's address; nil if it is who it should be.
  func objection(to channel: Channel, dialed peer: PeerID) -> String? {
    guard let found = channel.peer else { return nil }
    let expected = roster.filter { $0.addresses.contains(peer.address) }
    if !expected.isEmpty, !expected.contains(where: { $0.identity == found.identity }) {
      let names = expected.map { "\($0.name) (\($0.identity))" }.joined(separator: " or ")
      return "the node at \(peer) is \(found.identity), and the roster expects \(names) there: "
        + "another node has the address, or its key was replaced. Compare identities "
        + "(`atoll identity` there), then `atoll peer remove` and `atoll peer add`"
    }
    guard !admits(found.identity) else { return nil }
    turnAway(found, at: peer.address)
    return "the node at \(peer) is \(found.identity), which this store does not know: if "
      + "`atoll identity` says the same there, run `atoll peer accept`"
  }

  /// Looks whether a node was given the code; `then` is called with the answer.
  func redeem(
    _ proof: PairingProof, over connection: [UInt8], by peer: Channel.Peer,
    _ then: @escaping (Bool) -> Void
  ) {
    lastRedemption += 1
    redemptions[lastRedemption] = then
    service.request(
      .redeem(
        PairingAttempt(
          number: lastRedemption, proof: proof, connection: connection,
          identity: peer.identity, name: peer.claimedName)))
  }

  func redeemed(_ number: Int, _ isGood: Bool) {
    redemptions.removeValue(forKey: number)?(isGood)
  }
}
