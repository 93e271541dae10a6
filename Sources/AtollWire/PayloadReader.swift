import AtollChanges
import AtollVocabulary

/// Takes the values that payloads are made of, each checked before it is believed.
struct PayloadReader {
  private let kind: Frame.Kind
  private var rest: ArraySlice<UInt8>

  init(_ kind: Frame.Kind, _ bytes: ArraySlice<UInt8>) {
    self.kind = kind
    rest = bytes
  }

  var remaining: Int { rest.count }

  func problem(_ text: String) -> WireError { .payload(kind, text) }

  /// Nothing may follow what was read.
  func finish() throws(WireError) {
    guard rest.isEmpty else { throw problem("\(rest.count) bytes follow its end") }
  }

  mutating func byte() throws(WireError) -> UInt8 {
    guard let byte = rest.popFirst() else { throw problem("it ends early") }
    return byte
  }

  mutating func raw(_ count: Int) throws(WireError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= rest.count else { throw problem("it ends early") }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func remainder() -> ArraySlice<UInt8> {
    defer { rest = rest.suffix(0) }
    return rest
  }

  mutating func fixed<Value: FixedWidthInteger>(_: Value.Type) throws(WireError) -> Value {
    try raw(Value.bitWidth / 8).reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
  }

  /// Shortest form only, so that a value has one encoding.
  mutating func varint() throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      guard shift < 63 || byte <= 1 else { throw problem("a varint exceeds 64 bits") }
      value |= UInt64(byte & 0x7F) << shift
      guard byte & 0x80 != 0 else {
        guard byte != 0 || shift == 0 else { throw problem("a varint is not in its shortest form") }
        return value
      }
      shift += 7
    }
  }

  /// A count or size of at most `limit`.
  mutating func count(_ what: String, atMost limit: Int) throws(WireError) -> Int {
    let value = try varint()
    guard value <= UInt64(limit) else {
      throw problem("\(value) \(what), at most \(limit) are allowed")
    }
    return Int(value)
  }

  mutating func text() throws(WireError) -> String {
    let bytes = try raw(count("bytes of text", atMost: Limits.reasonBytes))
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw problem("a text is not UTF-8")
    }
    return text
  }

  mutating func author() throws(WireError) -> Author {
    var author = Author(
      replica: ReplicaID(high: try fixed(UInt64.self), low: try fixed(UInt64.self)),
      incarnation: Incarnation(try fixed(UInt64.self)))
    switch try byte() {
    case 0: break
    case 1:
      author.branch = Branch(try fixed(UInt64.self))
      guard author.branch != .none else { throw problem("a branch named 0") }
    case let tag: throw problem("an author goes on with \(tag), not with 0 or 1")
    }
    return author
  }

  /// A changeset's number; 0 names none and is refused.
  mutating func sequence() throws(WireError) -> SequenceNumber {
    let sequence = try wantedSequence()
    guard sequence != .max else { throw problem("sequence number \(sequence) names no changeset") }
    return sequence
  }

  /// A changeset's number, or what stands for "none of this author's".
  private mutating func wantedSequence() throws(WireError) -> SequenceNumber {
    let sequence = SequenceNumber(try varint())
    guard sequence != .none else { throw problem("a sequence number is 0") }
    guard sequence.rawValue <= Limits.sequenceNumber || sequence == .max else {
      throw problem("sequence number \(sequence), at most \(Limits.sequenceNumber) are allowed")
    }
    return sequence
  }

  mutating func hash() throws(WireError) -> ChainHash {
    guard let hash = ChainHash(try raw(ChainHash.byteCount)) else { throw problem("a short hash") }
    return hash
  }

  mutating func vector() throws(WireError) -> VersionVector {
    var entries: [VersionVector.Entry] = []
    for _ in 0..<(try count("authors", atMost: Limits.vectorEntries)) {
      let author = try author()
      if let last = entries.last, last.author >= author { throw problem("authors out of order") }
      entries.append(VersionVector.Entry(author: author, sequence: try wantedSequence()))
    }
    return VersionVector(entries)
  }

  mutating func holdings() throws(WireError) -> Holdings {
    var heads: [ChangesetID] = []
    var applied: [VersionVector.Entry] = []
    for _ in 0..<(try count("authors", atMost: Limits.vectorEntries)) {
      let author = try author()
      if let last = heads.last, last.author >= author { throw problem("authors out of order") }
      let sequence = try sequence()
      let behind = try varint()
      guard behind <= sequence.rawValue else { throw problem("more is unapplied than is stored") }
      heads.append(ChangesetID(author: author, sequence: sequence, hash: try hash()))
      applied.append(
        VersionVector.Entry(
          author: author, sequence: SequenceNumber(sequence.rawValue - behind)))
    }
    return Holdings(heads: heads, applied: VersionVector(applied))
  }
}
