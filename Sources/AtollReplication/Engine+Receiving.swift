import AtollChanges
import AtollVocabulary
import AtollWire

// Receiving: from a frame to the inbox. Holes are asked for, repetitions acknowledged again.

extension Engine {
  mutating func receive(
    _ index: Int, _ runs: [ChangesetRun], isExpedited: Bool = false, at now: Instant
  ) {
    recordChangesets(index)
    for run in runs {
      guard !isRefusing(index, run.author) else {
        request(index, at: now)
        continue
      }
      let head = ChangesetID(author: run.author, sequence: run.last, hash: run.headHash)
      adopt(index, Holdings(storedBy: sessions[index].peer, upTo: head), at: now)
      prune(index, having: run.author, run.last)
      switch sessions[index].incoming.take(run, isExpedited: isExpedited, holdings, at: now) {
      case .accepted: break
      case .duplicate: repeated(index, head, at: now)
      case .gap: if sessions[index].isEager { request(index, at: now) }
      }
    }
    afterReceiving(index, at: now)
  }

  mutating func receive(_ index: Int, _ chunk: ChangesetChunk, at now: Instant) {
    recordChangesets(index)
    guard !isRefusing(index, chunk.id.author) else { return request(index, at: now) }
    prune(index, having: chunk.id.author, chunk.id.sequence)
    if chunk.offset == 0 { prune(index, assembling: chunk.id) }
    // Not answered, so that no more of it comes; it is asked for with a keep-alive.
    guard mayAssemble(index, chunk, at: now) else { return }
    let (reception, received) = sessions[index].incoming.take(chunk, holdings, at: now)
    switch reception {
    case .accepted: break
    case .duplicate:
      adopt(index, Holdings(storedBy: sessions[index].peer, upTo: chunk.id), at: now)
      repeated(index, chunk.id, at: now)
    case .gap: if sessions[index].isEager { request(index, at: now) }
    }
    if received == chunk.total {
      adopt(index, Holdings(storedBy: sessions[index].peer, upTo: chunk.id), at: now)
    } else if received > 0 {
      let receipt = ChunkReceipt(
        author: chunk.id.author, sequence: chunk.id.sequence, received: received)
      send(index, .chunkReceipt(receipt))
    }
    afterReceiving(index, at: now)
  }

  /// Tells whether the memory for peers has room for a changeset that comes in chunks; for one alone it always
  /// has, and what has not gone on for a keep-alive makes room.
  private mutating func mayAssemble(
    _ index: Int, _ chunk: ChangesetChunk, at now: Instant
  ) -> Bool {
    guard !sessions[index].incoming.isAssembling(chunk.id) else { return true }
    func others() -> Int {
      sessions.indices.reduce(0) { sum, other in
        other == index ? sum : sum + sessions[other].incoming.assemblingBytes
      }
    }
    let room = memory.totalBytes - chunk.total
    guard others() > max(room, 0) else { return true }
    for other in sessions.indices where other != index {
      let idle = now.duration(since: sessions[other].incoming.lastAccepted)
      if idle >= Limits.keepAliveInterval { sessions[other].incoming.dropAssembly() }
    }
    return others() <= max(room, 0)
  }

  /// Tells whether changesets of `author` are not taken from this peer at present.
  private func isRefusing(_ index: Int, _ author: Author) -> Bool {
    isHeldBack(author) || sessions[index].incoming.withheld.contains(author)
  }

  /// The peer does not know that this was here: say it again, unless it is another history.
  private mutating func repeated(_ index: Int, _ head: ChangesetID, at now: Instant) {
    if let known = holdings.head(of: head.author), known.sequence == head.sequence,
      known.hash != head.hash
    {
      guard !sessions[index].incoming.isTracing(head.author) else { return }
      trace(index, head.author, back: known.sequence)
      return startOver(index, at: now)
    }
    sessions[index].announced.forget(head.author)
  }

  private mutating func afterReceiving(_ index: Int, at now: Instant) {
    guard !sessions[index].incoming.isOverrun else {
      let text =
        "more than \(Limits.inboxBytes) bytes were sent without waiting for their "
        + "acknowledgement; at most \(Limits.unacknowledgedBytes) are agreed to"
      return farewell(index, Goodbye(.overload, text), at: now)
    }
    announce(index, among: holdings.heads)
    enqueueApply(index)
    applyNext()
  }
}
