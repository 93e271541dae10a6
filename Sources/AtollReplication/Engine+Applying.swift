import AtollChanges
import AtollVocabulary
import AtollWire

// Applying: from the inbox into the file, and only then an acknowledgement.

/// An author whose changesets may not be applied yet and are not kept, or who depends on one.
struct HeldBack: Hashable, Sendable {
  var author: Author
  var until: Instant
}

/// The batch that is being written, or waits because the disk is full.
struct Applying: Hashable, Sendable {
  var link: LinkID
  var batch: [IncomingChangeset]

  /// Its changesets, in order.
  var names: [IncomingName] {
    batch.map { IncomingName(author: $0.author, sequence: $0.sequence, hash: $0.expectedHash) }
  }

  var byteCount: Int { batch.reduce(0) { $0 + $1.bytes.count } }
}

/// The sender's name for a changeset, and its hash if the sender gave it.
struct IncomingName: Hashable, Sendable {
  var author: Author
  var sequence: SequenceNumber
  var hash: ChainHash?
}

extension Engine {
  mutating func enqueueApply(_ index: Int) {
    let link = sessions[index].link
    if sessions[index].incoming.hasExpedited {
      // Few bytes, and they were written a moment ago.
      applyQueue.removeAll { $0 == link }
      return applyQueue.insert(link, at: 0)
    }
    guard !sessions[index].incoming.isEmpty, !applyQueue.contains(link) else { return }
    applyQueue.append(link)
  }

  /// Hands the next batch to the file, if it is not busy with one.
  mutating func applyNext() {
    while applying == nil, !applyQueue.isEmpty {
      guard let index = index(of: applyQueue.removeFirst()), sessions[index].isEstablished else {
        continue
      }
      let batch = sessions[index].incoming.nextBatch(holdings)
      enqueueApply(index)
      guard !batch.isEmpty else { continue }
      applying = Applying(link: sessions[index].link, batch: batch)
      perform(.apply(sessions[index].link, batch))
    }
  }

  mutating func applied(
    _ link: LinkID, _ outcomes: [ApplyOutcome], _ holdings: Holdings, at now: Instant
  ) {
    let names = applying?.names ?? []
    let before = self.holdings
    applying = nil
    endDiskFull()
    for case .branched(let id, let known) in outcomes {
      perform(.report(.branched(link, id, beside: known)))
    }
    logAdvanced(to: holdings, at: now)
    if let index = index(of: link), sessions[index].isEstablished {
      judge(index, Array(zip(names, outcomes)), before, at: now)
    }
    applyNext()
  }

  mutating func applyFailed(_ link: LinkID, _ reason: String, at now: Instant) {
    applying = nil
    endDiskFull()
    if let index = index(of: link), sessions[index].isEstablished {
      let text = "this node could not write to its file: \(reason)"
      farewell(index, Goodbye(.storage, text), at: now)
    }
    applyNext()
  }

  func isHeldBack(_ author: Author) -> Bool { heldBackEntry(of: author) != nil }

  /// The place of an author among those held back, or where it belongs.
  private func placeHeldBack(_ author: Author) -> Int {
    var (low, high) = (0, heldBack.count)
    while low < high {
      let middle = (low + high) / 2
      if heldBack[middle].author < author { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func heldBackEntry(of author: Author) -> HeldBack? {
    let place = placeHeldBack(author)
    return place < heldBack.count && heldBack[place].author == author ? heldBack[place] : nil
  }

  /// Asks again for what was held back, as far as its time has come.
  mutating func releaseHeldBack(at now: Instant) {
    let count = heldBack.count
    heldBack.removeAll { $0.until <= now }
    for entry in heldBack { arm(at: entry.until) }
    guard heldBack.count < count else { return }
    // All of them may have it: the first eager one sends it, or a lazy one is asked.
    let behind = sessions.indices.filter { sessions[$0].isEstablished && isBehind($0) }
    if let first = behind.first(where: { sessions[$0].isEager }) {
      sessions[first].incoming.requestedAt = nil
      request(first, at: now)
    }
    for index in behind { recordLag(index, at: now) }
  }

  /// Acts on the outcomes of a batch for the link that delivered it.
  private mutating func judge(
    _ index: Int, _ outcomes: [(IncomingName, ApplyOutcome)], _ before: Holdings,
    at now: Instant
  ) {
    var isIncomplete = false
    var traced: [Author] = []
    for (name, outcome) in outcomes {
      switch outcome {
      case .applied, .branched: sessions[index].incoming.requestedAt = nil
      case .duplicate: break
      case .missing(let dependencies):
        isIncomplete = true
        holdBack(name.author, dependingOn: dependencies)
      case .deferred(let id, let ahead):
        sessions[index].incoming.requestedAt = nil
        if let ahead { recordClockDeferral(index, id, ahead, before, at: now) }
      case .overflowing(let retryAfter, let reason):
        isIncomplete = true
        leaveOut(index, name, retryAfter, because: reason, at: now)
      case .detached(let known):
        isIncomplete = true
        guard !traced.contains(name.author.commonHistory) else { continue }
        traced.append(name.author.commonHistory)
        trace(index, known, name.hash ?? known.hash, for: name.author, at: now)
      case .equivocation(let known, let received):
        isIncomplete = true
        guard !traced.contains(known.author.commonHistory) else { continue }
        traced.append(known.author.commonHistory)
        trace(index, known, received, for: name.author, at: now)
      case .refused(let reason):
        return refuse(index, name, reason, at: now)
      }
    }
    acknowledge(index, outcomes)
    if isIncomplete { startOver(index, at: now) }
  }

  /// Something was not kept: all that came after it on this link has to come again.
  mutating func startOver(_ index: Int, at now: Instant) {
    sessions[index].incoming.reset()
    request(index, at: now)
  }

  private mutating func leaveOut(
    _ index: Int, _ name: IncomingName, _ retryAfter: Duration, because reason: LeavingOut,
    at now: Instant
  ) {
    guard !isHeldBack(name.author) else { return }
    let pause = max(retryAfter, Limits.keepAliveInterval)
    holdBack(name.author, until: now.advanced(by: pause))
    perform(
      .report(
        .overflowing(
          sessions[index].link, author: name.author, from: name.sequence, retryAfter: pause,
          because: reason)))
  }

  /// An author that waits only for those held back is held back as long.
  private mutating func holdBack(_ author: Author, dependingOn dependencies: VersionVector) {
    let waits = dependencies.entries.compactMap { entry in
      heldBackEntry(of: entry.author)?.until
    }
    guard waits.count == dependencies.entries.count, let until = waits.max(),
      !isHeldBack(author)
    else { return }
    holdBack(author, until: until)
  }

  private mutating func holdBack(_ author: Author, until: Instant) {
    heldBack.insert(HeldBack(author: author, until: until), at: placeHeldBack(author))
    arm(at: until)
  }

  private mutating func refuse(
    _ index: Int, _ name: IncomingName, _ reason: String, at now: Instant
  ) {
    perform(
      .report(
        .refused(
          sessions[index].link, author: name.author, sequence: name.sequence, reason: reason)))
    let text = "changeset \(name.sequence) of \(name.author) was refused: \(reason)"
    farewell(index, Goodbye(.refused, text), at: now)
  }
}
