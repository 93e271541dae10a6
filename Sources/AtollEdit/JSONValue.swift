/// A JSON text, with numbers as they are written.
///
/// Foundation's readers turn numbers into binary ones first; a Decimal128, the last digit of an Int64
/// and the sign of −0.0 would be gone.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONValue])
  /// Members in their order.
  case object([Member])

  package struct Member: Hashable, Sendable {
    package let name: String
    package let value: JSONValue

    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// Reads exactly one value, with at most so many levels.
  ///
  /// - Throws: `JSONProblem` with the byte at which it is no JSON.
  package init(_ text: some Collection<UInt8>, levels: Int = 64) throws(JSONProblem) {
    var reader = JSONReader(bytes: Array(text), levels: levels)
    self = try reader.whole()
  }

  /// The member of that name; nil if there is none, or this is no object.
  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The kind of the value, for messages.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let text): text
    case .string(let text): "\"\(text.prefix(40))\""
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// The place where a text stops being JSON.
package struct JSONProblem: Error, Hashable, Sendable {
  /// Bytes before it.
  package let offset: Int
  package let expected: String
}

/// One pass over the bytes of a JSON text (RFC 8259).
private struct JSONReader {
  let bytes: [UInt8]
  private var place = 0
  private var depth = 0
  private let levels: Int

  init(bytes: [UInt8], levels: Int) {
    self.bytes = bytes
    self.levels = levels
  }

  mutating func whole() throws(JSONProblem) -> JSONValue {
    let value = try value()
    skipSpace()
    guard place == bytes.count else { throw expected("the end of the line") }
    return value
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private func expected(_ words: String) -> JSONProblem {
    JSONProblem(offset: place, expected: words)
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 32 || byte == 9 || byte == 10 || byte == 13 { place += 1 }
  }

  private mutating func take(_ character: Character) throws(JSONProblem) {
    guard next == character.asciiValue else { throw expected("`\(character)`") }
    place += 1
  }

  private mutating func value() throws(JSONProblem) -> JSONValue {
    skipSpace()
    guard let byte = next else { throw expected("a value") }
    switch byte {
    case UInt8(ascii: "{"): return try nested { reader throws(JSONProblem) in try reader.object() }
    case UInt8(ascii: "["): return try nested { reader throws(JSONProblem) in try reader.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    case _: throw expected("a value")
    }
  }

  private mutating func nested(
    _ body: (inout JSONReader) throws(JSONProblem) -> JSONValue
  ) throws(JSONProblem) -> JSONValue {
    guard depth < levels else { throw expected("at most \(levels) levels") }
    depth += 1
    defer { depth -= 1 }
    place += 1
    return try body(&self)
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(JSONProblem) -> JSONValue {
    guard bytes[place...].starts(with: word.utf8) else { throw expected("a value") }
    place += word.utf8.count
    return value
  }

  private mutating func object() throws(JSONProblem) -> JSONValue {
    var members: [JSONValue.Member] = []
    skipSpace()
    if next == UInt8(ascii: "}") {
      place += 1
      return .object([])
    }
    while true {
      skipSpace()
      let name = try string()
      skipSpace()
      try take(":")
      members.append(JSONValue.Member(name: name, value: try value()))
      skipSpace()
      guard next == UInt8(ascii: ",") else { break }
      place += 1
    }
    try take("}")
    return .object(members)
  }

  private mutating func array() throws(JSONProblem) -> JSONValue {
    var elements: [JSONValue] = []
    skipSpace()
    if next == UInt8(ascii: "]") {
      place += 1
      return .array([])
    }
    while true {
      elements.append(try value())
      skipSpace()
      guard next == UInt8(ascii: ",") else { break }
      place += 1
    }
    try take("]")
    return .array(elements)
  }

  private mutating func number() throws(JSONProblem) -> String {
    let start = place
    if next == UInt8(ascii: "-") { place += 1 }
    let whole = try digits()
    guard whole == 1 || bytes[place - whole] != UInt8(ascii: "0") else {
      throw expected("a number without zeros before it")
    }
    if next == UInt8(ascii: ".") {
      place += 1
      _ = try digits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      place += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { place += 1 }
      _ = try digits()
    }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  private mutating func digits() throws(JSONProblem) -> Int {
    let start = place
    while let byte = next, (48...57).contains(byte) { place += 1 }
    guard place > start else { throw expected("a digit") }
    return place - start
  }

  private mutating func string() throws(JSONProblem) -> String {
    try take("\"")
    var text: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      guard byte >= 32 else { throw expected("an escaped control character") }
      place += 1
      if byte == UInt8(ascii: "\\") { text += try escape() } else { text.append(byte) }
    }
    try take("\"")
    guard let text = String(validating: text, as: UTF8.self) else { throw expected("UTF-8") }
    return text
  }

  private mutating func escape() throws(JSONProblem) -> [UInt8] {
    guard let byte = next else { throw expected("an escape") }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "u"): return Array(String(try scalar()).utf8)
    case _: throw expected("an escape")
    }
  }

  /// After `\u`: one unit, or the two of a scalar beyond the first plane.
  private mutating func scalar() throws(JSONProblem) -> Unicode.Scalar {
    let first = try unit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard (0xD800..<0xDC00).contains(first) else { throw expected("a scalar of Unicode") }
    try take("\\")
    try take("u")
    let second = try unit()
    guard (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(
        0x10000 + (UInt32(first) - 0xD800) << 10 + UInt32(second) - 0xDC00)
    else { throw expected("the second half of a scalar") }
    return scalar
  }

  private mutating func unit() throws(JSONProblem) -> UInt16 {
    guard place + 4 <= bytes.count,
      let unit = UInt16(String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16)
    else { throw expected("four hexadecimal digits") }
    place += 4
    return unit
  }
}

extension JSONValue {
  /// The value as JSON again, without spaces.
  package var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let text): text
    case .string(let text): Self.quoted(text)
    case .array(let elements): "[\(elements.map(\.text).joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\(Self.quoted($0.name)):\($0.value.text)" }.joined(separator: ","))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case _ where scalar.value < 32:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      case _: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
