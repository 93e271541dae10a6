#if Replication
import AtollPresence
import AtollStorage
import AtollVocabulary
public import Foundation

extension Sync {
  /// The replicas that exist, their changesets, and the process that serves the file here.
  public struct Status: Hashable, Sendable {
    /// The program that serves the file; nil if none does, and nothing is exchanged then.
    public let servedBy: String?
    /// The address at which that program listens for other nodes, `address:port`; nil if it does
    /// not.
    public let listening: String?
    /// By which key others know the node that serves the file; nil if none does.
    public let identity: String?
    /// Nodes that came, proved their keys, and are not trusted, for people to decide about; the last one
    /// is last.
    public let waiting: [WaitingNode]
    /// Why the node in this program cannot serve the file, and what to do; nil if it does, another does,
    /// or there is none.
    ///
    /// It goes on trying.
    public let trouble: String?
    /// Every other replica that exists, then those that were never reached, by address.
    public let peers: [Peer]
    /// The number of changesets stored and not applied yet, because they are stamped too far ahead of
    /// this clock.
    public let deferredByClock: Int
    /// Since when nothing is exchanged, by somebody's word; nil while it is.
    ///
    /// See ``Sync/pause()``.
    public let pausedSince: Date?

    /// True if a node serves the file.
    public var isServed: Bool { servedBy != nil }
  }

  /// Another replica, as far as anything is known of it.
  public struct Peer: Hashable, Sendable {
    /// The name; nil if it has none.
    public let name: String?
    /// Its id, thirty-two digits; nil for an address that was never reached.
    public let id: String?
    /// The address to which this node connects, or from which it is connected to; nil if only
    /// others are linked to it.
    public let address: String?
    /// True if a link to it is open.
    public let isConnected: Bool
    /// True if it was retired: nobody waits for it.
    public let isRetired: Bool
    /// Changesets here that it is not known to have applied.
    public let behindBy: UInt64
    /// Changesets that it has said to hold and that are not here.
    public let aheadBy: UInt64
    /// The time of the last news of it, from itself or through others.
    public let lastHeard: Date?
    /// The time by which its clock is ahead of the one here, to the millisecond, negative if it is
    /// behind; nil unless this node is connected to it.
    public let clockAhead: Duration?
    /// Why the last link or attempt ended; nil while it is connected.
    public let error: String?
    /// The difference of its objects although it has applied the same; nil if there is none.
    public let divergence: String?
  }

  /// The changes on their way.
  public struct Progress: Hashable, Sendable {
    /// The number of known changesets of others that are not here, from the peer with most of them.
    public let toReceive: UInt64
    /// The number of changesets here that another replica lacks, for the one that lacks most.
    public let toSend: UInt64
    /// Their bytes.
    public let bytesToSend: Int
    /// The expected time at the pace of the last ten seconds, to the second; nil while nothing
    /// moves.
    public let estimate: Duration?

    /// True if everybody has the same, as far as is known.
    public var isDone: Bool { toReceive == 0 && toSend == 0 }
  }
}

/// The process that serves a file, if any.
enum StoreServing {
  static func isServed(_ path: String) -> Bool { StoreStatus.current(ofStoreAt: path) != nil }
}

extension Sync.Status {
  init(_ file: StoreFile, trouble: String?) throws(StorageError) {
    let served = StoreStatus.current(ofStoreAt: file.path)
    self.trouble = served == nil ? trouble : nil
    identity = served?.identity
    waiting = served?.pending?.map(Sync.WaitingNode.init) ?? []
    let names = try file.replicaNames()
    let here = try file.appliedVector()
    let own = file.author.replica
    servedBy = served.map { "\($0.agent), process \($0.processID)" }
    listening = served?.listening
    deferredByClock = try file.deferredChangesets().filter { !$0.awaitsRest }.reduce(0) {
      $0 + $1.count
    }
    pausedSince = try file.pausedSince().map(Date.init(wallTime:))
    var links: [ReplicaID: StoreStatus.Peer] = [:]
    for peer in served?.peers ?? [] {
      guard let replica = peer.replica.flatMap(Author.init)?.replica else { continue }
      if links[replica]?.isConnected != true { links[replica] = peer }
    }
    let known = try file.knownHoldings().filter { $0.member.replica != own }
    let members = known.map { known in
      Sync.Peer(known, links[known.member.replica], here, name: names[known.member.replica])
    }
    let listed = Set(known.map(\.member.replica))
    let strangers = (served?.peers ?? []).filter { peer in
      peer.replica.flatMap(Author.init).map { !listed.contains($0.replica) } ?? true
    }
    peers = members + strangers.map { Sync.Peer($0, lacking: here.count(beyond: VersionVector())) }
  }
}

extension Sync.Peer {
  fileprivate init(
    _ known: KnownHoldings, _ link: StoreStatus.Peer?, _ here: VersionVector, name: String?
  ) {
    self.name = name
    id = "\(known.member.replica)"
    address = link?.address
    isConnected = link?.isConnected ?? false
    isRetired = known.member.isRetired
    behindBy = here.count(beyond: known.applied)
    aheadBy = known.ahead
    lastHeard = known.heard.map(Date.init(wallTime:))
    clockAhead = link?.clockAhead.map { .milliseconds($0) }
    error = link?.isConnected == true ? nil : link?.lastError
    divergence = link?.divergence
  }

  /// Somebody whom no file knows yet.
  fileprivate init(_ link: StoreStatus.Peer, lacking: UInt64) {
    name = nil
    id = link.replica.flatMap(Author.init).map { "\($0.replica)" }
    address = link.address
    isConnected = link.isConnected
    isRetired = false
    behindBy = link.behind ?? lacking
    aheadBy = 0
    lastHeard = nil
    clockAhead = link.clockAhead.map { .milliseconds($0) }
    error = link.isConnected ? nil : link.lastError
    divergence = link.divergence
  }
}

extension Sync.Progress {
  init(_ file: StoreFile) throws(StorageError) {
    let served = StoreStatus.current(ofStoreAt: file.path)
    let here = try file.appliedVector()
    let own = file.author.replica
    let others = try file.knownHoldings().filter {
      $0.member.replica != own && !$0.member.isRetired
    }
    toReceive = others.map(\.ahead).max() ?? 0
    let last = others.max { here.count(beyond: $0.applied) < here.count(beyond: $1.applied) }
    toSend = last.map { here.count(beyond: $0.applied) } ?? 0
    bytesToSend =
      try last.map { last throws(StorageError) in
        try file.logBytes(beyond: last.applied)
      } ?? 0
    let link = served?.peers.first { peer in
      peer.replica.flatMap(Author.init)?.replica == last?.member.replica
    }
    estimate = Self.estimate([
      (toReceive, served?.applyingPerSecond), (toSend, link?.applyingPerSecond),
    ])
  }

  /// Returns the longest time of several things that go on at once; nil if one of them is unknown.
  static func estimate(_ parts: [(changesets: UInt64, perSecond: Double?)]) -> Duration? {
    var longest = Duration.zero
    for part in parts where part.changesets > 0 {
      guard let pace = part.perSecond, pace > 0 else { return nil }
      // A pace of next to nothing is none.
      let seconds = (Double(part.changesets) / pace).rounded(.up)
      guard seconds < 1e9 else { return nil }
      longest = max(longest, .seconds(Int64(seconds)))
    }
    return longest
  }
}
#endif
