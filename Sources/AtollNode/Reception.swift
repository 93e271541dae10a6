import AtollChanges
import AtollEventLoop
import AtollTransport
import AtollVocabulary
import AtollWire
import Logging

/// The listener for peers, which finds the store that each of them means.
///
/// On secured links, a peer first proves its identity; one that no store knows is turned away
/// before any store is named. Of the stores that know it, if there is one, the link is that one's
/// hub's from the first byte. With several, the peer's hello names the store; a link that names
/// none of them is given to the first, which refuses it with words.
final class Reception {
  private let loop: EventLoop
  private let compression: Compression
  private let security: LinkSecurity
  /// Nil where links are not secured.
  private let context: TLSContext?
  private let logger: Logger
  /// Users whose connections were refused, which is logged once of each.
  private var refusedUsers: Set<String> = []
  private var visitors = PairingVisitors()
  private var listener: TCPListener?
  private var hubs: [Hub] = []
  /// Streams that have not proved whose they are, the oldest first.
  private var halfOpen: [(number: Int, handshake: TLSHandshake)] = []
  private var lastNumber = 0
  /// Links that have not said what they are for, with the timers that bound their silence.
  private var waiting: [ObjectIdentifier: (link: Link, timer: LoopTimer)] = [:]

  /// Those of them that are for pairing, the oldest first; anybody may open one.
  private var pairing: [Link] = []

  /// Listens at once; peers that connect before ``open(to:)`` are turned away.
  init(
    address: SocketAddress, inherited: Int32?, security: LinkSecurity, context: TLSContext?,
    loop: EventLoop, compression: Compression, logger: Logger
  ) throws(EventLoopError) {
    self.loop = loop
    self.security = security
    self.context = context
    self.logger = logger
    self.compression = compression
    let handler = { [weak self] (stream: ByteStream) -> Void in self?.accept(stream) }
    listener =
      if let inherited {
        try TCPListener(inherited: inherited, boundTo: address, loop: loop, handler: handler)
      } else {
        try TCPListener(address: address, loop: loop, handler: handler)
      }
  }

  /// The address at which it listens, with the port it got.
  var address: SocketAddress? { listener?.address }

  func open(to hubs: [Hub]) { self.hubs = hubs }

  func close() {
    listener?.close()
    listener = nil
    hubs = []
    for (_, handshake) in halfOpen { handshake.cancel() }
    halfOpen = []
    for (link, timer) in waiting.values {
      timer.close()
      link.close()
    }
    waiting = [:]
    pairing = []
  }

  private func accept(_ stream: ByteStream) {
    guard !hubs.isEmpty, waiting.count - pairing.count < Limits.peers else { return stream.close() }
    if let context { return secure(stream, context) }
    guard let address = stream.peerAddress, let user = security.requiredUser(at: address) else {
      return welcome(Channel(plain: stream))
    }
    // A peer that connects has its end from the start, so that nothing is waited for.
    _ = UserCheck(stream, user: user, loop: loop) { [weak self] problem in
      guard let self else { return stream.close() }
      guard let problem else { return welcome(Channel(plain: stream)) }
      refuse(stream, problem)
    }
  }

  /// Turns another user of this machine away, with words.
  private func refuse(_ stream: ByteStream, _ problem: TransportError) {
    let text = "\(problem)"
    var subject = text
    if case .otherUser(_, let found, _) = problem { subject = "user \(found)" }
    if refusedUsers.count < Limits.pendingPeers, refusedUsers.insert(subject).inserted {
      logger.warning("a connection was refused: \(problem)")
    }
    dismiss(Link(Channel(plain: stream), compression: compression), Goodbye(.stranger, text))
  }

  /// Has a stream prove its identity; peers that do so at once are never kept out by those that do not.
  private func secure(_ stream: ByteStream, _ context: TLSContext) {
    if halfOpen.count >= Limits.halfOpenLinks { halfOpen.removeFirst().handshake.cancel() }
    lastNumber += 1
    let number = lastNumber
    let handshake = TLSHandshake(accepting: stream, context) { [weak self] result in
      guard let self else { return }
      halfOpen.removeAll { $0.number == number }
      if case .success(let channel) = result { welcome(channel) }
    }
    halfOpen.append((number, handshake))
  }

  private func welcome(_ channel: Channel) {
    let isPairing = channel.peer?.purpose == .pairing
    let link = Link(
      channel, compression: compression,
      payloadBytes: isPairing ? Limits.pairingBytes : Limits.frameBytes)
    guard let peer = channel.peer else { return lead(link, to: hubs) }
    switch peer.purpose {
    case .pairing: pair(link, channel, peer)
    case .exchange:
      let knowing = hubs.filter { $0.admits(peer.identity) }
      guard knowing.isEmpty else { return lead(link, to: knowing) }
      for hub in hubs { hub.turnAway(peer, at: channel.peerName) }
      dismiss(link, .stranger)
    }
  }

  private func lead(_ link: Link, to hubs: [Hub]) {
    if hubs.count == 1 { return give(link, to: hubs[0]) }
    let others = waiting.values.count {
      $0.link.peer != nil && $0.link.peer?.identity == link.peer?.identity
    }
    guard others < Limits.keyLinks else { return dismiss(link, Hub.crowded) }
    wait(for: link) { [weak self] frame in self?.pass(link, frame) }
  }

  private func pass(_ link: Link, _ frame: Frame) {
    forget(link)
    let hubs = hubs.filter { hub in link.peer.map { hub.admits($0.identity) } ?? true }
    var meant = hubs.first
    if case .hello(let hello) = frame {
      meant = hubs.first { $0.storeID == hello.storeID } ?? meant
    } else if case .question(let question) = frame {
      meant = hubs.first { $0.storeID == question.storeID } ?? meant
    }
    guard let meant else { return dismiss(link, .stranger) }
    give(link, to: meant, first: frame)
  }

  /// Hands a link over, unless its key has as many there as one may.
  private func give(_ link: Link, to hub: Hub, first frame: Frame? = nil) {
    if let peer = link.peer, hub.isCrowded(by: peer.identity) { return dismiss(link, Hub.crowded) }
    hub.accept(link, from: link.peerName, first: frame)
  }

  // MARK: Pairing

  /// Hears what a node has to say that was perhaps given a code, and looks for the code's store.
  private func pair(_ link: Link, _ channel: Channel, _ peer: Channel.Peer) {
    pairing = pairing.filter { waiting[ObjectIdentifier($0)] != nil }
    if pairing.count >= Limits.pairingLinks {
      let oldest = pairing.removeFirst()
      forget(oldest)
      oldest.close()
    }
    pairing.append(link)
    wait(for: link) { [weak self] frame in
      guard let self else { return }
      guard case .pair(let proof) = frame,
        let connection = channel.exportedKey(label: PairingProof.exporterLabel)
      else {
        forget(link)
        return dismiss(link, Goodbye(.malformed, "a link for pairing begins with a proof"))
      }
      let host = channel.stream.peerAddress?.host ?? ""
      guard visitors.admit(host, at: loop.now) else {
        forget(link)
        let text =
          "\(Limits.pairingAttempts) codes were tried from this address already; try again in "
          + "\(Limits.pairingAttemptInterval)"
        return dismiss(link, Goodbye(.unpaired, text))
      }
      var left = hubs.count
      var storeID: StoreID?
      for hub in hubs {
        hub.redeem(proof, over: connection, by: peer) { isGood in
          left -= 1
          if isGood { storeID = storeID ?? hub.storeID }
          if left == 0 { self.answer(link, storeID) }
        }
      }
    }
  }

  private func answer(_ link: Link, _ storeID: StoreID?) {
    forget(link)
    guard let storeID else {
      let text = "the code is wrong, used or too old; make another with `atoll pair STORE`"
      return dismiss(link, Goodbye(.unpaired, text))
    }
    link.send(.paired(storeID))
    link.close()
  }

  // MARK: Waiting

  /// Keeps a link until it has said what it wants, or for as long as a handshake may take.
  private func wait(for link: Link, _ heard: @escaping (Frame) -> Void) {
    let timer = LoopTimer(loop: loop) { [weak self] in
      self?.forget(link)
      link.close()
    }
    timer.start(after: Limits.handshakeTimeout)
    waiting[ObjectIdentifier(link)] = (link, timer)
    link.onFrame = heard
    link.onMalformed = { [weak self] error in
      self?.forget(link)
      self?.dismiss(link, Goodbye(.malformed, "\(error)"))
    }
    link.onClose = { [weak self] _ in self?.forget(link) }
    link.start()
  }

  private func dismiss(_ link: Link, _ goodbye: Goodbye) {
    link.send(.goodbye(goodbye))
    link.close()
  }

  private func forget(_ link: Link) {
    waiting.removeValue(forKey: ObjectIdentifier(link))?.timer.close()
  }
}
