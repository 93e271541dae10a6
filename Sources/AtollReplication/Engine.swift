import AtollChanges
package import AtollVocabulary
import AtollWire

/// Decides what to say to peers and what to ask of the file; see the module's essay.
///
/// Same state, event and instant give the same actions. Never throws, waits or reads a clock.
package struct Engine: Hashable, Sendable {
  package internal(set) var configuration: EngineConfiguration

  /// The holdings of the file, as last reported.
  var holdings = Holdings.none
  var random: SeededGenerator
  /// In the order of the configuration.
  var dials: [Dial]
  /// Ascending by link.
  var sessions: [Session] = []
  /// Links with something in their inbox, in the order of their turns.
  var applyQueue: [LinkID] = []
  /// The memory for peers, and the window that was last reported.
  var memory: ExchangeMemory
  var reportedWindow = Limits.unacknowledgedBytes
  /// Set while the disk is full.
  var diskFull: DiskFullState?
  /// The batch that is being written; one at a time, so that a repetition is recognised before it
  /// is written again.
  var applying: Applying?
  /// Ascending by author.
  var heldBack: [HeldBack] = []
  /// The time at which the file next applies deferred changesets; nil while that is under way, or
  /// there are none.
  var sweepAt: Instant?
  var isSweeping = false
  /// The times of the next request to a lazy peer for what nobody sends, and of the next announcement of
  /// what is new; nil if there is nothing to ask for or to tell.
  var seekAt: Instant?
  var announceAt: Instant?
  /// The time of the next `progress` about deferred changesets that were applied; nil while none were.
  var progressAt: Instant?
  /// The holdings of others.
  var knowledge = Knowledge()
  /// The replicas that are waited for, and what was applied here when.
  var members: [LaggingMember] = []
  var lagMarks = LagMarks()
  /// Replicas that had something else when digests were last compared, ascending.
  var diverged: [ReplicaID] = []
  /// The times at which they are next passed on and saved, and at which they last were.
  var acknowledgeAt: Instant?
  var acknowledgedAt: Instant?
  /// The truncation point of the log.
  var truncationPoint = VersionVector()
  /// The snapshot that peers can be offered.
  var snapshot: SnapshotOffer?
  var isMakingSnapshot = false
  /// The changesets that a snapshot must have for the file to go on; nil if it needs none.
  var wantedOfSnapshot: VersionVector?
  /// The peer that was last asked for such a snapshot.
  var askedForSnapshot: AskedForSnapshot?
  /// The snapshot that is being taken.
  var bootstrap: Bootstrap?
  /// The part of the log that has to come below an installed snapshot, and the peer that was asked
  /// for it.
  var missing: BackfillRequest?
  var backfill: BackfillProgress?
  var isStopping = false

  /// The instant the timer is set to: no deadline is earlier.
  private var timerAt: Instant?
  /// The actions of the present event; empty between events.
  private var output: [Action] = []
  private var isTimerMoved = false

  package init(_ configuration: EngineConfiguration) {
    self.configuration = configuration
    random = SeededGenerator(seed: configuration.seed)
    memory = configuration.memory
    dials = []
    for peer in configuration.peers where !dials.contains(where: { $0.peer == peer }) {
      dials.append(Dial(peer: peer))
    }
  }

  /// Takes one event and answers with what to do, in order.
  package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
    dispatch(event, at: now)
    if isTimerMoved, let timerAt { perform(.setTimer(timerAt)) }
    isTimerMoved = false
    defer { output = [] }
    return output
  }

  private mutating func dispatch(_ event: Event, at now: Instant) {
    switch event {
    case .start(let holdings): start(with: holdings, at: now)
    case .remembered(let known): remember(known)
    case .stop: stop(at: now)
    case .peersChanged(let peers): change(to: peers, at: now)
    case .connectAgain: waitNoLonger(at: now)
    case .connectFailed(let peer, let reason): connectFailed(peer, reason, at: now)
    case .linkOpened(let link, let origin): open(link, origin, at: now)
    case .linkClosed(let link, let reason): linkClosed(link, reason, at: now)
    case .received(let link, let frame): receive(link, frame, at: now)
    case .reading(let link):
      if let index = index(of: link) { sessions[index].isReader = true }
    case .revoked(let link, let goodbye): revoke(link, goodbye, at: now)
    case .malformed(let link, let error): malformed(link, error, at: now)
    case .logAdvanced(let holdings): logAdvanced(to: holdings, at: now)
    case .logRead(let link, let batch): logRead(link, batch, at: now)
    case .logReadFailed(let link, let reason): logReadFailed(link, reason, at: now)
    case .applied(let link, let outcomes, let holdings):
      applied(link, outcomes, holdings, at: now)
    case .applyFailed(let link, let reason): applyFailed(link, reason, at: now)
    case .diskFull(_, let reason): recordDiskFull(reason, at: now)
    case .memoryChanged(let memory): change(to: memory)
    case .membersChanged(let members): change(members: members)
    case .incarnationStarted(let author): startIncarnation(author, at: now)
    case .expeditedRead(let link, let entries): expeditedRead(link, entries)
    case .digestRead(let link, let digest): digestRead(link, digest)
    case .digestChanged: digestChanged()
    case .answered(let link, let answer): answered(link, answer, at: now)
    case .deferredApplied(let holdings, let next, let wanting):
      deferredApplied(holdings, next, at: now)
      request(snapshotWith: wanting, at: now)
    case .deferredApplyFailed: deferredApplyFailed(at: now)
    case .logStartChanged(let logStart): begin(with: logStart, at: now)
    case .snapshotMade(let offer): snapshotMade(offer, at: now)
    case .snapshotRead(let link, let pages, let offer):
      snapshotRead(link, pages, offer: offer, at: now)
    case .snapshotStaged(let link, let id, let count): snapshotStaged(link, id, count, at: now)
    case .snapshotInstalled(let link, let outcome, let holdings, let logStart):
      snapshotInstalled(link, outcome, holdings, logStart, at: now)
    case .snapshotFailed(let link, let reason): snapshotFailed(link, reason, at: now)
    case .backfillRead(let link, let answer): backfillRead(link, answer)
    case .backfillKept(let link, let logStart, let refusal):
      backfillKept(link, logStart, refusal: refusal, at: now)
    case .timer: timer(at: now)
    }
  }

  private mutating func receive(_ link: LinkID, _ frame: Frame, at now: Instant) {
    guard let index = index(of: link) else { return }
    sessions[index].lastReceived = now
    switch sessions[index].phase {
    case .handshaking: handshake(index, frame, at: now)
    case .catchingUp, .streaming: converse(index, frame, at: now)
    case .inspecting: inspect(index, frame, at: now)
    case .closing: break
    }
  }

  // MARK: What the states share

  mutating func perform(_ action: Action) { output.append(action) }

  mutating func perform(_ action: StoreAction) { output.append(.store(action)) }

  mutating func send(_ index: Int, _ frame: Frame) { perform(.send(sessions[index].link, frame)) }

  /// Makes sure that the engine is called at `instant` or before.
  mutating func arm(at instant: Instant) {
    if let timerAt, timerAt <= instant { return }
    timerAt = instant
    isTimerMoved = true
  }

  /// The timer that was set is no longer there.
  mutating func disarm() { timerAt = nil }

  func index(of link: LinkID) -> Int? {
    var low = 0
    var high = sessions.count
    while low < high {
      let middle = (low + high) / 2
      if sessions[middle].link < link { low = middle + 1 } else { high = middle }
    }
    return low < sessions.count && sessions[low].link == link ? low : nil
  }
}
