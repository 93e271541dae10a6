import AtollChanges
import AtollEventLoop
import AtollPresence
import AtollReplication
import AtollStorage
import AtollTransport
import AtollVocabulary
import AtollWire
import Logging

/// One store's engine, and the hands it has: performs its actions, brings it its events.
///
/// Confined to the loop. Decides nothing: what is said to whom is the engine's, what is written is
/// the storage's.
final class Hub {
  let paths: StorePaths
  let storeID: StoreID
  private let loop: EventLoop
  let service: StoreService
  let security: LinkSecurity
  private let compression: Compression
  private(set) var engine: Engine
  private(set) var links: [LinkID: Link] = [:]
  var dials: [PeerID: Dial] = [:]
  private var lastLink = LinkID(0)
  private var timer: LoopTimer?
  private var statusTimer: LoopTimer?
  private var isStatusComing = false
  private var localSocket: LocalSocket?
  private var commitBurst: CommitBurst?
  private var fileWatch: CommitFileWatch?
  var board: StatusBoard
  let log: HubLog
  var meters: HubMeters
  /// The faults of the node, as far as the hub and the writer thread have found them.
  var observed = HubHealth()
  var fileHealth = FileHealth()
  /// The names by which people call the replicas that are waited for.
  private var memberNames = ReplicaNames([:])
  /// The roster of the file, and the additions of the configuration.
  var roster: [RosterEntry]
  /// The keys that replicas showed on links of their own.
  var pinned: [ReplicaID: NodeIdentity]
  /// The replicas that owners of the store have removed.
  var removed: Set<ReplicaID> = []
  /// True if nothing is exchanged with other nodes until somebody says so.
  var isPaused: Bool
  private(set) var configured: [PeerID]
  /// Nodes that wait to hear whether they were given the right code.
  var redemptions: [Int: (Bool) -> Void] = [:]
  var lastRedemption = 0
  /// The author when the file was opened; its replica's id stays.
  let replica: Author
  /// By link, the authors of whom nothing is taken that came over it.
  var declined: [LinkID: [Author]] = [:]
  /// By link, what was told over it of others who take nothing of an author.
  var passedOn: [LinkID: Set<Declining>] = [:]
  var isIntroduced = false
  /// By established link.
  var clocks: [LinkID: PeerClock] = [:]
  let wallClock: @Sendable () -> WallTime
  /// Events that came while another was handled.
  private var waiting: [Event] = []
  private var isHandling = false
  /// The read-ahead of the present event.
  private var readAhead: [StoreService.ReadAhead] = []
  /// Called when the last link is gone, once the hub is stopping.
  private var onQuiet: (() -> Void)?

  init(
    service: StoreService, opened: StoreService.Opened, configuration: NodeConfiguration,
    memory: ExchangeMemory, listening: SocketAddress?, security: LinkSecurity, loop: EventLoop,
    compression: Compression, logger: Logger, metrics: MetricSource
  ) {
    paths = service.paths
    storeID = opened.storeID
    replica = opened.author
    self.service = service
    self.loop = loop
    self.compression = compression
    self.security = security
    wallClock = configuration.wallClock
    configured = configuration.peers.map { PeerID($0.description) }
    roster = opened.roster
    pinned = opened.pinned
    isPaused = opened.isPaused
    let known = configured
    let peers =
      configured
      + roster.flatMap(\.addresses).map { PeerID($0) }
      .filter { !known.contains($0) }
    engine = Engine(
      EngineConfiguration(
        storeID: opened.storeID, author: opened.author, agent: configuration.agent,
        peers: isPaused ? [] : peers, seed: UInt64.random(in: 0 ... .max), memory: memory,
        snapshotChangesets: configuration.snapshotChangesets))
    log = HubLog(logger: logger, store: paths.store)
    meters = HubMeters(metrics)
    board = StatusBoard(
      configuration, listening: listening?.description,
      identity: security.context?.identity, opened: opened, peers: peers)
  }

  /// Begins to listen to the file and to connect.
  func start(_ opened: StoreService.Opened) {
    timer = LoopTimer(loop: loop) { [weak self] in self?.handle(.timer) }
    statusTimer = LoopTimer(loop: loop) { [weak self] in self?.publishStatus() }
    do throws(EventLoopError) {
      let socket = try LocalSocket(
        paths, latest: opened.commit, compression: compression, loop: loop)
      let burst = CommitBurst(loop: loop) { [service] in service.requestCheck() }
      socket.onCommitted = { burst.announced() }
      localSocket = socket
      commitBurst = burst
    } catch {
      log.noLocalSocket(error)
    }
    handle(.logStartChanged(opened.logStart))
    handle(.start(opened.holdings))
    handle(.remembered(opened.known))
    fileWatch = CommitFileWatch(paths, loop: loop) { [service] in service.requestCheck() }
    log.serving(opened)
    service.request(.checkDigests)
    publishStatus()
  }

  /// Takes over a stream that another node opened.
  func accept(_ link: Link, from address: String, first frame: Frame? = nil) {
    let id = adopt(link)
    handle(.linkOpened(id, .accepted(from: address)))
    if isReader(id) { handle(.reading(id)) }
    if isPaused {
      handle(.revoked(id, .paused))
    } else if let frame {
      receive(frame, over: id)
    }
    link.start()
  }

  /// Takes the reports of the writer thread.
  func take(_ reports: [StoreService.Report]) {
    for report in reports {
      switch report {
      case .event(let event): handle(event)
      case .advance(let event, let readAhead):
        self.readAhead = readAhead
        handle(event)
        self.readAhead = []
      case .committed(let number, let previous): localSocket?.announce(number, after: previous)
      case .makingSnapshot: service.request(.store(.makeSnapshot))
      case .truncated(let truncation):
        log.truncated(truncation)
        board.record(truncation)
      case .remembered: localSocket?.nudge()
      case .roster(let entries): take(entries)
      case .paused(let isPaused): pause(isPaused)
      case .declined(let link, let authors, let reason): decline(authors, at: link, because: reason)
      case .admitted(let replica): log.admitted(replica)
      case .asked(let replica): log.asked(replica)
      case .redeemed(let number, let isGood): redeemed(number, isGood)
      case .members(let members): take(members)
      case .removed(let replicas): take(removed: replicas)
      case .damaged(let words): service.request(.damaged(words))
      case .fileHealth(let health):
        fileHealth = health
        meters.record(admissions: health.admissions)
        board.recordChange()
        announceStatus()
      case .trouble(let text):
        log.trouble(text)
        meters.recordTrouble()
      case .modifiedExternally(let classes):
        log.modifiedExternally(classes)
        board.record(modifiedExternally: classes)
        handle(.digestChanged)
      }
    }
  }

  /// Takes over who exists.
  private func take(_ members: [Member]) {
    memberNames = ReplicaNames(
      Dictionary(members.compactMap { m in m.name.map { (m.replica, $0) } }) { $1 })
    handle(
      .membersChanged(
        members.map { member in
          LaggingMember(member.replica, ended: Set(member.incarnations.filter(\.value).keys))
        }))
  }

  /// Connects to these peers from now on, and to those of the roster; other links go on.
  func change(to peers: [PeerID]) {
    configured = peers
    connect()
  }

  /// Says goodbye to peers and clients; `whenQuiet` is called when the last link is gone.
  func stop(whenQuiet: @escaping () -> Void) {
    onQuiet = whenQuiet
    fileWatch?.close()
    localSocket?.close()
    commitBurst?.close()
    for dial in dials.values { dial.cancel() }
    dials = [:]
    handle(.stop)
    timer?.close()
    statusTimer?.close()
    (fileWatch, localSocket, commitBurst) = (nil, nil, nil)
    (timer, statusTimer) = (nil, nil)
    if links.isEmpty { quieten() }
  }

  private func quieten() {
    let action = onQuiet
    onQuiet = nil
    action?()
  }

  // MARK: The engine

  /// Runs the engine on an event, then on those that its actions led to.
  func handle(_ event: Event) {
    waiting.append(event)
    guard !isHandling else { return }
    isHandling = true
    while !waiting.isEmpty {
      let events = waiting
      waiting = []
      for event in events {
        board.record(event, at: loop.now)
        meters.record(event)
        recordHealth(event)
        for action in engine.handle(event, at: loop.now) { perform(action) }
      }
    }
    isHandling = false
    announceStatus()
  }

  /// Has the status written soon, if it has changed.
  func announceStatus() {
    guard board.isChanged, !isStatusComing else { return }
    isStatusComing = true
    statusTimer?.start(after: Limits.statusInterval)
  }

  private func perform(_ action: Action) {
    switch action {
    case .connect(let peer): dial(peer)
    case .send(let link, let frame):
      meters.recordSending()
      links[link]?.send(frame)
      if case .keepAlive = frame { sayTime(link) }
    case .close(let link, _): links[link]?.close()
    case .store(let action): perform(action)
    case .setTimer(let instant): timer?.start(at: instant)
    case .report(let event):
      guard !isAboutDeclined(event) else { return }
      board.record(event)
      if case .linked(let link, _, _, _) = event { identified(link) }
      log.report(event)
      meters.record(event)
      recordHealth(event, at: loop.now)
      publish(event)
      if case .linked(let link, _, let author, _) = event {
        service.request(.announce)
        admit(author.replica, at: link)
        sayTime(link)
      }
    }
  }

  /// Hands an action on to the writer thread, unless the answer is here already.
  private func perform(_ action: StoreAction) {
    var sender: WritePermissions.Sender?
    if case .readLog(let link, let request) = action, let batch = takeReadAhead(link, request) {
      return waiting.append(.logRead(link, batch))
    }
    if case .apply(let link, _) = action { sender = self.sender(at: link) }
    if case .persistProgress(let known) = action {
      for progress in known { board.record(progress, at: loop.now) }
    }
    service.request(.store(action, from: sender))
  }

  /// Takes the read-ahead of the present event; an older one may lack the newest changesets.
  private func takeReadAhead(_ link: LinkID, _ request: LogRequest) -> LogBatch? {
    readAhead.firstIndex { $0.link == link && $0.after == request.after }
      .map { readAhead.remove(at: $0).batch }
  }

  // MARK: Being observed

  /// Brings what is not counted as it happens up to date; sizes of files follow a little later.
  func measure() {
    let status = board.status(at: loop.now)
    var queued = [Int](repeating: 0, count: status.peers.count)
    for (id, link) in links {
      meters.record(Self.traffic(of: link), of: id)
      if let place = board.place(of: id), queued.indices.contains(place) {
        queued[place] += link.queuedBytes
      }
    }
    meters.record(status, queued: queued)
    assess(status, at: loop.now)
    meters.record(engine.lags(at: loop.now), names: memberNames)
    meters.record(
      window: engine.window, waiting: waitingBytes, isFull: engine.diskFullReason != nil)
    meters.record(
      links: links.count, localClients: localSocket?.clientCount ?? 0,
      waiting: service.waitingRequests)
    service.request(.measure)
  }

  /// The memory in use for peers: changesets that wait to be applied or sent, and frames that
  /// sockets have not taken.
  var waitingBytes: Int { links.values.reduce(engine.waitingBytes) { $0 + $1.queuedBytes } }

  /// The store's state, with the conditions that hold now.
  func health() -> NodeHealth.Store {
    let status = board.status(at: loop.now)
    return NodeHealth.Store(
      path: paths.store, peersKnown: status.peers.count,
      peersConnected: status.peers.count { $0.isConnected }, waitingBytes: waitingBytes,
      conditions: assess(status, at: loop.now))
  }

  private static func traffic(of link: Link) -> HubMeters.Traffic {
    HubMeters.Traffic(received: link.receivedBytes, sent: link.sentBytes)
  }

  /// Has the connected peers written at once, for those that wait for one.
  ///
  /// Among many peers that would be too often.
  private func publish(_ event: StatusEvent) {
    guard board.peerCount <= Limits.promptStatusPeers else { return }
    switch event {
    case .linked, .unlinked, .diskFull, .diskHasSpace, .bootstrapping, .bootstrapped:
      publishStatus()
    case .connectFailed, .caughtUp, .deferredByClock, .overflowing, .branched, .equivocation,
      .refused, .diverged, .agreed, .peerDiskFull, .peerDiskHasSpace, .window, .wantingSnapshot,
      .snapshotEarly, .snapshotRefused, .backfillLost:
      break
    }
  }

  private func publishStatus() {
    isStatusComing = false
    var status = board.status(at: loop.now)
    let conditions = assess(status, at: loop.now)
    status.conditions = conditions.isEmpty ? nil : conditions
    service.request(.writeStatus(status))
    // The next one at the latest, if nothing happens; what happens brings it forward.
    statusTimer?.start(after: Limits.statusHeartbeat)
  }

  // MARK: Links

  private func dial(_ peer: PeerID) {
    let endpoint: Endpoint
    do throws(TransportError) {
      endpoint = try Endpoint(peer.address)
    } catch {
      return handle(.connectFailed(peer, reason: "\(error)"))
    }
    dials[peer] = Dial(endpoint, security, loop: loop) { [weak self] result in
      guard let self else { return }
      dials[peer] = nil
      switch result {
      case .success(let channel):
        let link = Link(channel, compression: compression)
        if let objection = objection(to: channel, dialed: peer) {
          link.close()
          return handle(.connectFailed(peer, reason: objection))
        }
        let id = adopt(link)
        handle(.linkOpened(id, .dialed(peer)))
        if isReader(id) { handle(.reading(id)) }
        link.start()
      case .failure(let error): handle(.connectFailed(peer, reason: "\(error)"))
      }
    }
  }

  private func adopt(_ link: Link) -> LinkID {
    lastLink = LinkID(lastLink.rawValue + 1)
    let id = lastLink
    links[id] = link
    link.onFrame = { [weak self] frame in
      if case .declined(let author, let reason) = frame { self?.heard(id, author, reason) }
      if case .clock(let reading) = frame { self?.hear(reading, from: id) }
      self?.receive(frame, over: id)
    }
    link.onMalformed = { [weak self] error in self?.handle(.malformed(id, error)) }
    link.onClose = { [weak self] reason in self?.closed(id, reason) }
    return id
  }

  private func closed(_ id: LinkID, _ reason: StreamClosing) {
    if let link = links.removeValue(forKey: id) {
      meters.record(Self.traffic(of: link), of: id, isLast: true)
    }
    declined[id] = nil
    passedOn[id] = nil
    clocks[id] = nil
    service.request(.forget(id))
    handle(.linkClosed(id, reason: reason.description))
    if links.isEmpty, onQuiet != nil { quieten() }
  }
}
