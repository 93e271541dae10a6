import AtollChanges
import AtollVocabulary
import AtollWire

// Eager and lazy links. In a full mesh every peer would send every changeset to every other one.
// So each direction of a link is either *eager*, and changesets are sent at once, or *lazy*, and
// they are only announced.
//
// A link to the only peer is eager from its hello on. Of several links, the first is, and so is one
// to a peer that has no other link. The eager links are then a tree, whatever other links there are.
// The tree repairs itself: where a changeset comes by two eager links, the later one becomes lazy
// (`prune`); where a lazy peer has announced a changeset that nobody sends, it is asked for it
// (`request`), and is eager from then on. A peer that is asked asks back, so that both directions are
// eager. One peer is asked at a time, so that nothing is sent twice.
//
// The scheme is Plumtree's (Leitão, Pereira and Rodrigues: Epidemic Broadcast Trees, SRDS 2007),
// except for the beginning, where Plumtree floods.

extension Engine {
  /// Makes the directions of a new link eager or lazy, once both sides have said whether they are alone.
  mutating func decideEagerness(_ index: Int, from hello: Hello, at now: Instant) {
    sessions[index].outgoing.isEager = hello.isEagerWanted
    guard !sessions[index].isReader else { return }
    sessions[index].isEager = sessions[index].hasAskedForEager
    guard !sessions[index].hasAskedForEager else { return }
    guard hello.isEagerWanted || !sessions.contains(where: { $0.isEstablished && $0.isEager })
    else {
      return recordLag(index, at: now)
    }
    // Changesets that another link is bringing are not requested twice.
    if isLagging(index), isCatchingUp(at: now) {
      recordLag(index, at: now)
    } else {
      ask(index, at: now)
    }
  }

  /// Records that a lazy peer has changesets that are not here.
  mutating func recordLag(_ index: Int, at now: Instant) {
    guard sessions[index].isEstablished, !sessions[index].isEager,
      sessions[index].laggingSince == nil, isLagging(index)
    else { return }
    sessions[index].laggingSince = now
    planSeek(at: now.advanced(by: Limits.lazyTimeout))
  }

  /// Asks one of the lazy peers for what nobody sends, if it is time.
  mutating func seek(at now: Instant) {
    guard let due = seekAt else { return }
    guard due <= now else { return arm(at: due) }
    seekAt = nil
    // Nothing is requested that cannot be written now.
    guard diskFull == nil else { return planSeek(at: now.advanced(by: Limits.lazyTimeout)) }
    for index in sessions.indices where sessions[index].laggingSince != nil {
      if !sessions[index].isEstablished || sessions[index].isEager || !isLagging(index) {
        sessions[index].laggingSince = nil
      }
    }
    let lagging = sessions.indices.filter { sessions[$0].laggingSince != nil }
    guard let next = lagging.min(by: { lag($0) < lag($1) }) else { return }
    let earliest = lag(next).advanced(by: Limits.lazyTimeout)
    // While others bring something it may be this; but not for ever.
    let last = lag(next).advanced(by: Limits.keepAliveInterval)
    guard earliest <= now, now >= last || !isCatchingUp(at: now) else {
      return planSeek(at: max(earliest, now.advanced(by: Limits.lazyTimeout)))
    }
    ask(next, at: now)
    if lagging.count > 1 { planSeek(at: now.advanced(by: Limits.lazyTimeout)) }
  }

  /// Has a peer send everything that is not here, and be eager from then on.
  mutating func ask(_ index: Int, at now: Instant) {
    sessions[index].laggingSince = nil
    sessions[index].isEager = true
    sessions[index].incoming.requestedAt = nil
    request(index, at: now)
  }

  /// Asks a peer back that has asked, unless it is eager, or was in vain.
  mutating func askBack(_ index: Int, at now: Instant) {
    let session = sessions[index]
    guard session.isEstablished, !session.isEager, !session.hasPruned else { return }
    if isLagging(index), isCatchingUp(at: now) {
      recordLag(index, at: now)
    } else {
      ask(index, at: now)
    }
  }

  /// Makes a link lazy whose changesets come by another eager link before.
  ///
  /// Unless another history of the author is looked for, of which the numbers say nothing.
  mutating func prune(_ index: Int, having author: Author, _ sequence: SequenceNumber) {
    guard sessions[index].isEager, !sessions.contains(where: { $0.incoming.isTracing(author) }),
      sessions[index].incoming.received[author] < sequence,
      sessions.indices.contains(where: { other in
        other != index && sessions[other].isEstablished && sessions[other].isEager
          && sessions[other].incoming.received[author] >= sequence
      })
    else { return }
    prune(index)
  }

  /// The same where another link is bringing a large changeset in chunks that begins here too.
  mutating func prune(_ index: Int, assembling id: ChangesetID) {
    let isComing = sessions.indices.contains { other in
      other != index && sessions[other].isEstablished && sessions[other].isEager
        && sessions[other].incoming.isAssembling(id)
    }
    if sessions[index].isEager, isComing { prune(index) }
  }

  private mutating func prune(_ index: Int) {
    sessions[index].isEager = false
    sessions[index].hasPruned = true
    send(index, .prune)
  }

  /// The peer gets the same from others.
  mutating func pruned(_ index: Int, at now: Instant) {
    sessions[index].outgoing.becomeLazy()
    planAnnouncement(at: now)
  }

  /// Makes a link eager if none is any more.
  mutating func chooseEager(at now: Instant) {
    guard !isStopping, !sessions.contains(where: { $0.isEstablished && $0.isEager }) else {
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

  /// Tells whether the peer has changesets that have not come by any link, and would be taken.
  private func isLagging(_ index: Int) -> Bool {
    let session = sessions[index]
    guard !session.isReader else { return false }
    return session.theirs.heads.contains { head in
      head.sequence > holdings.sequence(of: head.author) && !isHeldBack(head.author)
        && !session.incoming.withheld.contains(head.author)
        && !sessions.contains { $0.incoming.received[head.author] >= head.sequence }
    }
  }

  /// Tells whether an eager peer has more, and sent something less than `lazyTimeout` ago.
  private func isCatchingUp(at now: Instant) -> Bool {
    sessions.indices.contains { index in
      let session = sessions[index]
      let last = max(
        session.incoming.lastAccepted, session.incoming.requestedAt ?? session.openedAt)
      return session.isEstablished && session.isEager && isBehind(index)
        && now < last.advanced(by: Limits.lazyTimeout)
    }
  }

  private mutating func planSeek(at due: Instant) {
    if let seekAt, seekAt <= due { return }
    seekAt = due
    arm(at: due)
  }

  // MARK: Announcing

  /// Plans to announce what is new to lazy peers.
  mutating func planAnnouncement(at now: Instant) {
    guard announceAt == nil else { return }
    let due = now.advanced(by: Limits.announcementDelay)
    announceAt = due
    arm(at: due)
  }

  /// Announces what came since, if it is time.
  mutating func announce(at now: Instant) {
    guard let due = announceAt else { return }
    guard due <= now else { return arm(at: due) }
    announceAt = nil
    for index in sessions.indices
    where sessions[index].isEstablished && !sessions[index].outgoing.isEager {
      let (announced, theirs) = (sessions[index].announced, sessions[index].theirs)
      let news = holdings.heads.filter {
        theirs.sequence(of: $0.author) < $0.sequence
          && announced.sequence(of: $0.author) < $0.sequence
      }
      announce(index, news)
    }
  }
}
