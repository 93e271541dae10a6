import AtollChanges
import AtollPresence
import AtollReplication
import AtollStorage
import AtollTransport
import AtollVocabulary
import AtollWire
private import Foundation

/// The status of a store for people, updated as things happen.
struct StatusBoard {
  /// True if something happened since ``status()`` was asked for.
  private(set) var isChanged = false
  private var pending = PendingPeers()
  private var current: StoreStatus
  private var applied: VersionVector
  /// The changesets that each peer has applied, as far as it has said.
  private var progress: [String: VersionVector] = [:]
  /// The rate at which changesets are applied, here and by each peer.
  private var pace = Throughput()
  private var paces: [String: Throughput] = [:]
  /// By link, the place of its peer in ``StoreStatus/peers``.
  private var places: [LinkID: Int] = [:]
  /// The link of the snapshot that is being taken, or was last.
  private var bootstrapLink: LinkID?
  /// The peer's author on each link.
  private var authors: [LinkID: Author] = [:]
  /// The author of whom the peer at the other end said last that it takes nothing.
  private var declined: [LinkID: Author] = [:]

  init(
    _ configuration: NodeConfiguration, listening: String?, identity: NodeIdentity?,
    opened: StoreService.Opened, peers: [PeerID]
  ) {
    applied = opened.holdings.applied
    current = StoreStatus(
      processID: ProcessInfo.processInfo.processIdentifier, agent: configuration.agent,
      listening: listening,
      store: opened.storeID.description, replica: opened.author.description, applied: [:],
      peers: peers.map { StoreStatus.Peer(address: $0.address, isConfigured: true) }, time: 0)
    current.identity = identity?.description
    record(paused: opened.isPaused)
    // A reader may be in another folder.
    current.identityFile = configuration.identityFile.map { URL(fileURLWithPath: $0).path }
  }

  /// Peers that the status names.
  var peerCount: Int { current.peers.count }

  /// The status as of now.
  mutating func status(at now: Instant) -> StoreStatus {
    isChanged = false
    var status = current
    status.applyingPerSecond = pace.perSecond(at: now)
    status.time = Int64(Date().timeIntervalSince1970 * 1000)
    for entry in applied.entries {
      status.applied[entry.author.description] = entry.sequence.rawValue
    }
    for index in status.peers.indices {
      let replica = status.peers[index].replica
      if let replica, status.peers[index].isConnected {
        status.peers[index].applyingPerSecond = paces[replica]?.perSecond(at: now)
      }
      status.peers[index].behind = replica.flatMap { progress[$0] }.map(applied.count(beyond:))
    }
    return status
  }

  /// Something that is not on the board is to be published with it.
  mutating func recordChange() { isChanged = true }

  mutating func record(paused isPaused: Bool) {
    current.isPaused = isPaused ? true : nil
    isChanged = true
  }

  mutating func record(_ event: Event, at now: Instant) {
    switch event {
    case .logAdvanced(let holdings), .deferredApplied(let holdings, _, _):
      applied = holdings.applied
      isChanged = true
    case .applied(_, let outcomes, let holdings):
      applied = holdings.applied
      pace.add(UInt64(outcomes.count { if case .applied = $0 { true } else { false } }), at: now)
      isChanged = true
    case .incarnationStarted(let author):
      current.replica = author.description
      isChanged = true
    case .snapshotStaged(_, _, let pages): record(staged: pages)
    case .snapshotInstalled(_, _, let holdings, let logStart):
      applied = holdings.applied
      current.bootstrap = nil
      record(logStart)
    case .logStartChanged(let logStart), .backfillKept(_, let logStart, _): record(logStart)
    case .linkClosed(let link, _), .snapshotFailed(let link, _):
      if bootstrapLink == link { current.bootstrap = nil }
      isChanged = true
    case .received(let link, .progress(let holdings)),
      .received(let link, .keepAlive(let holdings)):
      record(stored: holdings.stored, at: link)
    case .start, .remembered, .stop, .peersChanged, .connectAgain, .connectFailed, .linkOpened,
      .received, .reading, .revoked, .malformed, .logRead, .logReadFailed, .applyFailed, .diskFull,
      .expeditedRead, .memoryChanged, .membersChanged, .deferredApplyFailed, .digestRead,
      .digestChanged, .answered, .snapshotMade, .snapshotRead, .backfillRead, .timer:
      break
    }
  }

  private mutating func record(staged pages: Int) {
    guard var bootstrap = current.bootstrap else { return }
    bootstrap.bytes = min(pages * Limits.snapshotPageBytes, bootstrap.of)
    bootstrap.isInstalling = bootstrap.bytes == bootstrap.of
    current.bootstrap = bootstrap
    isChanged = true
  }

  private mutating func record(_ logStart: LogStart) {
    current.backfill = logStart.missing.map { $0.through.count(beyond: $0.after) }
    isChanged = true
  }

  /// The log was cut.
  mutating func record(_ truncation: LogTruncation) {
    current.truncation = StoreStatus.Truncation(
      changesets: truncation.changesets, bytes: truncation.bytes,
      time: Int64(Date().timeIntervalSince1970 * 1000))
    isChanged = true
  }

  /// Records the classes whose rows were modified externally.
  mutating func record(modifiedExternally classes: [String]) {
    current.modifiedExternally = classes
    isChanged = true
  }

  mutating func record(_ latest: PeerProgress, at now: Instant) {
    let name = latest.peer.description
    if let before = progress[name] {
      paces[name, default: Throughput()].add(
        latest.holdings.applied.count(beyond: before), at: now)
    }
    progress[name] = latest.holdings.applied
    isChanged = true
  }

  mutating func record(_ event: StatusEvent) {
    isChanged = true
    switch event {
    case .connectFailed(let peer, let reason, _):
      guard let place = configuredPlace(of: .dialed(peer)) else { return }
      current.peers[place].lastError = reason
    case .linked(let link, let origin, let peer, let agent):
      let place = place(of: origin, peer)
      places[link] = place
      authors[link] = peer
      current.peers[place].isConnected = true
      current.peers[place].replica = peer.description
      current.peers[place].agent = agent
      current.peers[place].lastError = nil
      current.peers[place].declined = nil
      current.peers[place].leftOut = nil
      current.peers[place].diskFull = nil
    case .unlinked(let link, let origin, _, let reason, _):
      (authors[link], declined[link]) = (nil, nil)
      guard let place = places.removeValue(forKey: link) ?? configuredPlace(of: origin) else {
        return
      }
      current.peers[place].isConnected = places.values.contains(place)
      if !current.peers[place].isConnected { current.peers[place].clockAhead = nil }
      current.peers[place].lastError = reason.description
      forget(place, ifDialed: origin)
    case .diverged(let link, _, let ours, let theirs):
      guard let place = places[link] else { return }
      current.peers[place].divergence = "digest \(ours.digest) here, \(theirs.digest) there"
    case .agreed(let link, _):
      if let place = places[link] { current.peers[place].divergence = nil }
    case .diskFull(let reason): current.diskFull = reason
    case .diskHasSpace: current.diskFull = nil
    case .peerDiskFull(let link, _, let reason):
      if let place = places[link] { current.peers[place].diskFull = reason }
    case .peerDiskHasSpace(let link, _):
      if let place = places[link] { current.peers[place].diskFull = nil }
    case .window(let byteCount, _): current.window = byteCount
    case .bootstrapping(let link, let offer):
      bootstrapLink = link
      current.bootstrap = StoreStatus.Bootstrap(
        from: places[link].map { current.peers[$0].address } ?? "", bytes: 0,
        of: offer.pages * Limits.snapshotPageBytes, objects: offer.objects, isInstalling: false)
    case .overflowing(let link, let author, _, _, let reason):
      if let place = places[link] { current.peers[place].leftOut = "\(author): \(reason)" }
    case .caughtUp, .deferredByClock, .branched, .equivocation, .refused,
      .bootstrapped, .wantingSnapshot, .snapshotEarly, .snapshotRefused, .backfillLost:
      break
    }
  }

  // MARK: Who they are

  /// A node came that is in no roster; whether it had not come before.
  mutating func record(pending identity: NodeIdentity, name: String, address: String) -> Bool {
    isChanged = true
    defer { current.pending = pending.entries }
    return pending.record(identity, name: name, address: address)
  }

  /// These are in the roster.
  mutating func record(admitted identities: [NodeIdentity]) {
    isChanged = true
    pending.forget(identities)
    current.pending = pending.entries.isEmpty ? nil : pending.entries
  }

  /// The peer at the other end of a link takes nothing that an author writes.
  mutating func record(declined author: Author, reason: String, at link: LinkID) {
    guard let place = places[link] else { return }
    isChanged = true
    declined[link] = author
    current.peers[place].declined = "\(author): \(reason)"
  }

  /// A peer that has everything of an author takes it by now.
  private mutating func record(stored: VersionVector, at link: LinkID) {
    guard let author = declined[link], let place = places[link], stored[author] > .none,
      stored[author] >= applied[author]
    else { return }
    isChanged = true
    declined[link] = nil
    current.peers[place].declined = nil
  }

  /// Records the offset of the clock at the other end of a link.
  ///
  /// Told at once the first time; then it goes along with what else is new.
  mutating func record(clockAhead milliseconds: Int64, at link: LinkID) {
    guard let place = places[link] else { return }
    if current.peers[place].clockAhead == nil { isChanged = true }
    current.peers[place].clockAhead = milliseconds
  }

  /// Records the peer of a link, and its name in the roster.
  mutating func identify(_ link: LinkID, _ peer: Channel.Peer, _ roster: [RosterEntry]) {
    guard let place = places[link] else { return }
    current.peers[place].identity = peer.identity.description
    current.peers[place].name = roster.first { $0.identity == peer.identity }?.name
  }

  /// The configuration names these peers from now on; what is known of the others is kept while
  /// they are linked.
  mutating func change(to peers: [PeerID]) {
    let former = current.peers
    let linked = Set(places.values)
    var order = peers.map { peer in former.firstIndex { $0.address == peer.address } }
    current.peers = zip(peers, order).map { peer, place in
      var entry = place.map { former[$0] } ?? StoreStatus.Peer(address: peer.address)
      entry.isConfigured = true
      return entry
    }
    for place in former.indices where !order.contains(place) {
      guard !former[place].isConfigured || linked.contains(place) else { continue }
      order.append(place)
      current.peers.append(former[place])
      current.peers[current.peers.count - 1].isConfigured = false
    }
    places = places.compactMapValues { order.firstIndex(of: $0) }
    isChanged = true
  }

  /// A peer that was configured once and is no longer is forgotten with its last link.
  private mutating func forget(_ place: Int, ifDialed origin: LinkOrigin) {
    guard case .dialed = origin, !current.peers[place].isConfigured,
      !current.peers[place].isConnected
    else { return }
    current.peers.remove(at: place)
    places = places.mapValues { $0 > place ? $0 - 1 : $0 }
  }

  /// The place in the status of the peer at the other end of a link; nil before its handshake.
  func place(of link: LinkID) -> Int? { places[link] }

  /// Returns the peer of a link; nil before its handshake.
  func peer(at link: LinkID) -> Author? { authors[link] }

  /// A configured peer has its own place; one that connected gets the one it had, or a new one.
  private mutating func place(of origin: LinkOrigin, _ peer: Author) -> Int {
    if let place = configuredPlace(of: origin) { return place }
    // A peer in another incarnation is the same peer.
    if let place = current.peers.firstIndex(where: {
      $0.replica.flatMap { Author($0) }?.replica == peer.replica
    }) {
      return place
    }
    if current.peers.count >= Limits.peers, let place = current.peers.indices.last {
      return place
    }
    current.peers.append(StoreStatus.Peer(address: origin.description))
    return current.peers.count - 1
  }

  private func configuredPlace(of origin: LinkOrigin) -> Int? {
    switch origin {
    case .dialed(let peer):
      current.peers.firstIndex { $0.isConfigured && $0.address == peer.address }
    case .accepted: nil
    }
  }
}
