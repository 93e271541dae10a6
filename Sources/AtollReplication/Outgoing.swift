import AtollChanges
import AtollVocabulary
import AtollWire
import DequeModule

/// The sending half of a session: the log, read in order, through a window.
///
///     log   ──────────────┬───────────┬──────────┬──────────▶
///           confirmed     │ in flight │ queue    │ not read
///                         └─ at most `window`
struct Outgoing: Hashable, Sendable {
  /// True if what is new goes out at once.
  var isEager = false
  /// The window that the peer granted, and the memory of this side.
  var credit = Limits.unacknowledgedBytes
  var share = Limits.unacknowledgedBytes
  /// The part of a changeset that the peer had when it asked us to begin again.
  private var resumption: ChunkReceipt?
  /// The changesets that the peer has, was sent, or does not want: `theirs <= sent`.
  var sent = VersionVector()
  /// Entries up to here were sent or skipped.
  private var position = LogPosition.start
  private(set) var isReading = false
  /// The answer to the read under way is of no use: the peer asked to begin again.
  private var isReadStale = false
  /// The last read found the log's end, and the log has not grown since.
  private(set) var isAtEnd = false
  /// Read and not yet sent; at most one read's worth.
  private var queue: Deque<LogEntry> = []
  /// The changeset that is being sent in chunks.
  private var transfer: Transfer?
  private var inFlight: [Sent] = []
  /// Canonical bytes of `inFlight`.
  private(set) var unacknowledgedBytes = 0
  /// The expedited among these: `expeditedBytes <= Limits.expeditedBytes`.
  private(set) var expeditedBytes = 0
  /// The open request for changesets to expedite, and the last one whose answer was empty.
  var expediteRequest: ExpediteRequest?
  private(set) var vainExpediteRequest: ExpediteRequest?

  /// Changesets of one author that went out together.
  private struct Sent: Hashable, Sendable {
    var author: Author
    var last: SequenceNumber
    var byteCount: Int
    var isExpedited: Bool
  }

  /// The sent and received part of a changeset: `received <= offset <= entry.bytes.count`.
  private struct Transfer: Hashable, Sendable {
    var entry: LogEntry
    var offset = 0
    var received = 0
  }

  /// The greatest cost of a changeset in a frame beside its bytes.
  private static let overheadBytes = 80

  /// Bytes that may be on their way to the peer; 0 while it takes nothing.
  var window: Int { min(credit, share) }

  private var room: Int { window - unacknowledgedBytes }

  /// Bytes in memory that were read and are not sent.
  var waitingBytes: Int {
    queue.reduce(transfer?.entry.bytes.count ?? 0) { $0 + $1.bytes.count }
  }

  /// Nothing is waiting to be sent, and nothing more is in the log.
  var isDrained: Bool { isAtEnd && !isReading && queue.isEmpty && transfer == nil }

  /// Begins with what the peer says it has.
  mutating func begin(with holdings: Holdings, logEndsAt ours: Holdings) {
    sent = holdings.stored
    isAtEnd = sent.includes(ours.stored)
  }

  /// Begins again after what the peer says it has received.
  mutating func restart(after vector: VersionVector) {
    isReadStale = isReading
    sent = vector
    position = .start
    isAtEnd = false
    queue = []
    transfer = nil
    inFlight = []
    unacknowledgedBytes = 0
    expeditedBytes = 0
    isEager = true
    resumption = nil
  }

  /// Something has come into the log further back than it was read.
  mutating func readAgain() {
    isReadStale = isReading
    position = .start
    isAtEnd = false
  }

  /// Sends nothing more until the peer asks.
  mutating func becomeLazy() {
    isEager = false
    isReadStale = isReading
    if let entry = transfer?.entry {
      sent[entry.id.author] = SequenceNumber(entry.id.sequence.rawValue - 1)
    }
    transfer = nil
    queue = []
    position = .start
    isAtEnd = false
  }

  /// The log has grown; there is something to read if the peer lacks any of it.
  mutating func logAdvanced(to heads: [ChangesetID]) {
    if heads.contains(where: { sent[$0.author] < $0.sequence }) { isAtEnd = false }
  }

  /// Takes back what the peer is known to have; `heads` are those that were said now.
  mutating func acknowledge(_ theirs: Holdings, of heads: [ChangesetID]) {
    for head in heads {
      let known = theirs.sequence(of: head.author)
      if sent[head.author] < known { sent[head.author] = known }
    }
    inFlight.removeAll { run in
      guard theirs.sequence(of: run.author) >= run.last else { return false }
      unacknowledgedBytes -= run.byteCount
      if run.isExpedited { expeditedBytes -= run.byteCount }
      return true
    }
    if let entry = transfer?.entry, theirs.sequence(of: entry.id.author) >= entry.id.sequence {
      transfer = nil
    }
  }

  mutating func acknowledge(_ receipt: ChunkReceipt) {
    guard let current = transfer, current.entry.id.author == receipt.author,
      current.entry.id.sequence == receipt.sequence
    else { return resumption = receipt }
    transfer?.received = min(max(receipt.received, current.received), current.offset)
  }

  /// The read that is due, if any; its answer is expected by ``take(_:)``.
  mutating func nextRequest() -> LogRequest? {
    guard isEager, !isReading, !isAtEnd, queue.isEmpty, transfer == nil, room > 0 else {
      return nil
    }
    isReading = true
    // Growth that is announced while the read is under way must lead to another one.
    isAtEnd = true
    return LogRequest(
      lackedBy: sent, after: position, byteLimit: min(room, Limits.batchBytes))
  }

  /// Takes the answer to the read under way.
  mutating func take(_ batch: LogBatch) {
    isReading = false
    if isReadStale {
      isReadStale = false
      isAtEnd = false
      return
    }
    position = max(position, batch.next)
    isAtEnd = isAtEnd && batch.isAtEnd
    queue = Deque(batch.entries)
  }

  /// The next frame that may go out now.
  mutating func nextFrame() -> Frame? {
    guard window > 0 else { return nil }
    while let first = queue.first, sent[first.id.author] >= first.id.sequence {
      queue.removeFirst()
    }
    if transfer == nil, let first = queue.first, first.bytes.count > Limits.batchBytes {
      transfer = resumed(queue.removeFirst())
      sent[first.id.author] = first.id.sequence
    }
    if transfer != nil { return nextChunk().map(Frame.chunk) }
    let runs = takeRuns()
    return runs.isEmpty ? nil : .changesets(runs)
  }

  /// A changeset from its beginning, or from where the peer says that the last time ended.
  private mutating func resumed(_ entry: LogEntry) -> Transfer {
    defer { resumption = nil }
    guard let resumption, resumption.author == entry.id.author,
      resumption.sequence == entry.id.sequence, resumption.received < entry.bytes.count
    else { return Transfer(entry: entry) }
    return Transfer(entry: entry, offset: resumption.received, received: resumption.received)
  }

  /// A short chunk first: the peer may have the changeset already, or be getting it from another.
  private mutating func nextChunk() -> ChangesetChunk? {
    guard let current = transfer, current.offset == 0 || current.received > 0 else { return nil }
    let inTransit = unacknowledgedBytes + current.offset - current.received
    let entry = current.entry
    let length = current.offset == 0 ? Limits.offerBytes : Limits.batchBytes
    guard inTransit == 0 || inTransit + length <= window else { return nil }
    let end = min(current.offset + length, entry.bytes.count)
    if end == entry.bytes.count {
      transfer = nil
      track(entry.id.author, entry.id.sequence, byteCount: entry.bytes.count)
    } else {
      transfer?.offset = end
    }
    return ChangesetChunk(
      id: entry.id, total: entry.bytes.count, offset: current.offset,
      bytes: Array(entry.bytes[current.offset..<end]), seal: entry.seal)
  }

  /// Changesets for one frame, as far as there is room, neighbours of one author joined; what one seal
  /// vouches for stays together, and goes alone where it is larger than the window.
  private mutating func takeRuns() -> [ChangesetRun] {
    var runs: [ChangesetRun] = []
    var cost = 0
    var left = room
    while let group = queue.sealedPrefix, group.allSatisfy({ $0.bytes.count <= Limits.batchBytes }),
      cost < Limits.batchBytes
    {
      // A stale answer may hold what was sent since.
      let unsent = group.filter { sent[$0.id.author] < $0.id.sequence }
      let byteCount = unsent.reduce(0) { $0 + $1.bytes.count }
      guard byteCount <= left || unacknowledgedBytes == 0 && runs.isEmpty else { break }
      queue.removeFirst(group.count)
      cost += byteCount + unsent.count * Self.overheadBytes
      left -= byteCount
      for entry in unsent { sent[entry.id.author] = entry.id.sequence }
      runs.append(sealed: unsent)
    }
    for run in runs { track(run.author, run.last, byteCount: run.byteCount) }
    return runs
  }

  private mutating func track(
    _ author: Author, _ last: SequenceNumber, byteCount: Int, isExpedited: Bool = false
  ) {
    inFlight.append(
      Sent(author: author, last: last, byteCount: byteCount, isExpedited: isExpedited))
    unacknowledgedBytes += byteCount
    if isExpedited { expeditedBytes += byteCount }
  }
}

// MARK: Expediting

extension Outgoing {
  /// Enough is on its way that changesets may pass it, and no request for such is open.
  var mayExpedite: Bool {
    isEager && window > 0 && expediteRequest == nil
      && unacknowledgedBytes >= Limits.leastWindowBytes
      && expeditableBytes > 0
  }

  var expeditableBytes: Int { Limits.expeditedBytes - expeditedBytes }

  /// Authors of whom the peer lacks little and was sent nothing that it does not hold, with the last
  /// changeset of each that it has; ascending by author.
  func lackingLittle(of ours: Holdings, stored theirs: Holdings) -> [VersionVector.Entry] {
    let expedited = Set(inFlight.lazy.filter(\.isExpedited).map(\.author))
    return ours.heads.compactMap { head in
      let last = sent[head.author]
      guard head.sequence > last,
        head.sequence.rawValue - last.rawValue <= Limits.expeditedChangesets,
        last == theirs.sequence(of: head.author) || expedited.contains(head.author)
      else { return nil }
      return VersionVector.Entry(author: head.author, sequence: last)
    }
  }

  /// Expedites changesets that were read, but for those that were sent meanwhile; returns their runs.
  mutating func expedite(_ entries: [LogEntry]) -> [ChangesetRun] {
    guard let request = expediteRequest else { return [] }
    expediteRequest = nil
    vainExpediteRequest = request
    guard isEager, window > 0 else { return [] }
    var runs: [ChangesetRun] = []
    var entries = Deque(entries)
    while let group = entries.sealedPrefix {
      entries.removeFirst(group.count)
      guard let first = group.first?.id, sent[first.author].next == first.sequence else { continue }
      for entry in group { sent[entry.id.author] = entry.id.sequence }
      runs.append(sealed: group)
    }
    for run in runs { track(run.author, run.last, byteCount: run.byteCount, isExpedited: true) }
    return runs
  }
}

extension Deque<LogEntry> {
  /// The entries up to the first that is sealed, which vouches for all of them; nil if none is.
  fileprivate var sealedPrefix: [LogEntry]? {
    firstIndex { $0.seal != nil }.map { Array(prefix(through: $0)) }
  }
}

extension [ChangesetRun] {
  /// Adds changesets of which the last is sealed: to the last run, if they go on from it and depend on nothing
  /// that may stand between.
  ///
  /// A history's name may begin within them; the run has the name of its last.
  fileprivate mutating func append(sealed group: some Collection<LogEntry>) {
    guard let first = group.first, let end = group.suffix(1).first, let seal = end.seal else {
      return
    }
    if let last = indices.last, self[last].author == first.id.author,
      self[last].last.next == first.id.sequence,
      self[last].changesets.count + group.count <= Limits.runChangesets,
      !ChangesetReader.namesDependencies(first.bytes)
    {
      self[last].author = end.id.author
      self[last].changesets += group.map(\.bytes)
      self[last].headHash = end.id.hash
      self[last].seal = seal
    } else {
      append(
        ChangesetRun(
          author: end.id.author, first: first.id.sequence, changesets: group.map(\.bytes),
          headHash: end.id.hash, seal: seal))
    }
  }
}
