import AtollChanges
import AtollVocabulary
import AtollWire

// Taking a snapshot: one at a time, page after page from one peer, each kept by the file before the
// next ones are asked for. What a link leaves unfinished goes on from there on another one.

/// A snapshot that is being taken: `staged <= asked <= offer.pages`.
struct Bootstrap: Hashable, Sendable {
  var link: LinkID
  var offer: SnapshotOffer
  /// Pages that the file has; nil until it has said so.
  var staged: Int?
  var asked = 0
  /// Pages that came and are not kept yet; at most a window.
  var arrived: [SnapshotPage] = []
  /// The number of received pages that the file is writing.
  var writing = 0
  var isStaging = true
  var isInstalling = false
  var heardAt: Instant
}

extension Engine {
  /// A peer has a snapshot for us; it is taken at once if nobody sends what it has otherwise.
  mutating func offered(_ index: Int, _ offer: SnapshotOffer, at now: Instant) {
    sessions[index].offer = offer
    considerOffer(index, at: now)
  }

  mutating func considerOffer(_ index: Int, at now: Instant) {
    guard let offer = sessions[index].offer, sessions[index].isEstablished else { return }
    if let current = bootstrap {
      // Another one in place of what the same peer had: that is gone.
      guard current.link == sessions[index].link, current.offer != offer, !current.isInstalling
      else { return }
      bootstrap = nil
    }
    let isWanted = isWanted(offer)
    guard offer.pages > 0, isWanted || lacks(offer.frontier.stored) || isOfOthers(offer.frontier)
    else {
      sessions[index].offer = nil
      sessions[index].incoming.cutTraces(at: offer.frontier)
      sessions[index].incoming.requestedAt = nil
      return request(index, at: now)
    }
    // One at a time: the log has to be whole before the next.
    guard missing == nil else { return request(index, at: now) }
    guard isWanted || holdings.heads.isEmpty || !isBroughtByOthers(index),
      mayCoverTruncationPoint(offer)
    else { return }
    let link = sessions[index].link
    bootstrap = Bootstrap(link: link, offer: offer, heardAt: now)
    backfill = nil
    perform(.report(.bootstrapping(link, offer)))
    perform(.stageSnapshot(link, offer.id, []))
  }

  /// Tells if anything of a snapshot is not here.
  ///
  /// A replica that knows of fewer forks names what it has of an author without a branch. That some of that is of
  /// a history which is not here, it learns from this side's branches, and says with the next snapshot.
  private func lacks(_ frontier: VersionVector) -> Bool {
    frontier.entries.contains { entry in
      guard holdings.stored[entry.author] < entry.sequence else { return false }
      return entry.author.branch != .none
        || !holdings.heads.contains {
          $0.author.branch != .none && $0.author.commonHistory == entry.author
            && $0.sequence >= entry.sequence
        }
    }
  }

  /// Tells if a snapshot has as many changesets of an author as are here, and they are not the same.
  private func isOfOthers(_ frontier: Holdings) -> Bool {
    frontier.heads.contains { head in
      holdings.heads.contains {
        $0.author == head.author && $0.sequence == head.sequence && $0.hash != head.hash
      }
    }
  }

  /// Tells if a snapshot may have all that is cut off the log here, though under other names: its maker knows of
  /// more histories of an author.
  ///
  /// The file knows for certain, and refuses it otherwise.
  private func mayCoverTruncationPoint(_ offer: SnapshotOffer) -> Bool {
    let frontier = offer.frontier
    return truncationPoint.entries.allSatisfy { entry in
      if frontier.sequence(of: entry.author) >= entry.sequence { return true }
      let commonHistory = entry.author.commonHistory
      let theirs = frontier.heads.filter { $0.author.commonHistory == commonHistory }
      return theirs.count > holdings.heads.count { $0.author.commonHistory == commonHistory }
        && theirs.contains { $0.sequence >= entry.sequence }
    }
  }

  /// The links on which a snapshot is offered that lacks what is cut off the log here.
  ///
  /// A peer that offers one has itself cut off what is lacking here, or will once it has what is here: if this lasts,
  /// neither can bring the other forward.
  package var uselessOffers: [LinkID] {
    sessions.filter { session in
      guard session.isEstablished, let offer = session.offer else { return false }
      return !isWanted(offer) && !mayCoverTruncationPoint(offer)
    }.map(\.link)
  }

  /// The peer sends changesets instead of pages: it has thought better of it.
  mutating func recordChangesets(_ index: Int) {
    guard let current = bootstrap, current.link == sessions[index].link, !current.isInstalling
    else { return }
    bootstrap = nil
    sessions[index].offer = nil
  }

  /// Tells whether another peer has all that this file lacks of a snapshot, and has not offered one.
  private func isBroughtByOthers(_ index: Int) -> Bool {
    guard let offer = sessions[index].offer else { return false }
    return sessions.indices.contains { other in
      other != index && sessions[other].isEstablished && sessions[other].offer == nil
        && sessions[other].theirs.stored.includes(offer.frontier.stored)
    }
  }

  mutating func receive(_ index: Int, _ page: SnapshotPage, at now: Instant) {
    guard let current = bootstrap, current.link == sessions[index].link,
      current.offer.id == page.id, let staged = current.staged,
      page.index == staged + current.writing + current.arrived.count,
      page.index < current.asked
    else { return }
    bootstrap?.heardAt = now
    bootstrap?.arrived.append(page)
    stage()
  }

  private mutating func stage() {
    guard let current = bootstrap, !current.isStaging, !current.arrived.isEmpty else { return }
    bootstrap?.isStaging = true
    bootstrap?.writing = current.arrived.count
    bootstrap?.arrived = []
    perform(.stageSnapshot(current.link, current.offer.id, current.arrived))
  }

  /// The file keeps so many pages.
  mutating func snapshotStaged(_ link: LinkID, _ id: ChainHash, _ count: Int, at now: Instant) {
    guard let current = bootstrap, current.link == link, current.offer.id == id else { return }
    bootstrap?.isStaging = false
    bootstrap?.writing = 0
    if let staged = current.staged, count < staged + current.writing {
      bootstrap = nil
      guard let index = index(of: link), sessions[index].isEstablished else { return }
      let text = "a page of the snapshot does not give its hash"
      return farewell(index, Goodbye(.refused, text), at: now)
    }
    bootstrap?.staged = count
    guard count < current.offer.pages else {
      bootstrap?.isInstalling = true
      return perform(.installSnapshot(link, id))
    }
    stage()
    askForPages(at: now)
  }

  /// Asks for a window more when half of the last one is kept.
  private mutating func askForPages(at now: Instant) {
    guard let current = bootstrap, let staged = current.staged, let index = index(of: current.link),
      sessions[index].isEstablished
    else { return }
    let asked = max(current.asked, staged)
    guard asked - staged <= Limits.snapshotWindow / 2, asked < current.offer.pages else { return }
    let count = min(Limits.snapshotWindow / 2, current.offer.pages - asked)
    bootstrap?.asked = asked + count
    send(
      index, .snapshotRequest(SnapshotRequest(id: current.offer.id, first: asked, count: count)))
  }

  /// Asks again for what was lost on the way.
  mutating func checkOnSnapshot(_ index: Int, at now: Instant) {
    considerOffer(index, at: now)
    guard let current = bootstrap, current.link == sessions[index].link, !current.isStaging,
      !current.isInstalling, let staged = current.staged,
      current.heardAt.advanced(by: Limits.keepAliveInterval) <= now
    else { return }
    bootstrap?.arrived = []
    bootstrap?.asked = staged
    bootstrap?.heardAt = now
    askForPages(at: now)
  }

  /// The link is gone; what was kept is gone on with when somebody offers it again.
  mutating func abandonSnapshot(_ link: LinkID, at now: Instant) {
    guard bootstrap?.link == link else { return }
    bootstrap = nil
    for index in sessions.indices { considerOffer(index, at: now) }
  }

  mutating func snapshotFailed(_ link: LinkID, _ reason: String, at now: Instant) {
    if bootstrap?.link == link { bootstrap = nil }
    if backfill?.link == link { backfill = nil }
    guard let index = index(of: link), sessions[index].isEstablished else { return }
    let text = "this node could not write to its file: \(reason)"
    farewell(index, Goodbye(.storage, text), at: now)
  }

  /// The file goes on from the snapshot, or does not.
  mutating func snapshotInstalled(
    _ link: LinkID, _ outcome: SnapshotOutcome, _ holdings: Holdings, _ logStart: LogStart,
    at now: Instant
  ) {
    if bootstrap?.link == link { bootstrap = nil }
    switch outcome {
    case .installed:
      wantedOfSnapshot = nil
      askedForSnapshot = nil
      goOn(from: logStart, holdings, link, at: now)
    case .early(let ahead):
      perform(.report(.snapshotEarly(link, ahead: ahead)))
      guard let index = index(of: link), sessions[index].isEstablished else { return }
      // Its changesets can be had one by one, and those that are too early are deferred.
      sessions[index].offer = nil
      request(index, at: now)
    case .forked:
      begin(with: logStart, at: now)
      logAdvanced(to: holdings, at: now)
      guard let index = index(of: link), sessions[index].isEstablished else { return }
      sessions[index].offer = nil
      request(index, at: now)
    case .refused(let reason):
      perform(.report(.snapshotRefused(link, reason: reason)))
      guard let index = index(of: link), sessions[index].isEstablished else { return }
      farewell(index, Goodbye(.refused, "the snapshot was refused: \(reason)"), at: now)
    }
  }

  private mutating func goOn(
    from logStart: LogStart, _ holdings: Holdings, _ link: LinkID, at now: Instant
  ) {
    begin(with: logStart, at: now)
    perform(.report(.bootstrapped(link)))
    logAdvanced(to: holdings, at: now)
    for index in sessions.indices where sessions[index].isEstablished {
      let session = sessions[index]
      sessions[index].offer = nil
      // A peer that learns that its offer has come continues by itself.
      let isCovered = session.offer.map { holdings.stored.includes($0.frontier.stored) } ?? true
      guard !isCovered || session.incoming.waitingBytes > 0 || !session.isEager else { continue }
      sessions[index].incoming.reset()
      sessions[index].incoming.requestedAt = nil
      if session.isEager || session.link == link { ask(index, at: now) }
    }
  }
}
