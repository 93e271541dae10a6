import AtollVocabulary

extension [UInt8] {
  /// Seven bits a byte, least significant first, the high bit set on all but the last.
  mutating func append(varint number: UInt64) {
    guard number >= 0x80 else { return append(UInt8(truncatingIfNeeded: number)) }
    append(addingCapacity: 10) { output in
      var rest = number
      while rest >= 0x80 {
        output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      output.append(UInt8(truncatingIfNeeded: rest))
    }
  }

  /// A tag and a number after it in one step, as most values are.
  mutating func append(_ tag: UInt8, varint number: UInt64) {
    append(addingCapacity: 11) { output in
      output.append(tag)
      var rest = number
      while rest >= 0x80 {
        output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      output.append(UInt8(truncatingIfNeeded: rest))
    }
  }

  /// A tag and a big-endian number after it in one step.
  mutating func append<Number: FixedWidthInteger>(_ tag: UInt8, fixed number: Number) {
    append(addingCapacity: 1 + MemoryLayout<Number>.size) { output in
      output.append(tag)
      Swift.withUnsafeBytes(of: number.bigEndian) { for byte in $0 { output.append(byte) } }
    }
  }

  mutating func append(varint number: UInt32) { append(varint: UInt64(number)) }

  mutating func append(varint count: Int) { append(varint: UInt64(truncatingIfNeeded: count)) }

  /// Zigzag: 0, −1, 1, −2 become 0, 1, 2, 3, and so on.
  mutating func append(signed number: Int64) {
    append(varint: Self.zigzag(number))
  }

  private static func zigzag(_ number: Int64) -> UInt64 {
    UInt64(bitPattern: number << 1 ^ number >> 63)
  }

  /// Big-endian, in as many bytes as the type has.
  mutating func append<Number: FixedWidthInteger>(fixed number: Number) {
    append(addingCapacity: MemoryLayout<Number>.size) { output in
      Swift.withUnsafeBytes(of: number.bigEndian) { for byte in $0 { output.append(byte) } }
    }
  }

  /// Length and UTF-8.
  mutating func append(text: String) {
    append(varint: text.utf8.count)
    append(utf8Of: text)
  }

  private mutating func append(utf8Of text: String) {
    if text.utf8.withContiguousStorageIfAvailable({ append(contentsOf: $0) }) == nil {
      append(contentsOf: text.utf8)
    }
  }
}

extension [UInt8] {
  /// A value: its tag, and what the tag calls for.
  ///
  /// - Parameters:
  ///   - value: The value; NaN of any kind is written as the one quiet NaN of its type.
  ///   - context: Whose changeset this is; nil writes every identity whole.
  ///   - flag: Bits added to the tag.
  mutating func append(_ value: PersistedValue, context: ValueContext?, flag: UInt8 = 0) {
    switch value {
    case .null: append(ChangesetFormat.nullTag | flag)
    case .bool(let value):
      append(PersistedType.bool.rawValue | flag)
      append(value ? 1 : 0)
    case .int(let value):
      append(PersistedType.int.rawValue | flag, varint: Self.zigzag(value))
    case .float(let value):
      append(PersistedType.float.rawValue | flag)
      append(fixed: (value.isNaN ? .nan : value).bitPattern)
    case .double(let value):
      append(PersistedType.double.rawValue | flag, fixed: (value.isNaN ? .nan : value).bitPattern)
    case .string(let value):
      append(PersistedType.string.rawValue | flag, varint: UInt64(value.utf8.count))
      append(utf8Of: value)
    case .data(let value):
      append(PersistedType.data.rawValue | flag)
      append(varint: value.count)
      append(contentsOf: value)
    case .date(let value):
      append(PersistedType.date.rawValue | flag, fixed: (value.isNaN ? .nan : value).bitPattern)
    case .uuid(let value):
      append(PersistedType.uuid.rawValue | flag)
      append(fixed: value.high)
      append(fixed: value.low)
    case .objectId(let value):
      append(PersistedType.objectId.rawValue | flag)
      append(fixed: value.high)
      append(fixed: value.low)
    case .decimal(let value):
      append(PersistedType.decimal.rawValue | flag)
      let form = value.canonical
      append(fixed: form.high)
      append(fixed: form.low)
    case .identity(let value):
      append(PersistedType.identity.rawValue | flag)
      append(value, context: context)
    }
  }

  private mutating func append(_ identity: ChangeIdentity, context: ValueContext?) {
    if let context, context.author == identity.author {
      append(ChangesetFormat.IdentityTag.own.rawValue)
      append(varint: context.sequence.rawValue &- identity.sequence.rawValue)
    } else {
      let tag: ChangesetFormat.IdentityTag = identity.author.branch == .none ? .foreign : .branch
      append(tag.rawValue)
      append(contentsOf: identity.author.bytes)
      append(varint: identity.sequence.rawValue)
    }
    append(varint: identity.index)
  }
}
