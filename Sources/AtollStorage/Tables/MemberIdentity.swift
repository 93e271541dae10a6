import AtollVocabulary

/// The bytes by which a set tells its members apart: the type's tag, then the value in canonical form.
///
/// Values of one type sort as their bytes do: integers with the sign flipped, floating numbers with all
/// bits flipped below zero, strings by their UTF-8. There is one NaN, −0.0 is not 0.0, and decimals
/// are equal as numbers, where −0 is not 0 either. A link is known by its target's class and row, which stand for key and generation.
enum MemberIdentity {
  static func bytes(_ value: PersistedValue) -> [UInt8] {
    var bytes: [UInt8] = [value.type?.rawValue ?? 0]
    switch value {
    case .null: break
    case .bool(let value): bytes.append(value ? 1 : 0)
    case .int(let value): bytes.append(word: UInt64(bitPattern: value) ^ 1 << 63)
    case .float(let value): bytes.append(word: ordered(Double(value)))
    case .double(let value), .date(let value): bytes.append(word: ordered(value))
    case .string(let value): bytes += Array(value.utf8)
    case .data(let value): bytes += value
    case .uuid(let value):
      bytes.append(word: value.high)
      bytes.append(word: value.low)
    case .objectId(let value): bytes += value.bytes
    case .decimal(let value):
      bytes += value.orderedPrefix
      if value.isZero { bytes.append(value.isNegative ? 0 : 0x80) }
    case .identity(let value):
      bytes.append(word: value.author.replica.high)
      bytes.append(word: value.author.replica.low)
      bytes.append(word: value.author.incarnation.rawValue)
      bytes.append(word: value.sequence.rawValue)
      bytes.append(word: UInt64(value.index))
      if value.author.branch != .none { bytes.append(word: value.author.branch.rawValue) }
    }
    return bytes
  }

  static func bytes(_ target: ClassID, row: Int64) -> [UInt8] {
    var bytes = [PersistedType.link.rawValue]
    bytes.append(word: UInt64(bitPattern: Int64(target.rawValue)))
    bytes.append(word: UInt64(bitPattern: row))
    return bytes
  }

  /// The same everywhere, where ``bytes(_:row:)`` holds in one file.
  static func bytes(_ target: ClassEntry, key: PersistedValue, generation: Generation) -> [UInt8] {
    var bytes = [PersistedType.link.rawValue]
    bytes += Array(target.name.utf8)
    bytes += [0, target.keyType.rawValue]
    bytes.append(word: UInt64(generation.rawValue))
    return bytes + self.bytes(key)
  }

  /// Ascending as the numbers do, NaN last.
  private static func ordered(_ value: Double) -> UInt64 {
    if value.isNaN { return UInt64.max }
    let bits = value.bitPattern
    return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
  }
}
