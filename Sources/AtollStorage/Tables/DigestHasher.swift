import AtollChanges
import AtollVocabulary

/// Hashes one thing that the digest of a store is the sum of (`protocol/digest.md`).
///
/// Two lanes, each of which takes every word by one multiplication of 64 by 64 bits whose halves are
/// folded together. A value, so that what many hashes begin with is hashed once.
struct DigestHasher {
  private var high: UInt64
  private var low: UInt64

  /// The sorts of hashed things, so that no two of them run into each other.
  enum Kind: UInt64 {
    case author = 1
    case `class` = 2
    case property = 3
    /// An object in one of its generations; for an even number, that it is over.
    case object = 4
    /// An element of a list, a member of a set or an entry of a map: the write that made it.
    case element = 5
    /// A list, set or map, and the one in an any-typed slot.
    case container = 6
    case listed = 7
    case member = 8
    case entry = 9
    case cell = 10
    /// The place of an object in the search for a difference, whatever its generation.
    case place = 11
  }

  private static let start: (UInt64, UInt64) = (0xA076_1D64_78BD_642F, 0x1D8E_4E27_C47D_124F)
  private static let step: (UInt64, UInt64) = (0xE703_7ED1_A0B4_28DB, 0x8EBC_6AF0_9C88_C6E3)
  private static let end: (UInt64, UInt64) = (0x5899_65CC_7537_4CC3, 0xEB44_ACCA_B455_D165)

  init(_ kind: Kind) {
    (high, low) = Self.start
    combine(kind.rawValue)
  }

  @inline(__always)
  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }

  @inline(__always)
  mutating func combine(_ word: UInt64) {
    high = Self.fold(high ^ word, Self.step.0)
    low = Self.fold(low &+ word, Self.step.1)
  }

  /// Each lane takes its own half.
  @inline(__always)
  mutating func combine(_ digest: StateDigest) {
    high = Self.fold(high ^ digest.high, Self.step.0)
    low = Self.fold(low &+ digest.low, Self.step.1)
  }

  /// The number of bytes, then words of eight, least significant byte first, the last filled with 0.
  mutating func combine(_ bytes: UnsafeRawBufferPointer) {
    combine(UInt64(bytes.count))
    var place = 0
    while place + 8 <= bytes.count {
      combine(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
      place += 8
    }
    guard place < bytes.count else { return }
    var last: UInt64 = 0
    for index in place..<bytes.count {
      last |= UInt64(bytes[index]) << UInt64(8 * (index - place))
    }
    combine(last)
  }

  mutating func combine(_ bytes: [UInt8]) { bytes.withUnsafeBytes { combine($0) } }

  mutating func combine(_ text: String) {
    var text = text
    text.withUTF8 { combine(UnsafeRawBufferPointer($0)) }
  }

  /// Each lane is mixed with the other once more.
  func finish() -> StateDigest {
    let first = Self.fold(high ^ Self.end.0, low ^ Self.end.1)
    let second = Self.fold(low ^ Self.end.0, high ^ Self.end.1)
    return StateDigest(high: first &+ low, low: second &+ high)
  }
}

// MARK: - Values

extension DigestHasher {
  /// The tag of the value's type, 0 for nil, then its bits; one NaN.
  mutating func combine(_ value: PersistedValue) {
    combine(UInt64(value.type?.rawValue ?? 0))
    switch value {
    case .null: break
    case .bool(let value): combine(value ? 1 : 0)
    case .int(let value): combine(UInt64(bitPattern: value))
    case .float(let value): combine(bitsOf: Double(value))
    case .double(let value), .date(let value): combine(bitsOf: value)
    case .string(let value): combine(value)
    case .data(let value): combine(value)
    case .uuid(let value):
      combine(value.high)
      combine(value.low)
    case .objectId(let value): combine(value.bytes)
    case .decimal(let value): combine(value.orderedBytes)
    case .identity(let value):
      combine(value.author)
      combine(value.sequence.rawValue)
      combine(UInt64(value.index))
    }
  }

  mutating func combine(_ author: Author) {
    combine(author.replica.high)
    combine(author.replica.low)
    combine(author.incarnation.rawValue)
    if author.branch != .none { combine(author.branch.rawValue) }
  }

  private mutating func combine(bitsOf number: Double) {
    combine(number.isNaN ? 0x7FF8_0000_0000_0000 : number.bitPattern)
  }
}
