package import AtollChanges
package import AtollVocabulary
package import AtollWire

/// Everything that can happen to an engine.
package enum Event: Hashable, Sendable {
  /// The file is open and has this; comes first, once.
  case start(Holdings)
  /// The holdings of others that the file remembers; comes after ``start(_:)``, if at all.
  case remembered([PeerProgress])
  /// The process is stopping; links are to be told.
  case stop
  /// The configuration names other peers from now on: all of them, in their order.
  case peersChanged([PeerID])
  /// The reasons that kept peers away, or left authors out, may be gone: waiting peers are tried at
  /// once.
  case connectAgain
  /// ``Action/connect(_:)`` came to nothing.
  case connectFailed(PeerID, reason: String)
  /// A stream is open in both directions.
  case linkOpened(LinkID, LinkOrigin)
  /// A stream is gone, by either side; nothing more comes of it.
  case linkClosed(LinkID, reason: String)
  case received(LinkID, Frame)
  /// The peer of a stream that was just opened receives everything and gives nothing: its
  /// changesets are not delivered here.
  case reading(LinkID)
  /// The peer of a stream may no longer receive anything, and gets the reason.
  case revoked(LinkID, Goodbye)
  /// A stream brought bytes that are no frame.
  case malformed(LinkID, WireError)
  /// A commit, local or remote, changed what the file has.
  case logAdvanced(Holdings)
  /// The answer to ``StoreAction/readLog(_:_:)``.
  case logRead(LinkID, LogBatch)
  case logReadFailed(LinkID, reason: String)
  /// The answer to ``StoreAction/apply(_:_:)``: one outcome a changeset in the same order, and what the
  /// file has now. What was applied is durable.
  case applied(LinkID, [ApplyOutcome], Holdings)
  /// The file could not be written; none of the batch, or a beginning of it, was applied.
  case applyFailed(LinkID, reason: String)
  /// The disk is full; none of the batch, or a beginning of it, was applied. It is to be offered again
  /// later.
  case diskFull(LinkID, reason: String)
  /// These replicas are waited for from now on: those that exist and are not retired.
  case membersChanged([LaggingMember])
  /// Other bounds for what is kept in memory for peers.
  case memoryChanged(ExchangeMemory)
  /// The file has started a new incarnation of its replica.
  case incarnationStarted(Author)
  /// The answer to ``StoreAction/readExpedited(_:_:)``; empty if nothing can be expedited, or the log could
  /// not be read.
  case expeditedRead(LinkID, [LogEntry])
  /// The answer to ``StoreAction/readDigest(_:)``; nil if the file could not be read.
  case digestRead(LinkID, FrontierDigest?)
  /// The digest has changed though nothing was applied: rows were modified externally.
  case digestChanged
  /// The answer to ``StoreAction/answer(_:_:)``.
  case answered(LinkID, DigestAnswer)
  /// The answer to ``StoreAction/applyDeferred``: what the file has now, and how long until time has caught
  /// up with more; nil if nothing waits for the clock.
  /// `wanting` is what a snapshot must have for the file to go on, where a deferred changeset contradicts what it
  /// began with.
  case deferredApplied(Holdings, next: Duration?, wanting: VersionVector? = nil)
  /// The file could not be written; some deferred changesets may have been applied.
  case deferredApplyFailed
  /// The start of the file's log; comes before the engine starts, and whenever that has changed.
  case logStartChanged(LogStart)
  /// The answer to ``StoreAction/makeSnapshot``; nil if the file failed.
  case snapshotMade(SnapshotOffer?)
  /// The answer to ``StoreAction/readSnapshot(_:_:)``: no pages if it is not there any more, then with what
  /// there is instead.
  case snapshotRead(LinkID, [SnapshotPage], offer: SnapshotOffer?)
  /// The answer to ``StoreAction/stageSnapshot(_:_:_:)``: how many pages are here, durable.
  case snapshotStaged(LinkID, ChainHash, count: Int)
  /// The answer to ``StoreAction/installSnapshot(_:_:)``: what the file has now, and how its log begins.
  case snapshotInstalled(LinkID, SnapshotOutcome, Holdings, LogStart)
  /// The answer to ``StoreAction/readBackfill(_:_:)``.
  case backfillRead(LinkID, Backfill)
  /// The answer to ``StoreAction/keepBackfill(_:_:)``: how the log begins now, and why what came is not kept
  /// if it is not.
  case backfillKept(LinkID, LogStart, refusal: String?)
  /// The file could not keep or install what came; the next link tries again.
  case snapshotFailed(LinkID, reason: String)
  /// The instant of ``Action/setTimer(_:)`` has come; coming early or twice does no harm.
  case timer
}
