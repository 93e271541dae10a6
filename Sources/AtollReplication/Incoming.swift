import AtollChanges
import AtollVocabulary
import AtollWire

/// The receiving half of a session: changesets without holes, waiting for the file.
struct Incoming: Hashable, Sendable {
  /// The changesets that came on this link without holes, applied or not; reset when one was not
  /// kept.
  private(set) var received = VersionVector()
  /// In the order of arrival.
  private(set) var inbox: [IncomingChangeset] = []
  /// The expedited changesets, applied before all of ``inbox``, in the order of arrival.
  private var expedited: [IncomingChangeset] = []
  /// Of both.
  private(set) var inboxBytes = 0
  private var assembly: Assembly?
  /// Authors of whom the peer says it has another history, and does not show it; nothing more of
  /// theirs is taken on this link.
  var withheld: [Author] = []
  /// Authors of whom it may have one, of which the beginning is looked for.
  private(set) var traces: [Trace] = []
  /// The time of the last request, unless something was applied since.
  var requestedAt: Instant?
  var lastAccepted = Instant(nanoseconds: 0)

  /// The outcome of a frame of changesets.
  enum Reception: Hashable, Sendable {
    case accepted
    case duplicate
    case gap
  }

  /// A search for the changeset with which another history begins.
  struct Trace: Hashable, Sendable {
    var author: Author
    /// The peer is asked for everything after this one.
    var after: SequenceNumber
    var step: UInt64
    /// True once something of that has come.
    var hasCome = false
    /// True if the peer's log does not go back so far.
    var isCut = false
  }

  /// The next step of a search for another history.
  enum Tracing: Hashable, Sendable {
    /// It asks for what is further back.
    case further
    /// It waits: nothing that it asked for has come, or some of that is not applied yet.
    case underWay
    /// Everything from the author's first changeset on came, and it was not in it.
    case atBeginning
  }

  /// A changeset of which `bytes.count` of `total` bytes have arrived.
  private struct Assembly: Hashable, Sendable {
    var id: ChangesetID
    var total: Int
    var bytes: [UInt8]
  }

  /// The last changeset of `author` that need not be sent any more.
  func end(of author: Author, _ ours: Holdings) -> SequenceNumber {
    let trace = traces.first { $0.author == author }
    return max(received[author], trace?.after ?? ours.sequence(of: author))
  }

  func isTracing(_ author: Author) -> Bool { traces.contains { $0.author == author } }

  /// Looks further back for where another history of an author begins: 1, 8, 64 … before `known`.
  ///
  /// Changesets that need the author's may come before them, any number of times.
  mutating func trace(_ author: Author, back known: SequenceNumber) -> Tracing {
    guard let place = traces.firstIndex(where: { $0.author == author }) else {
      received[author] = .none
      traces.append(Trace(author: author, after: known.stepped(back: 1), step: 1))
      return .further
    }
    guard traces[place].hasCome, !inbox.contains(where: { $0.author == author }) else {
      return .underWay
    }
    guard traces[place].after > .none, !traces[place].isCut else { return .atBeginning }
    received[author] = .none
    traces[place].step = traces[place].step.multipliedReportingOverflow(by: 8).partialValue
    traces[place].after = known.stepped(back: traces[place].step)
    traces[place].hasCome = false
    return .further
  }

  /// Ends searches at a snapshot of the peer's that is here already: what comes before it is cut off its log, and
  /// asking for that would bring the snapshot again and again.
  mutating func cutTraces(at frontier: Holdings) {
    for place in traces.indices {
      let end = frontier.sequence(of: traces[place].author)
      guard traces[place].after < end else { continue }
      traces[place].after = end
      traces[place].isCut = true
    }
  }

  /// Tells whether a run is followed by nothing that is lacked: a history of its own may begin anywhere.
  private func isNext(
    _ first: SequenceNumber, of author: Author, after end: SequenceNumber
  ) -> Bool {
    first <= end.next || (end == .none && author.branch != .none)
  }

  /// True if nothing waits to be applied.
  var isEmpty: Bool { inbox.isEmpty && expedited.isEmpty }

  var hasExpedited: Bool { !expedited.isEmpty }

  /// Bytes in memory that came on this link.
  var waitingBytes: Int { inboxBytes + (assembly?.bytes.count ?? 0) }

  /// True if the peer sends without waiting to hear that anything was applied.
  ///
  /// One changeset may be of any size, and what keeps to the window may follow it.
  var isOverrun: Bool {
    guard inboxBytes > Limits.inboxBytes else { return false }
    let largest = inbox.reduce(0) { max($0, $1.bytes.count) }
    return inboxBytes - largest > Limits.inboxBytes
  }

  /// The total bytes of the changeset that is coming in chunks; 0 if none is.
  var assemblingBytes: Int { assembly?.total ?? 0 }

  /// Lets go of a changeset that comes in chunks; it has to begin again.
  mutating func dropAssembly() { assembly = nil }

  /// Tells whether a part of that changeset has come.
  func isAssembling(_ id: ChangesetID) -> Bool { assembly?.id == id }

  /// The received part of the changeset that is coming in chunks; sent after a request.
  var partialReceipt: ChunkReceipt? {
    guard let assembly, !assembly.bytes.isEmpty else { return nil }
    return ChunkReceipt(
      author: assembly.id.author, sequence: assembly.id.sequence, received: assembly.bytes.count)
  }

  /// Puts what is new of a run into the inbox, or before it.
  mutating func take(
    _ run: ChangesetRun, isExpedited: Bool, _ ours: Holdings, at now: Instant
  ) -> Reception {
    let end = end(of: run.author, ours)
    guard isNext(run.first, of: run.author, after: end) else { return .gap }
    guard run.last > end else { return .duplicate }
    let known = run.first > end ? 0 : Int(end.next.rawValue - run.first.rawValue)
    for (offset, bytes) in run.changesets.enumerated().dropFirst(known) {
      let sequence = SequenceNumber(run.first.rawValue &+ UInt64(offset))
      put(
        IncomingChangeset(
          author: run.author, sequence: sequence, bytes: bytes,
          expectedHash: sequence == run.last ? run.headHash : nil,
          seal: sequence == run.last ? run.seal : nil), isExpedited: isExpedited, at: now)
    }
    return .accepted
  }

  /// Adds a chunk to the changeset it belongs to; the last one puts it into the inbox.
  ///
  /// Also returns how much of it has arrived.
  mutating func take(
    _ chunk: ChangesetChunk, _ ours: Holdings, at now: Instant
  ) -> (Reception, received: Int) {
    let end = end(of: chunk.id.author, ours)
    guard chunk.id.sequence > end else { return (.duplicate, chunk.total) }
    guard isNext(chunk.id.sequence, of: chunk.id.author, after: end) else { return (.gap, 0) }
    if chunk.offset == 0, assembly?.id != chunk.id {
      assembly = Assembly(id: chunk.id, total: chunk.total, bytes: [])
    }
    guard var whole = assembly, whole.id == chunk.id, whole.total == chunk.total,
      chunk.offset <= whole.bytes.count
    else { return (.gap, 0) }
    assembly = nil
    whole.bytes += chunk.bytes.dropFirst(whole.bytes.count - chunk.offset)
    let arrived = whole.bytes.count
    guard arrived == whole.total else {
      assembly = whole
      lastAccepted = now
      return (.accepted, arrived)
    }
    put(
      IncomingChangeset(
        author: chunk.id.author, sequence: chunk.id.sequence, bytes: whole.bytes,
        expectedHash: chunk.id.hash, seal: chunk.seal), isExpedited: false, at: now)
    return (.accepted, arrived)
  }

  /// Takes from the inbox what one write to the file should hold, at least one changeset.
  ///
  /// A run stays together, so that its hash is checked before any of it is applied.
  mutating func nextBatch(_ ours: Holdings) -> [IncomingChangeset] {
    expedited.isEmpty ? takeBatch(from: \.inbox, ours) : takeBatch(from: \.expedited, ours)
  }

  private mutating func takeBatch(
    from lane: WritableKeyPath<Incoming, [IncomingChangeset]>, _ ours: Holdings
  ) -> [IncomingChangeset] {
    let waiting = self[keyPath: lane]
    var batch: [IncomingChangeset] = []
    var byteCount = 0
    var taken = 0
    for changeset in waiting {
      let isRunEnd = taken == 0 || waiting[taken - 1].expectedHash != nil
      guard !isRunEnd || byteCount < Limits.batchBytes else { break }
      taken += 1
      inboxBytes -= changeset.bytes.count
      // Another link may have brought it meanwhile.
      guard
        isTracing(changeset.author)
          || changeset.sequence > ours.sequence(of: changeset.author)
      else { continue }
      byteCount += changeset.bytes.count
      batch.append(changeset)
    }
    self[keyPath: lane] = Array(waiting.dropFirst(taken))
    return batch
  }

  /// Forgets everything that is not in the file: it will be sent again, but for the part of a
  /// changeset that came in chunks, and for what a search asked for: what is applied before that may fail
  /// for want of it as often as it comes.
  mutating func reset() {
    received = VersionVector()
    inbox = inbox.filter { changeset in
      guard let trace = traces.first(where: { $0.author == changeset.author }),
        changeset.sequence == max(received[trace.author], trace.after).next
      else { return false }
      received[trace.author] = changeset.sequence
      return true
    }
    expedited = []
    inboxBytes = inbox.reduce(0) { $0 + $1.bytes.count }
  }

  private mutating func put(
    _ changeset: IncomingChangeset, isExpedited: Bool, at now: Instant
  ) {
    received[changeset.author] = changeset.sequence
    inboxBytes += changeset.bytes.count
    lastAccepted = now
    if let place = traces.firstIndex(where: { $0.author == changeset.author }) {
      traces[place].hasCome = true
    }
    if isExpedited { expedited.append(changeset) } else { inbox.append(changeset) }
  }
}

extension SequenceNumber {
  fileprivate func stepped(back step: UInt64) -> SequenceNumber {
    SequenceNumber(rawValue > step ? rawValue - step : 0)
  }
}
