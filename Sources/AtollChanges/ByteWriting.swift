import AtollVocabulary

extension [UInt8] {
  /// Seven bits a byte, least significant first, the high bit set on all but the last.
  mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func append(varint number: UInt32) { append(varint: UInt64(number)) }

  mutating func append(varint count: Int) { append(varint: UInt64(truncatingIfNeeded: count)) }

  /// Zigzag: 0, −1, 1, −2 become 0, 1, 2, 3, and so on.
  mutating func append(signed number: Int64) {
    append(varint: UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  /// Big-endian, in as many bytes as the type has.
  mutating func append(fixed number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }

  /// Length and UTF-8.
  mutating func append(text: String) {
    append(varint: text.utf8.count)
    append(contentsOf: text.utf8)
  }
}

extension [UInt8] {
  /// A value: its tag, and what the tag calls for.
  ///
  /// - Parameters:
  ///   - value: The value; NaN of any kind is written as the one quiet NaN.
  ///   - context: Whose changeset this is; nil writes every identity whole.
  ///   - flag: Bits added to the tag.
  mutating func append(_ value: PersistedValue, context: ValueContext?, flag: UInt8 = 0) {
    append((value.type?.rawValue ?? ChangesetFormat.nullTag) | flag)
    switch value {
    case .null: break
    case .bool(let value): append(value ? 1 : 0)
    case .int(let value): append(signed: value)
    case .float(let value): append(fixed: (value.isNaN ? .nan : value).bitPattern)
    case .double(let value), .date(let value):
      append(fixed: (value.isNaN ? .nan : value).bitPattern)
    case .string(let value): append(text: value)
    case .data(let value):
      append(varint: value.count)
      append(contentsOf: value)
    case .uuid(let value):
      append(fixed: value.high)
      append(fixed: value.low)
    case .objectId(let value):
      append(fixed: value.high)
      append(fixed: value.low)
    case .identity(let value): append(value, context: context)
    }
  }

  private mutating func append(_ identity: ChangeIdentity, context: ValueContext?) {
    if let context, context.author == identity.author {
      append(ChangesetFormat.IdentityTag.own.rawValue)
      append(varint: context.sequence.rawValue &- identity.sequence.rawValue)
    } else {
      append(ChangesetFormat.IdentityTag.foreign.rawValue)
      append(contentsOf: identity.author.bytes)
      append(varint: identity.sequence.rawValue)
    }
    append(varint: identity.index)
  }
}
