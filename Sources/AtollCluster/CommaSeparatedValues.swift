import Foundation

/// The rows of a CSV file as RFC 4180 has them: quoted fields may hold commas, quotes and lines.
struct CommaSeparatedValues: Sequence, IteratorProtocol {
  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: Data) { self.bytes = Array(bytes) }

  private static let quote = UInt8(ascii: "\"")
  private static let comma = UInt8(ascii: ",")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  /// The fields of the next row; nil at the end.
  mutating func next() -> [String]? {
    guard index < bytes.count else { return nil }
    var fields = [field()]
    while index < bytes.count, bytes[index] == Self.comma {
      index += 1
      fields.append(field())
    }
    if index < bytes.count, bytes[index] == Self.carriageReturn { index += 1 }
    if index < bytes.count, bytes[index] == Self.lineFeed { index += 1 }
    return fields
  }

  private mutating func field() -> String {
    guard index < bytes.count, bytes[index] == Self.quote else { return plain() }
    var value: [UInt8] = []
    index += 1
    while index < bytes.count {
      if bytes[index] == Self.quote {
        index += 1
        // A doubled quote stands for one; a single one ends the field.
        guard index < bytes.count, bytes[index] == Self.quote else { break }
      }
      value.append(bytes[index])
      index += 1
    }
    return String(decoding: value, as: UTF8.self) + plain()
  }

  private mutating func plain() -> String {
    let start = index
    while index < bytes.count, bytes[index] != Self.comma, bytes[index] != Self.lineFeed,
      bytes[index] != Self.carriageReturn
    {
      index += 1
    }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }
}
