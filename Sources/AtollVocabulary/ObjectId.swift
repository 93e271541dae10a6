/// Twelve bytes that name an object without asking anybody: time, random, and a counter.
///
/// Layout: 4 bytes of seconds since 1970 big-endian, 5 random bytes of the process, 3 bytes of a
/// counter big-endian. Order is the order of the bytes, so ids made later sort later.
/// Source: the BSON specification, "ObjectId".
public struct ObjectId: Hashable, Sendable {
  /// Bytes 0 to 7, big-endian.
  package var high: UInt64
  /// Bytes 8 to 11, big-endian.
  package var low: UInt32

  package init(high: UInt64, low: UInt32) {
    self.high = high
    self.low = low
  }

  /// The id whose bytes are all zero.
  public init() { self.init(high: 0, low: 0) }

  /// Reads twenty-four hexadecimal digits; nil for anything else.
  // Literals prefer the initializer of static texts, where that is there too.
  @_disfavoredOverload
  public init?(_ text: String) {
    guard let bytes = Hexadecimal.bytes(text) else { return nil }
    self.init(bytes: bytes)
  }

  /// Takes twelve bytes; nil for any other number.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 12 else { return nil }
    let bytes = Array(bytes)
    high = bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = bytes[8..<12].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// The twelve bytes.
  package var bytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: high >> (56 - 8 * $0)) }
      + (0..<4).map { UInt8(truncatingIfNeeded: low >> (24 - 8 * $0)) }
  }

  /// Seconds since 1970 when the id was made.
  package var secondsSince1970: UInt32 { UInt32(truncatingIfNeeded: high >> 32) }
}

extension ObjectId: Comparable {
  public static func < (a: ObjectId, b: ObjectId) -> Bool { (a.high, a.low) < (b.high, b.low) }
}

extension ObjectId: CustomStringConvertible {
  /// Twenty-four lower-case hexadecimal digits.
  public var description: String { Hexadecimal.text(bytes: bytes) }
}

extension ObjectId: Codable {
  /// Reads the twenty-four digits of ``description``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = ObjectId(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "An ObjectId is 24 hexadecimal digits; '\(text)' is not.")
    }
    self = id
  }

  /// Writes the twenty-four digits of ``description``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
