import AtollChanges
import AtollReplication
import AtollStorage
import AtollVocabulary
import AtollWire
import TestKit
import Testing

/// Peers whose engines talk to each other: what ``exchange(_:_:)`` does by hand is decided by them.
///
/// Frames of a link come in order; which link is next is drawn. A link that ends is opened again.
struct LinkedPeers {
  private let peers: [Peer]
  private var engines: [Engine] = []
  private var links: [Link] = []
  /// What comes next for each peer: events that answer its own actions go before frames.
  private var events: [(peer: Int, event: Event)] = []
  private var random: SeededRandom
  private var now = Instant(nanoseconds: 1)
  private var lastLink: UInt64 = 0
  /// What the engines reported, by peer.
  private(set) var reports: [[StatusEvent]]

  /// Engines of their own, with links as the topology says.
  init(
    _ peers: [Peer], _ topology: Topology, _ random: SeededRandom,
    snapshotChangesets: UInt64? = nil
  ) throws {
    self.peers = peers
    self.random = random
    reports = peers.map { _ in [] }
    for (place, peer) in peers.enumerated() {
      peer.clock.set(secondsAfterStart: 3600)
      let configuration = EngineConfiguration(
        storeID: peer.store.storeID, author: peer.store.author, agent: peer.name, peers: [],
        seed: UInt64(place), snapshotChangesets: snapshotChangesets)
      engines.append(Engine(configuration))
      events.append((place, .logStartChanged(try peer.store.logStart())))
      events.append((place, .start(try peer.store.holdings())))
    }
    links = topology.links(peers.count).map { Link(ends: [$0.0, $0.1]) }
  }

  private struct Link {
    let ends: [Int]
    var id = LinkID(0)
    var isOpen: [Bool] = [false, false]
    /// On the way to each end; nil is the stream's end.
    var frames: [[Frame?]] = [[], []]
  }

  /// Tells the engines what their files have by now.
  mutating func announce() throws {
    for (place, peer) in peers.enumerated() {
      events.append((place, .logAdvanced(try peer.store.holdings())))
    }
  }

  /// Runs until nothing moves, several keep-alives after each other.
  mutating func run() throws {
    for _ in 0..<30 {
      try settle()
      if try isEqual { return }
      now = now.advanced(by: .seconds(6))
      for place in peers.indices { events.append((place, .timer)) }
    }
  }

  private var isEqual: Bool {
    get throws {
      let first = try peers[0].store.holdings()
      return try peers.allSatisfy { try $0.store.holdings() == first }
    }
  }

  /// Does no more than so many things, as if all were killed then.
  mutating func run(steps: Int) throws {
    for _ in 0..<steps where try !step() { return }
  }

  private mutating func settle() throws {
    for _ in 0..<20_000 where try !step() { return }
    Issue.record("the peers do not come to rest; seed \(random.seed)")
  }

  /// Whether there was anything to do.
  private mutating func step() throws -> Bool {
    if !events.isEmpty {
      let (peer, event) = events.removeFirst()
      try perform(engines[peer].handle(event, at: now), of: peer)
    } else if let link = links.indices.first(where: { links[$0].isOpen == [false, false] }) {
      open(link)
    } else {
      let ready = links.indices.flatMap { link in
        (0...1).filter { !links[link].frames[$0].isEmpty }.map { (link, $0) }
      }
      guard !ready.isEmpty else { return false }
      let (link, end) = ready[random.below(ready.count)]
      deliver(link, end)
    }
    return true
  }

  private mutating func open(_ link: Int) {
    lastLink += 1
    links[link].id = LinkID(lastLink)
    links[link].isOpen = [true, true]
    links[link].frames = [[], []]
    for end in links[link].ends {
      events.append((end, .linkOpened(LinkID(lastLink), .accepted(from: "\(link)"))))
    }
  }

  private mutating func deliver(_ link: Int, _ end: Int) {
    let frame = links[link].frames[end].removeFirst()
    guard links[link].isOpen[end] else { return }
    if let frame {
      events.append((links[link].ends[end], .received(links[link].id, frame)))
    } else {
      close(link, end)
    }
  }

  private mutating func close(_ link: Int, _ end: Int) {
    guard links[link].isOpen[end] else { return }
    links[link].isOpen[end] = false
    links[link].frames[1 - end].append(nil)
    events.append((links[link].ends[end], .linkClosed(links[link].id, reason: "closed")))
  }

  private mutating func perform(_ actions: [Action], of place: Int) throws {
    for action in actions {
      switch action {
      case .send(let id, let frame):
        guard let (link, end) = self.link(id, of: place), links[link].isOpen[end] else { continue }
        links[link].frames[1 - end].append(frame)
      case .close(let id, _):
        if let (link, end) = link(id, of: place) { close(link, end) }
      case .store(let action): try perform(action, of: place)
      case .report(let event): reports[place].append(event)
      case .connect, .setTimer: continue
      }
    }
  }

  private mutating func perform(_ action: StoreAction, of place: Int) throws {
    let store = peers[place].store
    switch action {
    case .readLog(let id, let request):
      let batch = try store.entries(
        lackedBy: request.lackedBy, after: request.after, limitBytes: request.byteLimit,
        endsAtGaps: true)
      events.append((place, .logRead(id, batch)))
    case .readExpedited(let id, let request):
      let entries = try store.expeditableEntries(
        after: request.after, held: request.held, limitBytes: request.byteLimit)
      events.append((place, .expeditedRead(id, entries)))
    case .apply(let id, let batch):
      let outcomes = try store.apply(batch)
      events.append((place, .applied(id, outcomes, try store.holdings())))
    case .readDigest(let id): events.append((place, .digestRead(id, try store.frontierDigest())))
    case .applyDeferred:
      let next = try store.applyDeferred()
      events.append((place, .heldApplied(try store.holdings(), next: next)))
    case .makeSnapshot:
      try store.makeSnapshot()
      events.append((place, .snapshotMade(try store.snapshotOffer())))
    case .readSnapshot(let id, let request):
      let pages = try store.snapshotPages(
        of: request.id, from: request.first, count: request.count)
      events.append((place, .snapshotRead(id, pages, offer: try store.snapshotOffer())))
    case .stageSnapshot(let link, let id, let pages):
      let count = pages.isEmpty ? try store.beginStaging(id) : try store.stage(pages, of: id)
      events.append((place, .snapshotStaged(link, id, count: count)))
    case .installSnapshot(let link, let id):
      let outcome = try store.installSnapshot(id)
      let event = Event.snapshotInstalled(
        link, outcome, try store.holdings(), try store.logStart())
      events.append((place, event))
    case .readBackfill(let id, let request):
      var entry: LogEntry?
      events.append((place, .backfillRead(id, try store.backfill(request, cutting: &entry))))
    case .keepBackfill(let id, let backfill):
      let refusal = try store.keep(backfill)
      events.append(
        (place, .backfillKept(id, try store.logStart(), refusal: refusal)))
    case .answer, .persistProgress: break
    }
  }

  private func link(_ id: LinkID, of place: Int) -> (Int, Int)? {
    guard let link = links.firstIndex(where: { $0.id == id }),
      let end = links[link].ends.firstIndex(of: place)
    else { return nil }
    return (link, end)
  }
}
