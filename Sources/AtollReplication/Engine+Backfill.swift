import AtollChanges
import AtollVocabulary
import AtollWire

// Backfill: the changesets below a snapshot, requested frame by frame from one peer while everything
// else goes on. So a file that began with a snapshot soon serves what its peers serve. Every peer gives
// what it has, gaps of its own or not: `StoreFile+Backfill.swift` shows why no replica waits for ever
// then. Changesets that no peer has are given up.

/// The backfill in progress: one request at a time, to one peer.
struct BackfillProgress: Hashable, Sendable {
  var link: LinkID
  var askedAt: Instant
  /// The answer that the file is writing: what the peer has beside it, and whose changesets are in it.
  var keeping: Keeping?
  /// Authors whose changesets the peer sent in vain: they depend on others that it does not have.
  var leftOut: [Author] = []

  struct Keeping: Hashable, Sendable {
    var state: Backfill.State
    var authors: [Author]
  }
}

extension Engine {
  /// Adopts the file's log start, with the gaps of its log.
  mutating func begin(with logStart: LogStart, at now: Instant) {
    let isCut = truncationPoint != logStart.truncationPoint
    truncationPoint = logStart.truncationPoint
    snapshot = logStart.offer
    missing = logStart.missing
    // Places at the end of the log that were cut off are given again.
    if isCut { readAgain() }
    startBackfill(at: now)
  }

  /// Requests the missing changesets from a peer, unless a request is open or no peer is ready.
  mutating func startBackfill(at now: Instant) {
    guard missing != nil, backfill == nil, bootstrap == nil, !isStopping else { return }
    let ready = sessions.firstIndex { session in
      session.isEstablished && !session.isReader
        && session.backfill.pausedUntil.map { $0 <= now } ?? true
    }
    guard let ready else { return }
    backfill = BackfillProgress(link: sessions[ready].link, askedAt: now)
    requestBackfill(ready)
  }

  private mutating func requestBackfill(_ index: Int) {
    guard var request = missing else { return }
    for author in backfill?.leftOut ?? [] { request.through[author] = .none }
    send(index, .backfillRequest(request))
  }

  mutating func receive(_ index: Int, _ answer: Backfill, at now: Instant) {
    guard let current = backfill, current.link == sessions[index].link, current.keeping == nil
    else { return }
    backfill?.askedAt = now
    var authors: [Author] = []
    for part in answer.parts where !authors.contains(part.id.author) {
      authors.append(part.id.author)
    }
    backfill?.keeping = BackfillProgress.Keeping(state: answer.state, authors: authors)
    perform(.keepBackfill(sessions[index].link, answer))
  }

  /// Continues after the file has kept an answer, or has refused it for a reason.
  mutating func backfillKept(
    _ link: LinkID, _ logStart: LogStart, refusal: String?, at now: Instant
  ) {
    let kept = backfill?.link == link ? backfill?.keeping : nil
    if kept != nil { backfill?.keeping = nil }
    let isFurther = logStart.missing?.isLess(than: missing) ?? true
    truncationPoint = logStart.truncationPoint
    snapshot = logStart.offer
    missing = logStart.missing
    if let refusal { perform(.report(.snapshotRefused(link, reason: refusal))) }
    if isFurther {
      for other in sessions.indices {
        sessions[other].backfill.vainSince = nil
        sessions[other].backfill.hasOthers = false
      }
    }
    guard missing != nil else {
      backfill = nil
      return backfillEnded(at: now)
    }
    guard let kept, let index = index(of: link), sessions[index].isEstablished else {
      return startBackfill(at: now)
    }
    guard kept.state == .more, refusal == nil, isFurther || !kept.authors.isEmpty else {
      let pause = kept.state == .waiting ? Limits.keepAliveInterval : Limits.backfillPause
      if !isFurther, sessions[index].backfill.vainSince == nil {
        sessions[index].backfill.vainSince = now
      }
      return passOver(index, until: now.advanced(by: pause), at: now)
    }
    goOn(index, leavingOut: isFurther ? [] : kept.authors, at: now)
  }

  /// Asks the same peer for more, but not for those again whose changesets it has just sent in vain.
  private mutating func goOn(_ index: Int, leavingOut authors: [Author], at now: Instant) {
    guard let current = backfill, let missing else { return }
    let leftOut = authors.isEmpty ? [] : current.leftOut + authors
    guard !missing.through.entries.allSatisfy({ leftOut.contains($0.author) }) else {
      if sessions[index].backfill.vainSince == nil { sessions[index].backfill.vainSince = now }
      sessions[index].backfill.hasOthers = true
      return passOver(index, until: now.advanced(by: Limits.backfillPause), at: now)
    }
    backfill?.leftOut = leftOut
    backfill?.askedAt = now
    requestBackfill(index)
  }

  /// Requests the rest from another peer, and from this one at `until`; what it brought can be sent on.
  private mutating func passOver(_ index: Int, until: Instant, at now: Instant) {
    sessions[index].backfill.pausedUntil = until
    backfill = nil
    readAgain()
    startBackfill(at: now)
  }

  /// Continues sending to every peer: the log has no gaps any more, and snapshots are offered again.
  private mutating func backfillEnded(at now: Instant) {
    readAgain()
    for index in sessions.indices { considerOffer(index, at: now) }
  }

  private mutating func readAgain() {
    for index in sessions.indices {
      sessions[index].outgoing.readAgain()
      pump(index)
    }
  }

  /// Repeats a request whose answer was lost, or asks a peer that had nothing `backfillPause` ago.
  mutating func checkBackfill(_ index: Int, at now: Instant) {
    if let current = backfill, current.link == sessions[index].link, current.keeping == nil,
      current.askedAt.advanced(by: Limits.keepAliveInterval) <= now
    {
      backfill?.askedAt = now
      requestBackfill(index)
    }
    isLost(at: now) ? declareBackfillLost(index, at: now) : startBackfill(at: now)
  }

  /// No connected peer has had any missing changeset for `backfillTimeout`, and one lacks some: by their numbers, or
  /// because what it has under these is of another history.
  private func isLost(at now: Instant) -> Bool {
    guard let missing, backfill?.keeping == nil else { return false }
    let asked = sessions.filter { $0.isEstablished && !$0.isReader }
    return asked.allSatisfy { session in
      session.backfill.vainSince.map { $0.advanced(by: Limits.backfillTimeout) <= now } == true
    } && asked.contains { $0.backfill.hasOthers || !$0.theirs.stored.includes(missing.through) }
  }

  /// Continues as if the snapshot's sender had cut its log there.
  ///
  /// Its disk was rolled back, or it is gone for good. The objects are here, and others can be given them.
  private mutating func declareBackfillLost(_ index: Int, at now: Instant) {
    guard let missing else { return }
    perform(.report(.backfillLost(missing.through.count(beyond: missing.after))))
    let heads = missing.through.entries.map {
      ChangesetID(author: $0.author, sequence: $0.sequence, hash: .origin(of: $0.author))
    }
    let link = sessions[index].link
    backfill = BackfillProgress(
      link: link, askedAt: now, keeping: BackfillProgress.Keeping(state: .end, authors: []))
    perform(
      .keepBackfill(link, Backfill(truncationPoint: Holdings(heads: heads), state: .end, parts: []))
    )
  }

  mutating func abandonBackfill(_ link: LinkID, at now: Instant) {
    guard backfill?.link == link else { return }
    backfill = nil
    startBackfill(at: now)
  }

  // MARK: Giving

  /// Reads the backfill that a peer requests, one answer at a time.
  mutating func requested(_ index: Int, _ request: BackfillRequest) {
    guard !sessions[index].backfill.isReading else { return }
    sessions[index].backfill.isReading = true
    perform(.readBackfill(sessions[index].link, request))
  }

  mutating func backfillRead(_ link: LinkID, _ answer: Backfill) {
    guard let index = index(of: link), sessions[index].isEstablished else { return }
    sessions[index].backfill.isReading = false
    send(index, .backfill(answer))
  }
}

extension BackfillRequest {
  /// Less is missing than before: fewer changesets, or as many and more of the next.
  fileprivate func isLess(than before: BackfillRequest?) -> Bool {
    guard let before else { return false }
    let (now, then) = (through.count(beyond: after), before.through.count(beyond: before.after))
    return now < then || now == then && (part?.received ?? 0) > (before.part?.received ?? 0)
  }
}

/// The state of a session's backfill, in both directions.
struct BackfillExchange: Hashable, Sendable {
  /// The peer waits for an answer, which is being read from the log.
  var isReading = false
  /// The instant of the next request, after an answer without anything.
  var pausedUntil: Instant?
  /// The instant since which the peer has brought nothing that could be kept.
  var vainSince: Instant?
  /// All that it brought could not be kept: it is of another history, or depends on what nobody has.
  var hasOthers = false
}
