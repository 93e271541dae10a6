import AtollChanges
import AtollNode
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
  private var performers: [ActionPerformer<StoreFile>]
  private var links: [Link] = []
  /// The next events of each peer: answers to its own actions go before frames.
  private var events: [(peer: Int, event: Event)] = []
  private var random: SeededRandom
  private var now = Instant(nanoseconds: 1)
  private var lastLink: UInt64 = 0
  /// The reports of the engines, by peer.
  private(set) var reports: [[StatusEvent]]

  /// Engines of their own, with links as the topology says.
  init(
    _ peers: [Peer], _ topology: Topology, _ random: SeededRandom,
    snapshotChangesets: UInt64? = nil
  ) throws {
    self.peers = peers
    self.random = random
    reports = peers.map { _ in [] }
    performers = peers.map { ActionPerformer($0.store) }
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

  /// Tells whether there was anything to do.
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
      case .store(let action):
        for event in try performers[place].perform(action) { events.append((place, event)) }
      case .report(let event): reports[place].append(event)
      case .connect, .setTimer: continue
      }
    }
  }

  private func link(_ id: LinkID, of place: Int) -> (Int, Int)? {
    guard let link = links.firstIndex(where: { $0.id == id }),
      let end = links[link].ends.firstIndex(of: place)
    else { return nil }
    return (link, end)
  }
}
