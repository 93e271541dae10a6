import AtollChanges
import AtollVocabulary

/// The encoding of a changeset payload's body; the byte before it.
enum BodyEncoding: UInt8 {
  case plain = 0
  case zstd = 1
}

extension PayloadWriter {
  /// The payload of any frame (`protocol/frames.md` has a table for each).
  mutating func payload(_ frame: Frame, _ compression: Compression) {
    switch frame {
    case .hello(let hello): payload(hello)
    case .goodbye(let goodbye):
      byte(goodbye.code.rawValue)
      text(goodbye.text)
    case .changesets(let runs), .expedited(let runs): payload(runs, compression)
    case .chunk(let chunk): payload(chunk, compression)
    case .chunkReceipt(let receipt): self.receipt(receipt)
    case .progress(let holdings), .keepAlive(let holdings): self.holdings(holdings)
    case .request(let vector), .snapshotWanted(let vector): self.vector(vector)
    case .digest(let current): payload(current)
    case .question(let question): payload(question)
    case .answer(let answer): payload(answer)
    case .prune: break
    case .pair(let proof): raw(proof.hash.bytes)
    case .paired(let storeID):
      fixed(storeID.high)
      fixed(storeID.low)
    case .clock(let reading): payload(reading)
    case .credit(let credit):
      varint(credit.window)
      text(credit.reason)
    case .declined(let author, let reason):
      self.author(author)
      text(reason)
    case .acknowledgements(let known): payload(known)
    case .snapshotOffer(let offer):
      raw(offer.id.bytes)
      varint(offer.pages)
      varint(offer.objects)
      holdings(offer.frontier)
    case .snapshotRequest(let request):
      raw(request.id.bytes)
      varint(request.first)
      byte(UInt8(clamping: request.count))
    case .snapshotPage(let page): payload(page, compression)
    case .backfillRequest(let request): payload(request)
    case .backfill(let backfill): payload(backfill, compression)
    case .localHello(let hello):
      fixed(hello.processID)
      text(hello.name)
    case .committed(let number): varint(number)
    }
  }

  private mutating func payload(_ hello: Hello) {
    byte(hello.versions.lowerBound)
    byte(hello.versions.upperBound)
    fixed(hello.storeID.high)
    fixed(hello.storeID.low)
    author(hello.author)
    text(hello.agent)
    byte(hello.isEagerWanted ? 1 : 0)
    holdings(hello.holdings)
  }

  private mutating func payload(_ runs: [ChangesetRun], _ compression: Compression) {
    var body = PayloadWriter()
    body.varint(runs.count)
    for run in runs {
      body.author(run.author)
      body.varint(run.first.rawValue)
      body.varint(run.changesets.count)
      for changeset in run.changesets {
        body.varint(changeset.count)
        body.raw(changeset)
      }
      body.raw(run.headHash.bytes)
      body.raw(run.seal.bytes)
    }
    self.body(body.bytes[...], compression)
  }

  private mutating func payload(_ chunk: ChangesetChunk, _ compression: Compression) {
    place(chunk)
    body(chunk.bytes[...], compression)
  }

  /// A chunk without its bytes, which a frame and a backfill write differently.
  mutating func place(_ chunk: ChangesetChunk) {
    author(chunk.id.author)
    varint(chunk.id.sequence.rawValue)
    raw(chunk.id.hash.bytes)
    byte(chunk.seal == nil ? 0 : 1)
    if let seal = chunk.seal { raw(seal.bytes) }
    varint(chunk.total)
    varint(chunk.offset)
  }

  mutating func receipt(_ receipt: ChunkReceipt) {
    author(receipt.author)
    varint(receipt.sequence.rawValue)
    varint(receipt.received)
  }

  private mutating func payload(_ reading: ClockReading) {
    wallTime(reading.sent)
    byte(reading.answered == nil ? 0 : 1)
    guard let answered = reading.answered else { return }
    wallTime(answered.sent)
    wallTime(answered.received)
  }

  private mutating func wallTime(_ time: WallTime) {
    varint(min(max(Int(time.milliseconds), 0), Limits.wallClockMilliseconds))
  }

  private mutating func payload(_ page: SnapshotPage, _ compression: Compression) {
    raw(page.id.bytes)
    varint(page.index)
    raw(page.hash.bytes)
    body(page.bytes[...], compression)
  }

  /// The rest of a payload, compressed where that makes it shorter.
  mutating func body(_ body: ArraySlice<UInt8>, _ compression: Compression) {
    if let compressed = compression.compress(body) {
      byte(BodyEncoding.zstd.rawValue)
      varint(body.count)
      raw(compressed)
    } else {
      byte(BodyEncoding.plain.rawValue)
      raw(body)
    }
  }
}
