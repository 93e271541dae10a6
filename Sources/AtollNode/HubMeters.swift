import AtollChanges
import AtollPresence
import AtollReplication
import AtollStorage
import AtollVocabulary
import CoreMetrics

/// The counters and measurements of one store's hub.
struct HubMeters {
  /// Of one peer, as long as it is known.
  private struct PeerMeters {
    let connected: Gauge
    let queueBytes: Gauge
    let clockAhead: Gauge
    let diverged: Gauge

    init(_ source: MetricSource) {
      connected = source.gauge(.peerConnected)
      queueBytes = source.gauge(.peerQueueBytes)
      clockAhead = source.gauge(.peerClockAheadSeconds)
      diverged = source.gauge(.peerDiverged)
    }

    func destroy() {
      for gauge in [connected, queueBytes, clockAhead, diverged] {
        gauge.destroy()
      }
    }
  }

  /// Of one member, as long as it is one.
  private struct MemberMeters {
    let name: String
    let changesets: Gauge
    let seconds: Gauge

    init(_ source: MetricSource, _ replica: ReplicaID, name: String) {
      let labels = source.labeled("peer", replica.description).labeled("name", name)
      self.name = name
      changesets = labels.gauge(.peerLagChangesets)
      seconds = labels.gauge(.peerLagSeconds)
    }

    func destroy() {
      changesets.destroy()
      seconds.destroy()
    }
  }

  private let source: MetricSource
  private let linksOpened, linksClosed, connectFailures: CoreMetrics.Counter
  private let framesReceived, framesSent, receivedBytes, sentBytes: CoreMetrics.Counter
  private let applied, duplicate, refused: CoreMetrics.Counter
  private let clockDeferrals, divergences, forks: CoreMetrics.Counter
  private let applyFailures, troubles: CoreMetrics.Counter
  private let deferred, links, peersKnown, peersConnected: Gauge
  private let localClients, waitingRequests, externallyModifiedClasses: Gauge
  private let windowBytes, waitingBytes, diskFull: Gauge
  /// By kind of condition.
  private let conditions: [HealthCondition.Kind: Gauge]
  private let admissions: [AdmissionState: Gauge]
  private var peers: [String: PeerMeters] = [:]
  private var members: [ReplicaID: MemberMeters] = [:]
  private var holdings = Holdings.none
  /// The counted bytes of each open link.
  private var counted: [LinkID: Traffic] = [:]

  /// Bytes of one link since it was opened.
  struct Traffic {
    var received: UInt64 = 0
    var sent: UInt64 = 0
  }

  init(_ source: MetricSource) {
    self.source = source
    linksOpened = source.counter(.linksOpened)
    linksClosed = source.counter(.linksClosed)
    connectFailures = source.counter(.connectFailures)
    framesReceived = source.counter(.framesReceived)
    framesSent = source.counter(.framesSent)
    receivedBytes = source.counter(.receivedBytes)
    sentBytes = source.counter(.sentBytes)
    applied = source.counter(.changesetsApplied)
    duplicate = source.counter(.changesetsDuplicate)
    refused = source.counter(.changesetsRefused)
    clockDeferrals = source.counter(.clockDeferrals)
    divergences = source.counter(.divergences)
    forks = source.counter(.forks)
    applyFailures = source.counter(.applyFailures)
    troubles = source.counter(.troubles)
    deferred = source.gauge(.changesetsDeferred)
    links = source.gauge(.links)
    peersKnown = source.gauge(.peersKnown)
    peersConnected = source.gauge(.peersConnected)
    localClients = source.gauge(.localClients)
    waitingRequests = source.gauge(.waitingRequests)
    externallyModifiedClasses = source.gauge(.externallyModifiedClasses)
    windowBytes = source.gauge(.windowBytes)
    waitingBytes = source.gauge(.waitingBytes)
    diskFull = source.gauge(.diskFull)
    conditions = Dictionary(
      uniqueKeysWithValues: HealthCondition.Kind.ofStores.map { kind in
        let labels = source.labeled("condition", kind.rawValue)
          .labeled("severity", kind.severity.rawValue)
        return (kind, labels.gauge(.condition))
      })
    admissions = Dictionary(
      uniqueKeysWithValues: AdmissionState.allCases.map {
        ($0, source.labeled("state", $0.rawValue).gauge(.admissions))
      })
  }

  // MARK: As it happens

  mutating func record(_ event: Event) {
    switch event {
    case .received: framesReceived.increment()
    case .start(let holdings), .logAdvanced(let holdings), .deferredApplied(let holdings, _, _),
      .snapshotInstalled(_, _, let holdings, _):
      self.holdings = holdings
    case .applied(_, let outcomes, let holdings):
      self.holdings = holdings
      for outcome in outcomes { record(outcome) }
    case .applyFailed, .diskFull, .deferredApplyFailed: applyFailures.increment()
    case .stop, .remembered, .peersChanged, .connectAgain, .connectFailed, .linkOpened, .linkClosed,
      .reading, .revoked, .malformed, .logRead, .logReadFailed, .expeditedRead, .memoryChanged,
      .membersChanged, .incarnationStarted, .digestRead, .digestChanged, .answered,
      .logStartChanged, .snapshotMade, .snapshotRead, .snapshotStaged, .snapshotFailed,
      .backfillRead, .backfillKept, .timer:
      break
    }
  }

  private func record(_ outcome: ApplyOutcome) {
    switch outcome {
    case .applied, .branched: applied.increment()
    case .duplicate: duplicate.increment()
    case .refused: refused.increment()
    case .missing, .deferred, .overflowing, .detached, .equivocation: break
    }
  }

  func recordSending() { framesSent.increment() }

  func recordTrouble() { troubles.increment() }

  func record(_ event: StatusEvent) {
    switch event {
    case .connectFailed: connectFailures.increment()
    case .linked: linksOpened.increment()
    case .unlinked: linksClosed.increment()
    case .deferredByClock: clockDeferrals.increment()
    case .branched: forks.increment()
    case .diverged: divergences.increment()
    case .caughtUp, .overflowing, .equivocation, .refused, .agreed, .diskFull, .diskHasSpace,
      .peerDiskFull, .peerDiskHasSpace, .window, .bootstrapping, .bootstrapped, .wantingSnapshot,
      .snapshotEarly, .snapshotRefused, .backfillLost:
      break
    }
  }

  /// Counts what a link carried since it was last asked; `isLast` forgets it.
  mutating func record(_ traffic: Traffic, of link: LinkID, isLast: Bool = false) {
    let before = counted[link] ?? Traffic()
    receivedBytes.increment(by: Int64(clamping: traffic.received &- before.received))
    sentBytes.increment(by: Int64(clamping: traffic.sent &- before.sent))
    counted[link] = isLast ? nil : traffic
  }

  // MARK: When it is asked for

  /// Records the state of the peers, with the bytes queued for each.
  mutating func record(_ status: StoreStatus, queued: [Int]) {
    peersKnown.record(status.peers.count)
    peersConnected.record(status.peers.count { $0.isConnected })
    externallyModifiedClasses.record(status.modifiedExternally?.count ?? 0)
    deferred.record(holdings.stored.count(beyond: holdings.applied))
    var gone = Set(peers.keys)
    for (peer, bytes) in zip(status.peers, queued) {
      let name = peer.isConfigured ? peer.address : peer.replica ?? peer.address
      gone.remove(name)
      let meters = peers[name] ?? PeerMeters(source.labeled("peer", name))
      meters.connected.record(peer.isConnected ? 1 : 0)
      meters.queueBytes.record(bytes)
      if let ahead = peer.clockAhead { meters.clockAhead.record(Double(ahead) / 1000) }
      meters.diverged.record(peer.divergence == nil ? 0 : 1)
      peers[name] = meters
    }
    for name in gone { peers.removeValue(forKey: name)?.destroy() }
  }

  /// The lag of members; one that is none any more is told of no longer.
  mutating func record(_ lags: [MemberLag], names: ReplicaNames) {
    var gone = Set(members.keys)
    for lag in lags {
      gone.remove(lag.replica)
      let name = names[lag.replica] ?? ""
      if let meters = members[lag.replica], meters.name != name {
        meters.destroy()
        members[lag.replica] = nil
      }
      let meters = members[lag.replica] ?? MemberMeters(source, lag.replica, name: name)
      meters.changesets.record(Int64(clamping: lag.changesets))
      meters.seconds.record(lag.age.inSeconds)
      members[lag.replica] = meters
    }
    for replica in gone { members.removeValue(forKey: replica)?.destroy() }
  }

  /// Records on how many replicas owners have said what; zeros for a store without owners.
  func record(admissions counts: [AdmissionState: Int]) {
    for (state, gauge) in admissions { gauge.record(counts[state] ?? 0) }
  }

  /// Records which conditions hold.
  func record(_ found: [HealthCondition]) {
    for (kind, gauge) in conditions {
      gauge.record(found.contains { $0.kind == kind } ? 1 : 0)
    }
  }

  /// Records the window of each peer, and the memory in use for all of them.
  func record(window: Int, waiting bytes: Int, isFull: Bool) {
    windowBytes.record(window)
    waitingBytes.record(bytes)
    diskFull.record(isFull ? 1 : 0)
  }

  func record(links count: Int, localClients clients: Int, waiting: Int) {
    links.record(count)
    localClients.record(clients)
    waitingRequests.record(waiting)
  }
}
