import AtollChanges
import AtollVocabulary

// The frames that bring what a snapshot was made of.

extension PayloadWriter {
  mutating func payload(_ request: BackfillRequest) {
    vector(request.after)
    vector(request.through)
    byte(request.part == nil ? 0 : 1)
    guard let part = request.part else { return }
    receipt(part)
  }

  mutating func payload(_ backfill: Backfill, _ compression: Compression) {
    byte(backfill.state.rawValue)
    holdings(backfill.truncationPoint)
    var body = PayloadWriter()
    body.varint(backfill.parts.count)
    for part in backfill.parts {
      body.place(part)
      body.varint(part.bytes.count)
      body.raw(part.bytes)
    }
    self.body(body.bytes[...], compression)
  }
}

extension PayloadReader {
  mutating func backfillRequest() throws(WireError) -> BackfillRequest {
    let (after, through) = (try vector(), try vector())
    let byte = try byte()
    guard byte <= 1 else { throw problem("a flag of \(byte)") }
    guard byte == 1 else { return BackfillRequest(after: after, through: through) }
    return BackfillRequest(after: after, through: through, part: try receipt())
  }

  mutating func backfill(_ compression: Compression) throws(WireError) -> Backfill {
    let byte = try byte()
    guard let state = Backfill.State(rawValue: byte) else { throw problem("a state of \(byte)") }
    let truncationPoint = try holdings()
    let bytes = try body(compression)
    var body = PayloadReader(.backfill, bytes)
    var parts: [ChangesetChunk] = []
    for _ in 0..<(try body.count("changesets", atMost: Limits.decompressedBytes)) {
      parts.append(try body.part())
    }
    try body.finish()
    return Backfill(truncationPoint: truncationPoint, state: state, parts: parts)
  }

  private mutating func part() throws(WireError) -> ChangesetChunk {
    var part = try place()
    let size = try count("bytes", atMost: part.total - part.offset)
    guard size > 0 else { throw problem("a changeset without bytes") }
    part.bytes = Array(try raw(size))
    return part
  }
}
