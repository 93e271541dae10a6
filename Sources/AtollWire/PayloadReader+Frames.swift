import AtollChanges
import AtollVocabulary

extension PayloadReader {
  /// The frame that a whole payload is (`protocol/frames.md` has a table for each).
  static func frame(
    _ kind: Frame.Kind, _ payload: ArraySlice<UInt8>, _ compression: Compression
  ) throws(WireError) -> Frame {
    var reader = PayloadReader(kind, payload)
    let frame = try reader.frame(kind, compression)
    try reader.finish()
    return frame
  }

  private mutating func frame(
    _ kind: Frame.Kind, _ compression: Compression
  ) throws(WireError) -> Frame {
    switch kind {
    case .hello: .hello(try hello())
    case .goodbye:
      .goodbye(Goodbye(GoodbyeCode(rawValue: try byte()) ?? .unspecified, try text()))
    case .changesets: .changesets(try runs(kind, compression))
    case .chunk: .chunk(try chunk(compression))
    case .chunkReceipt: .chunkReceipt(try receipt())
    case .progress: .progress(try holdings())
    case .request: .request(try vector())
    case .keepAlive: .keepAlive(try holdings())
    case .digest: .digest(try frontierDigest())
    case .question: .question(try question())
    case .answer: .answer(try answer())
    case .prune: .prune
    case .pair: .pair(PairingProof(hash: try hash()))
    case .paired:
      .paired(StoreID(high: try fixed(UInt64.self), low: try fixed(UInt64.self)))
    case .declined: .declined(try author(), reason: try text())
    case .acknowledgements: .acknowledgements(try acknowledgements())
    case .snapshotOffer:
      .snapshotOffer(
        SnapshotOffer(
          id: try hash(), pages: try count("pages", atMost: Limits.snapshotPages),
          objects: try varint(), frontier: try holdings()))
    case .snapshotRequest: .snapshotRequest(try snapshotRequest())
    case .snapshotWanted: .snapshotWanted(try vector())
    case .snapshotPage: .snapshotPage(try snapshotPage(compression))
    case .backfillRequest: .backfillRequest(try backfillRequest())
    case .backfill: .backfill(try backfill(compression))
    case .credit:
      .credit(
        Credit(
          window: try count("bytes", atMost: Limits.unacknowledgedBytes), reason: try text()))
    case .expedited: .expedited(try runs(kind, compression))
    case .clock: .clock(try clockReading())
    case .localHello:
      .localHello(LocalHello(processID: try fixed(Int32.self), name: try text()))
    case .committed: .committed(number: try varint())
    }
  }

  private mutating func hello() throws(WireError) -> Hello {
    let lowest = try byte()
    let highest = try byte()
    guard lowest <= highest else { throw problem("versions \(lowest) to \(highest)") }
    guard (lowest...highest).overlaps(ProtocolVersion.supported) else {
      throw .otherVersions(found: lowest...highest)
    }
    return Hello(
      versions: lowest...highest,
      storeID: StoreID(high: try fixed(UInt64.self), low: try fixed(UInt64.self)),
      author: try author(), agent: try text(), isEagerWanted: try flag(), holdings: try holdings())
  }

  private mutating func flag() throws(WireError) -> Bool {
    let byte = try byte()
    guard byte <= 1 else { throw problem("a flag of \(byte)") }
    return byte == 1
  }

  private mutating func runs(
    _ kind: Frame.Kind, _ compression: Compression
  ) throws(WireError) -> [ChangesetRun] {
    let bytes = try body(compression)
    var body = PayloadReader(kind, bytes)
    var runs: [ChangesetRun] = []
    for _ in 0..<(try body.count("runs", atMost: Limits.decompressedBytes)) {
      runs.append(try body.run())
    }
    try body.finish()
    return runs
  }

  private mutating func run() throws(WireError) -> ChangesetRun {
    let author = try author()
    let first = try sequence()
    let count = try count("changesets", atMost: remaining)
    guard count > 0 else { throw problem("a run without changesets") }
    guard first.rawValue + UInt64(count) - 1 <= Limits.sequenceNumber else {
      throw problem("sequence numbers beyond \(Limits.sequenceNumber)")
    }
    var changesets: [[UInt8]] = []
    for _ in 0..<count {
      let size = try self.count("bytes", atMost: Limits.decompressedBytes)
      changesets.append(Array(try raw(size)))
    }
    return ChangesetRun(
      author: author, first: first, changesets: changesets, headHash: try hash(), seal: try seal())
  }

  mutating func seal() throws(WireError) -> Seal {
    guard let seal = Seal(try raw(Seal.byteCount)) else { throw problem("a seal") }
    return seal
  }

  private mutating func chunk(_ compression: Compression) throws(WireError) -> ChangesetChunk {
    var chunk = try place()
    guard chunk.seal != nil else { throw problem("a chunk without a seal") }
    chunk.bytes = Array(try body(compression))
    let (size, room) = (chunk.bytes.count, chunk.total - chunk.offset)
    guard size > 0, size <= room else {
      throw problem("a chunk of \(size) bytes where there is room for \(room)")
    }
    return chunk
  }

  /// A chunk without its bytes, which a frame and a backfill write differently.
  mutating func place() throws(WireError) -> ChangesetChunk {
    let id = ChangesetID(author: try author(), sequence: try sequence(), hash: try hash())
    let seal = try flag() ? try seal() : nil
    let total = try count("bytes", atMost: Limits.changesetBytes)
    return ChangesetChunk(
      id: id, total: total, offset: try count("bytes", atMost: total), bytes: [], seal: seal)
  }

  mutating func receipt() throws(WireError) -> ChunkReceipt {
    ChunkReceipt(
      author: try author(), sequence: try sequence(),
      received: try count("bytes", atMost: Limits.changesetBytes))
  }

  private mutating func clockReading() throws(WireError) -> ClockReading {
    let sent = try wallTime()
    let flag = try byte()
    guard flag <= 1 else { throw problem("a flag of \(flag)") }
    guard flag == 1 else { return ClockReading(sent: sent) }
    return ClockReading(
      sent: sent, answered: .init(sent: try wallTime(), received: try wallTime()))
  }

  private mutating func wallTime() throws(WireError) -> WallTime {
    WallTime(
      milliseconds: Int64(try count("milliseconds", atMost: Limits.wallClockMilliseconds)))
  }

  private mutating func snapshotRequest() throws(WireError) -> SnapshotRequest {
    let id = try hash()
    let first = try count("pages", atMost: Limits.snapshotPages)
    let count = Int(try byte())
    guard (1...Limits.snapshotWindow).contains(count) else { throw problem("\(count) pages") }
    return SnapshotRequest(id: id, first: first, count: count)
  }

  private mutating func snapshotPage(
    _ compression: Compression
  ) throws(WireError) -> SnapshotPage {
    let id = try hash()
    let index = try count("pages", atMost: Limits.snapshotPages)
    let hash = try hash()
    let bytes = Array(try body(compression))
    guard !bytes.isEmpty, bytes.count <= Limits.snapshotPageBytes else {
      throw problem("a page of \(bytes.count) bytes")
    }
    return SnapshotPage(id: id, index: index, hash: hash, bytes: bytes)
  }

  /// The rest of a payload, decompressed if need be.
  mutating func body(_ compression: Compression) throws(WireError) -> ArraySlice<UInt8> {
    let byte = try byte()
    switch BodyEncoding(rawValue: byte) {
    case .plain: return remainder()
    case .zstd:
      let byteCount = try varint()
      return try compression.decompress(remainder(), byteCount: byteCount)[...]
    case nil: throw problem("a body of encoding \(byte)")
    }
  }
}
