import AtollChanges
import AtollVocabulary
import AtollWire

// What a snapshot leaves open in the log: asked for frame by frame from one peer while everything else
// goes on, so that a file that began with a snapshot can soon give what its peers can. Whoever has any of it gives
// it, gaps of its own or not (`StoreFile+Backlog.swift` shows why nobody waits for ever then). What nobody has any more
// is given up.

/// What is being asked for: one question at a time, of one peer.
struct BacklogTaking: Hashable, Sendable {
  var link: LinkID
  var askedAt: Instant
  /// The answer that the file is writing: what the peer has beside it, and whose changesets are in it.
  var keeping: Keeping?
  /// Whose changesets the peer sent in vain: they depend on others that it does not have.
  var leftOut: [Author] = []

  struct Keeping: Hashable, Sendable {
    var state: Backlog.State
    var authors: [Author]
  }
}

extension Engine {
  /// How the file's log begins, by now, and where it has gaps.
  mutating func begin(with beginning: LogBeginning, at now: Instant) {
    let isCut = floor != beginning.floor
    floor = beginning.floor
    snapshot = beginning.offer
    missing = beginning.missing
    // Places at the end of the log that were cut off are given again.
    if isCut { readAgain() }
    seekBacklog(at: now)
  }

  /// Asks a peer for what is missing of the log, unless one is asked or there is none.
  mutating func seekBacklog(at now: Instant) {
    guard missing != nil, backlog == nil, bootstrap == nil, !isStopping else { return }
    let ready = sessions.firstIndex { session in
      session.isEstablished && !session.isReader
        && session.backlog.pausedUntil.map { $0 <= now } ?? true
    }
    guard let ready else { return }
    backlog = BacklogTaking(link: sessions[ready].link, askedAt: now)
    askForBacklog(ready)
  }

  private mutating func askForBacklog(_ index: Int) {
    guard var request = missing else { return }
    for author in backlog?.leftOut ?? [] { request.through[author] = .none }
    send(index, .backlogRequest(request))
  }

  mutating func receive(_ index: Int, _ answer: Backlog, at now: Instant) {
    guard let current = backlog, current.link == sessions[index].link, current.keeping == nil
    else { return }
    backlog?.askedAt = now
    var authors: [Author] = []
    for part in answer.parts where !authors.contains(part.id.author) {
      authors.append(part.id.author)
    }
    backlog?.keeping = BacklogTaking.Keeping(state: answer.state, authors: authors)
    perform(.keepBacklog(sessions[index].link, answer))
  }

  /// The file has kept what came, unless there is a reason against it.
  mutating func backlogKept(
    _ link: LinkID, _ beginning: LogBeginning, refusal: String?, at now: Instant
  ) {
    let kept = backlog?.link == link ? backlog?.keeping : nil
    if kept != nil { backlog?.keeping = nil }
    let isFurther = beginning.missing?.isLess(than: missing) ?? true
    floor = beginning.floor
    snapshot = beginning.offer
    missing = beginning.missing
    if let refusal { perform(.report(.snapshotRefused(link, reason: refusal))) }
    if isFurther { for other in sessions.indices { sessions[other].backlog.vainSince = nil } }
    guard missing != nil else {
      backlog = nil
      return backlogCame(at: now)
    }
    guard let kept, let index = index(of: link), sessions[index].isEstablished else {
      return seekBacklog(at: now)
    }
    guard kept.state == .more, refusal == nil, isFurther || !kept.authors.isEmpty else {
      let pause = kept.state == .waiting ? Limits.keepAliveInterval : Limits.backlogPause
      if !isFurther, sessions[index].backlog.vainSince == nil {
        sessions[index].backlog.vainSince = now
      }
      return passOver(index, until: now.advanced(by: pause), at: now)
    }
    goOn(index, leavingOut: isFurther ? [] : kept.authors, at: now)
  }

  /// Asks the same peer for more, but not for those again whose changesets it has just sent in vain.
  private mutating func goOn(_ index: Int, leavingOut authors: [Author], at now: Instant) {
    guard let current = backlog, let missing else { return }
    let leftOut = authors.isEmpty ? [] : current.leftOut + authors
    guard !missing.through.entries.allSatisfy({ leftOut.contains($0.author) }) else {
      return passOver(index, until: now.advanced(by: Limits.backlogPause), at: now)
    }
    backlog?.leftOut = leftOut
    backlog?.askedAt = now
    askForBacklog(index)
  }

  /// Asks another peer, and this one only after a while; what it brought is there to be sent.
  private mutating func passOver(_ index: Int, until: Instant, at now: Instant) {
    sessions[index].backlog.pausedUntil = until
    backlog = nil
    readAgain()
    seekBacklog(at: now)
  }

  /// The log has no gaps any more: whoever could not be given anything is, and snapshots are again.
  private mutating func backlogCame(at now: Instant) {
    readAgain()
    for index in sessions.indices { considerOffer(index, at: now) }
  }

  private mutating func readAgain() {
    for index in sessions.indices {
      sessions[index].outgoing.readAgain()
      pump(index)
    }
  }

  /// Asks again for what was lost on the way, or a peer that had nothing a while ago.
  mutating func checkOnBacklog(_ index: Int, at now: Instant) {
    if let current = backlog, current.link == sessions[index].link, current.keeping == nil,
      current.askedAt.advanced(by: Limits.keepAliveInterval) <= now
    {
      backlog?.askedAt = now
      askForBacklog(index)
    }
    isLost(at: now) ? giveUpBacklog(index, at: now) : seekBacklog(at: now)
  }

  /// Whether nobody who is connected has had anything of what is missing for long, and somebody lacks
  /// it altogether.
  private func isLost(at now: Instant) -> Bool {
    guard let missing, backlog?.keeping == nil else { return false }
    let asked = sessions.filter { $0.isEstablished && !$0.isReader }
    return asked.allSatisfy { session in
      session.backlog.vainSince.map { $0.advanced(by: Limits.backlogPatience) <= now } == true
    } && asked.contains { !$0.theirs.held.includes(missing.through) }
  }

  /// Goes on as if whoever gave the snapshot had cut its log there.
  ///
  /// Its disk was put back, or it is gone for good. The objects are here, and others can be given them.
  private mutating func giveUpBacklog(_ index: Int, at now: Instant) {
    guard let missing else { return }
    perform(.report(.backlogLost(missing.through.count(beyond: missing.after))))
    let heads = missing.through.entries.map {
      ChangesetID(author: $0.author, sequence: $0.sequence, hash: .origin(of: $0.author))
    }
    let link = sessions[index].link
    backlog = BacklogTaking(
      link: link, askedAt: now, keeping: BacklogTaking.Keeping(state: .end, authors: []))
    perform(.keepBacklog(link, Backlog(floor: Holdings(heads: heads), state: .end, parts: [])))
  }

  mutating func abandonBacklog(_ link: LinkID, at now: Instant) {
    guard backlog?.link == link else { return }
    backlog = nil
    seekBacklog(at: now)
  }

  // MARK: Giving

  /// A peer has begun with a snapshot; one answer at a time.
  mutating func requested(_ index: Int, _ request: BacklogRequest) {
    guard !sessions[index].backlog.isReading else { return }
    sessions[index].backlog.isReading = true
    perform(.readBacklog(sessions[index].link, request))
  }

  mutating func backlogRead(_ link: LinkID, _ answer: Backlog) {
    guard let index = index(of: link), sessions[index].isEstablished else { return }
    sessions[index].backlog.isReading = false
    send(index, .backlog(answer))
  }
}

extension BacklogRequest {
  /// Whether less is missing than before: fewer changesets, or as many and more of the next.
  fileprivate func isLess(than before: BacklogRequest?) -> Bool {
    guard let before else { return false }
    let (now, then) = (through.count(beyond: after), before.through.count(beyond: before.after))
    return now < then || now == then && (part?.received ?? 0) > (before.part?.received ?? 0)
  }
}

/// What a session has to do with the log below a snapshot.
struct BacklogExchange: Hashable, Sendable {
  /// The peer waits for an answer that is being read.
  var isReading = false
  /// It had nothing: when it is worth asking again.
  var pausedUntil: Instant?
  /// Since when it has brought nothing, and nobody else has either.
  var vainSince: Instant?
}
