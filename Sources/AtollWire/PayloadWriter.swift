import AtollChanges
import AtollVocabulary

/// Appends the values that payloads are made of: fixed integers big-endian, varints as LEB128.
struct PayloadWriter {
  private(set) var bytes: [UInt8]

  init(bytes: [UInt8] = []) { self.bytes = bytes }

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func fixed(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func varint(_ value: Int) { varint(UInt64(clamping: value)) }

  mutating func raw(_ value: some Collection<UInt8>) { bytes.append(contentsOf: value) }

  /// A length and UTF-8 bytes, cut at a character so that they fit ``Limits/reasonBytes``.
  mutating func text(_ value: String) {
    var kept = Substring(value)
    while kept.utf8.count > Limits.reasonBytes { kept.removeLast() }
    varint(kept.utf8.count)
    bytes.append(contentsOf: kept.utf8)
  }

  mutating func author(_ author: Author) {
    fixed(author.replica.high)
    fixed(author.replica.low)
    fixed(author.incarnation.rawValue)
    byte(author.branch == .none ? 0 : 1)
    if author.branch != .none { fixed(author.branch.rawValue) }
  }

  /// The first ``Limits/vectorEntries`` entries; a peer that hears of fewer asks for more later.
  mutating func vector(_ vector: VersionVector) {
    let entries = vector.entries.prefix(Limits.vectorEntries)
    varint(entries.count)
    for entry in entries {
      author(entry.author)
      varint(entry.sequence.rawValue)
    }
  }

  /// Heads with what of each is not applied yet; ascending by author.
  mutating func holdings(_ holdings: Holdings) {
    let heads = holdings.heads.prefix(Limits.vectorEntries)
    varint(heads.count)
    for head in heads {
      author(head.author)
      varint(head.sequence.rawValue)
      let applied = min(holdings.applied[head.author], head.sequence)
      varint(head.sequence.rawValue - applied.rawValue)
      raw(head.hash.bytes)
    }
  }
}
