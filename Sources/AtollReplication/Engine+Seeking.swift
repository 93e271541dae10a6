import AtollChanges
import AtollVocabulary
import AtollWire

// Who pushes to whom. Among peers that are all linked to each other everything would come from
// each of them, so each direction of a link is of one of two kinds: *pushed*, in which what is new
// goes out at once, or *quiet*, in which it is only told of.
//
// A link to the only peer is pushed from its hello on. Of several, the first is, and so is one to
// a peer that has no other link: what is pushed is then a tree, whoever else is linked. It mends
// itself: where something comes by two pushed links, the later becomes quiet (`ease`); where a
// quiet peer has told of something that nobody sends, it is asked (`want`) and pushes from then on.
// Who is asked asks back, so that both directions are pushed. One peer is asked at a time, so that nothing is under way twice. (The scheme is
// that of epidemic broadcast trees: Leitão, Pereira and Rodrigues, SRDS 2007, but for its
// beginning, which floods there.)

extension Engine {
  /// Decides what a new link is, when both sides have said whether they are alone.
  mutating func beginPushing(_ index: Int, to hello: Hello, at now: Instant) {
    sessions[index].outgoing.isPushed = hello.wantsPush
    guard !sessions[index].isReader else { return }
    sessions[index].isPushed = sessions[index].didWantPush
    guard !sessions[index].didWantPush else { return }
    guard hello.wantsPush || !sessions.contains(where: { $0.isEstablished && $0.isPushed }) else {
      return noteLag(index, at: now)
    }
    // What another link is bringing at present is not asked for twice.
    if isLagging(index), isCatchingUp(at: now) {
      noteLag(index, at: now)
    } else {
      ask(index, at: now)
    }
  }

  /// Notes that a quiet peer has what is not here.
  mutating func noteLag(_ index: Int, at now: Instant) {
    guard sessions[index].isEstablished, !sessions[index].isPushed,
      sessions[index].laggingSince == nil, isLagging(index)
    else { return }
    sessions[index].laggingSince = now
    planSeek(at: now.advanced(by: Limits.pushTimeout))
  }

  /// Asks one of the quiet peers for what nobody sends, if it is time.
  mutating func seek(at now: Instant) {
    guard let due = seekAt else { return }
    guard due <= now else { return arm(at: due) }
    seekAt = nil
    // What cannot be written now is not asked for.
    guard diskFull == nil else { return planSeek(at: now.advanced(by: Limits.pushTimeout)) }
    for index in sessions.indices where sessions[index].laggingSince != nil {
      if !sessions[index].isEstablished || sessions[index].isPushed || !isLagging(index) {
        sessions[index].laggingSince = nil
      }
    }
    let lagging = sessions.indices.filter { sessions[$0].laggingSince != nil }
    guard let next = lagging.min(by: { lag($0) < lag($1) }) else { return }
    let earliest = lag(next).advanced(by: Limits.pushTimeout)
    // While others bring something it may be this; but not for ever.
    let last = lag(next).advanced(by: Limits.keepAliveInterval)
    guard earliest <= now, now >= last || !isCatchingUp(at: now) else {
      return planSeek(at: max(earliest, now.advanced(by: Limits.pushTimeout)))
    }
    ask(next, at: now)
    if lagging.count > 1 { planSeek(at: now.advanced(by: Limits.pushTimeout)) }
  }

  /// Has a peer send everything that is not here, and push from then on.
  mutating func ask(_ index: Int, at now: Instant) {
    sessions[index].laggingSince = nil
    sessions[index].isPushed = true
    sessions[index].incoming.wantedAt = nil
    want(index, at: now)
  }

  /// Asks a peer back that has asked, unless it pushes, or did in vain.
  mutating func askBack(_ index: Int, at now: Instant) {
    let session = sessions[index]
    guard session.isEstablished, !session.isPushed, !session.hasEased else { return }
    if isLagging(index), isCatchingUp(at: now) {
      noteLag(index, at: now)
    } else {
      ask(index, at: now)
    }
  }

  /// What came now came before by another link that is pushed: this one need not be.
  ///
  /// Unless another history of the author is looked for, of which the numbers say nothing.
  mutating func ease(_ index: Int, having author: Author, _ sequence: SequenceNumber) {
    guard sessions[index].isPushed, !sessions.contains(where: { $0.incoming.isTracing(author) }),
      sessions[index].incoming.received[author] < sequence,
      sessions.indices.contains(where: { other in
        other != index && sessions[other].isEstablished && sessions[other].isPushed
          && sessions[other].incoming.received[author] >= sequence
      })
    else { return }
    ease(index)
  }

  /// A large changeset that another link is bringing in chunks begins to come by this one too.
  mutating func ease(_ index: Int, assembling id: ChangesetID) {
    let isComing = sessions.indices.contains { other in
      other != index && sessions[other].isEstablished && sessions[other].isPushed
        && sessions[other].incoming.isAssembling(id)
    }
    if sessions[index].isPushed, isComing { ease(index) }
  }

  private mutating func ease(_ index: Int) {
    sessions[index].isPushed = false
    sessions[index].hasEased = true
    send(index, .ease)
  }

  /// The peer gets the same from others.
  mutating func eased(_ index: Int, at now: Instant) {
    sessions[index].outgoing.quieten()
    planAnnouncement(at: now)
  }

  /// Has somebody push, if nobody does any more.
  mutating func choosePushed(at now: Instant) {
    guard !isStopping, !sessions.contains(where: { $0.isEstablished && $0.isPushed }) else {
      return
    }
    let established = sessions.indices.filter { sessions[$0].isEstablished }
    if let next = established.first(where: { isLagging($0) }) ?? established.first {
      ask(next, at: now)
    }
  }

  private func lag(_ index: Int) -> Instant {
    sessions[index].laggingSince ?? Instant(nanoseconds: .max)
  }

  /// Whether the peer has changesets that have not come by any link, and would be taken.
  private func isLagging(_ index: Int) -> Bool {
    let session = sessions[index]
    guard !session.isReader else { return false }
    return session.theirs.heads.contains { head in
      head.sequence > holdings.sequence(of: head.author) && !isHeldBack(head.author)
        && !session.incoming.withheld.contains(head.author)
        && !sessions.contains { $0.incoming.received[head.author] >= head.sequence }
    }
  }

  /// Whether a peer that pushes has more, and was heard of a moment ago.
  private func isCatchingUp(at now: Instant) -> Bool {
    sessions.indices.contains { index in
      let session = sessions[index]
      let last = max(session.incoming.lastAccepted, session.incoming.wantedAt ?? session.openedAt)
      return session.isEstablished && session.isPushed && isBehind(index)
        && now < last.advanced(by: Limits.pushTimeout)
    }
  }

  private mutating func planSeek(at due: Instant) {
    if let seekAt, seekAt <= due { return }
    seekAt = due
    arm(at: due)
  }

  // MARK: Telling

  /// Has the peers that are not pushed to told of what is new, soon.
  mutating func planAnnouncement(at now: Instant) {
    guard announceAt == nil else { return }
    let due = now.advanced(by: Limits.announcementDelay)
    announceAt = due
    arm(at: due)
  }

  /// Tells of what came since, if it is time.
  mutating func announce(at now: Instant) {
    guard let due = announceAt else { return }
    guard due <= now else { return arm(at: due) }
    announceAt = nil
    for index in sessions.indices
    where sessions[index].isEstablished && !sessions[index].outgoing.isPushed {
      let (told, theirs) = (sessions[index].told, sessions[index].theirs)
      let news = holdings.heads.filter {
        theirs.sequence(of: $0.author) < $0.sequence && told.sequence(of: $0.author) < $0.sequence
      }
      guard !news.isEmpty else { continue }
      var applied = VersionVector()
      for head in news { applied[head.author] = holdings.applied[head.author] }
      let progress = Holdings(heads: news, applied: applied)
      sessions[index].told.formUnion(progress)
      send(index, .progress(progress))
    }
  }
}
