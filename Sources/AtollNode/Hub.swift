import AtollChanges
import AtollEventLoop
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
  private let service: StoreService
  private let compression: Compression
  private var engine: Engine
  private var links: [LinkID: Link] = [:]
  private var dials: [PeerID: Dial] = [:]
  private var lastLink = LinkID(0)
  private var timer: LoopTimer?
  private var statusTimer: LoopTimer?
  private var isStatusComing = false
  private var localSocket: LocalSocket?
  private var commitBurst: CommitBurst?
  private var fileWatch: CommitFileWatch?
  private var board: StatusBoard
  private var log: HubLog
  /// Events that came while another was handled.
  private var waiting: [Event] = []
  private var isHandling = false
  /// What the event at hand brought along.
  private var readAhead: [StoreService.ReadAhead] = []
  /// Called when the last link is gone, once the hub is stopping.
  private var onQuiet: (() -> Void)?

  init(
    service: StoreService, opened: StoreService.Opened, configuration: NodeConfiguration,
    listening: SocketAddress?, loop: EventLoop, compression: Compression, logger: Logger
  ) {
    paths = service.paths
    storeID = opened.storeID
    self.service = service
    self.loop = loop
    self.compression = compression
    let peers = configuration.peers.map { PeerID($0.description) }
    engine = Engine(
      EngineConfiguration(
        storeID: opened.storeID, author: opened.author, agent: configuration.agent, peers: peers,
        seed: UInt64.random(in: 0 ... .max)))
    log = HubLog(logger: logger, store: paths.store)
    board = StatusBoard(
      agent: configuration.agent, listening: listening?.description, opened: opened, peers: peers)
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
    handle(.start(opened.holdings))
    fileWatch = CommitFileWatch(paths, loop: loop) { [service] in service.requestCheck() }
    log.serving(opened)
    service.request(.checkDigests)
    publishStatus()
  }

  /// Takes over a stream that another node opened.
  func accept(_ link: Link, from address: String, first frame: Frame? = nil) {
    let id = adopt(link)
    handle(.linkOpened(id, .accepted(from: address)))
    if let frame { handle(.received(id, frame)) }
    link.start()
  }

  /// What the writer thread has to say.
  func take(_ reports: [StoreService.Report]) {
    for report in reports {
      switch report {
      case .event(let event): handle(event)
      case .advance(let event, let readAhead):
        self.readAhead = readAhead
        handle(event)
        self.readAhead = []
      case .committed(let number, let previous): localSocket?.announce(number, after: previous)
      case .trouble(let text): log.trouble(text)
      case .forced(let classes):
        log.forced(classes)
        board.note(forced: classes)
        handle(.digestChanged)
      }
    }
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
  private func handle(_ event: Event) {
    waiting.append(event)
    guard !isHandling else { return }
    isHandling = true
    while !waiting.isEmpty {
      let events = waiting
      waiting = []
      for event in events {
        board.note(event)
        for action in engine.handle(event, at: loop.now) { perform(action) }
      }
    }
    isHandling = false
    guard board.isChanged, !isStatusComing else { return }
    isStatusComing = true
    statusTimer?.start(after: Limits.statusInterval)
  }

  private func perform(_ action: Action) {
    switch action {
    case .connect(let peer): dial(peer)
    case .send(let link, let frame): links[link]?.send(frame)
    case .close(let link, _): links[link]?.close()
    case .readLog(let link, let request): readLog(link, request)
    case .apply(let link, let batch):
      service.request(.apply(link, batch, from: board.peer(at: link)))
    case .readDigest(let link): service.request(.readDigest(link))
    case .answer(let link, let question): service.request(.answer(link, question))
    case .applyHeld: service.request(.applyHeld)
    case .persistProgress(let progress):
      board.note(progress)
      service.request(.remember(progress))
    case .setTimer(let instant): timer?.start(at: instant)
    case .report(let event):
      board.note(event)
      log.report(event)
    }
  }

  /// Answers from what was read ahead with the event at hand; what is older may lack the newest.
  private func readLog(_ link: LinkID, _ request: LogRequest) {
    guard
      let index = readAhead.firstIndex(where: { $0.link == link && $0.after == request.after })
    else { return service.request(.readLog(link, request)) }
    waiting.append(.logRead(link, readAhead.remove(at: index).batch))
  }

  private func publishStatus() {
    isStatusComing = false
    service.request(.writeStatus(board.status()))
  }

  // MARK: Links

  private func dial(_ peer: PeerID) {
    let endpoint: Endpoint
    do throws(TransportError) {
      endpoint = try Endpoint(peer.address)
    } catch {
      return handle(.connectFailed(peer, reason: "\(error)"))
    }
    dials[peer] = Dial(endpoint, loop: loop) { [weak self] result in
      guard let self else { return }
      dials[peer] = nil
      switch result {
      case .success(let stream):
        let link = Link(stream: stream, compression: compression)
        handle(.linkOpened(adopt(link), .dialed(peer)))
        link.start()
      case .failure(let error): handle(.connectFailed(peer, reason: "\(error)"))
      }
    }
  }

  private func adopt(_ link: Link) -> LinkID {
    lastLink = LinkID(lastLink.rawValue + 1)
    let id = lastLink
    links[id] = link
    link.onFrame = { [weak self] frame in self?.handle(.received(id, frame)) }
    link.onMalformed = { [weak self] error in self?.handle(.malformed(id, error)) }
    link.onClose = { [weak self] reason in self?.closed(id, reason) }
    return id
  }

  private func closed(_ id: LinkID, _ reason: StreamClosing) {
    links[id] = nil
    service.request(.forget(id))
    handle(.linkClosed(id, reason: reason.description))
    if links.isEmpty, onQuiet != nil { quieten() }
  }
}
