import AtollChanges
import AtollEventLoop
import AtollPresence
import AtollReplication
import AtollStorage
import AtollVocabulary
import Logging

/// The log lines of one store, with the values a program may want beside the words.
struct HubLog {
  private var logger: Logger

  init(logger: Logger, store: String) {
    self.logger = logger
    self.logger[metadataKey: "store"] = "\(store)"
  }

  func serving(_ opened: StoreService.Opened) {
    logger.info(
      "serving store \(opened.storeID) as replica \(opened.author.shortDescription)",
      metadata: ["author": "\(opened.author)"])
    if let ahead = opened.timeAhead {
      logger.error(
        """
        this replica's own time is \(ahead) too far ahead of its clock: others hold what it writes and \
        do not apply it. If the clock is right, run `atoll clock repair`
        """)
    }
  }

  func noLocalSocket(_ error: EventLoopError) {
    logger.warning("\(error). Processes on this machine notice commits by the file instead")
  }

  func stranger(_ identity: NodeIdentity, name: String, address: String) {
    logger.notice(
      """
      a node came that is in no roster: it calls itself \(name). If it is one of yours, run \
      `atoll peer accept`
      """, metadata: ["peer": "\(address)", "identity": "\(identity)"])
  }

  func truncated(_ truncation: LogTruncation) {
    logger.info(
      "\(truncation.changesets) changesets that every replica has went from the log",
      metadata: ["bytes": "\(truncation.bytes)"])
  }

  func paused(_ isPaused: Bool) {
    logger.notice(
      isPaused ? "exchange is paused: all links are ended, and none is made" : "exchange goes on")
  }

  func declining(_ author: Author, _ reason: LeavingOut) {
    logger.warning(
      "changesets of \(author.shortDescription) are not taken: \(reason)",
      metadata: ["author": "\(author)"])
  }

  func admitted(_ replica: ReplicaID) {
    logger.notice(
      "replica \(replica.shortDescription) is admitted to the store: its node may write here",
      metadata: ["replica": "\(replica)"])
  }

  func asked(_ replica: ReplicaID) {
    logger.notice(
      "owners of the store are asked to admit replica \(replica.shortDescription): its node may write here",
      metadata: ["replica": "\(replica)"])
  }

  func declined(_ author: Author, by peer: String, _ reason: String) {
    logger.warning(
      "\(peer) takes nothing that \(author.shortDescription) writes: \(reason)",
      metadata: ["peer": "\(peer)", "author": "\(author)"])
  }

  func modifiedExternally(_ classes: [String]) {
    logger.error(
      """
      rows of \(classes.joined(separator: ", ")) were modified externally, by SQL: they do not hold \
      what was written. `atoll verify` names them
      """)
  }

  func began(_ condition: HealthCondition) {
    logger.log(
      level: condition.kind.severity == .failing ? .error : .warning, "\(condition)",
      metadata: Self.metadata(of: condition))
  }

  func ended(_ condition: HealthCondition) {
    logger.notice("\(condition.kind.rawValue) is over", metadata: Self.metadata(of: condition))
  }

  private static func metadata(of condition: HealthCondition) -> Logger.Metadata {
    [
      "condition": "\(condition.kind.rawValue)", "severity": "\(condition.kind.severity.rawValue)",
    ]
  }

  func trouble(_ text: String) { logger.error("\(text)") }

  func report(_ event: StatusEvent) {
    logger.log(
      level: event.isWarning ? .warning : .info, "\(event)", metadata: Self.metadata(of: event))
  }

  private static func metadata(of event: StatusEvent) -> Logger.Metadata {
    switch event {
    case .connectFailed(let peer, _, _): ["peer": "\(peer)"]
    case .linked(_, let origin, let peer, _): ["peer": "\(origin)", "author": "\(peer)"]
    case .caughtUp(_, let peer): ["author": "\(peer)"]
    case .unlinked(_, let origin, let peer, _, _):
      ["peer": "\(origin)"].merging(peer.map { ["author": "\($0)"] } ?? [:]) { $1 }
    case .deferredByClock(_, let id, _):
      ["author": "\(id.author)", "sequence": "\(id.sequence)"]
    case .overflowing(_, let author, let sequence, _, _):
      ["author": "\(author)", "sequence": "\(sequence)"]
    case .branched(_, let id, let known):
      [
        "author": "\(id.author.commonHistory)", "sequence": "\(id.sequence)",
        "hash": "\(known.hash)",
        "other": "\(id.hash)",
      ]
    case .equivocation(_, let known, _):
      ["author": "\(known.author)", "sequence": "\(known.sequence)"]
    case .refused(_, let author, let sequence, _):
      ["author": "\(author)", "sequence": "\(sequence)"]
    case .diverged(_, let peer, let ours, let theirs):
      ["author": "\(peer)", "digest": "\(ours.digest)", "theirs": "\(theirs.digest)"]
    case .bootstrapping(_, let offer):
      ["pages": "\(offer.pages)", "objects": "\(offer.objects)"]
    case .agreed(_, let peer), .peerDiskFull(_, let peer, _), .peerDiskHasSpace(_, let peer):
      ["author": "\(peer)"]
    case .diskFull, .diskHasSpace, .window, .bootstrapped, .wantingSnapshot, .snapshotEarly,
      .snapshotRefused, .backfillLost:
      [:]
    }
  }
}
