import AtollVocabulary

/// Cuts a predicate into words.
///
/// It goes by bytes: whatever has a meaning is ASCII, and what is not belongs to names and strings.
struct PredicateTokenReader {
  let text: String
  let bytes: [UInt8]
  private let arguments: [PredicateArgument]
  /// In bytes.
  var index = 0
  private var nextArgument = 0
  private var tokens: [PredicateToken] = []

  init(_ text: String, _ arguments: [PredicateArgument]) {
    self.text = text
    self.arguments = arguments
    bytes = Array(text.utf8)
  }

  mutating func all() throws(PredicateTextError) -> [PredicateToken] {
    tokens.reserveCapacity(bytes.count / 4 + 1)
    while true {
      skipSpace()
      let start = index
      if isAt("%K") {
        try readKeyPath(from: start)
        continue
      }
      let kind = try next()
      tokens.append(token(kind, from: start))
      if kind == .end { return tokens }
    }
  }

  private mutating func next() throws(PredicateTextError) -> PredicateToken.Kind {
    guard index < bytes.count else {
      if nextArgument < arguments.count, nextArgument > 0 || !usesNumberedArguments {
        throw PredicateTextError(
          token(.end, from: index),
          expected: "a place for each of the \(arguments.count) arguments")
      }
      return .end
    }
    let first = bytes[index]
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
      return try string(quote: first)
    }
    if let date = try date() { return .constant(date) }
    if first.isDigit || first.isSign && !isAfterValue { return try number() }
    if namePart(at: index, isFirst: true) > 0 { return try identifier() ?? word() }
    switch first {
    case UInt8(ascii: "#") where namePart(at: index + 1, isFirst: true) > 0:
      index += 1
      return .name(name())
    case UInt8(ascii: "@"):
      index += 1
      return .function(name())
    case UInt8(ascii: "$"): return try variable()
    case UInt8(ascii: "%"): return try placeholder()
    case UInt8(ascii: "["):
      if let options = options() { return .options(options) }
    default: break
    }
    return try symbol()
  }

  /// True if a sign here is an operation, because a value ends before it.
  private var isAfterValue: Bool {
    switch tokens.last?.kind {
    case .name, .string, .integer, .decimal, .bool, .null, .constant, .itself, .function,
      .variable, .argument, .close, .closeBracket, .closeBrace:
      true
    default: false
    }
  }

  private var usesNumberedArguments: Bool {
    tokens.contains { if case .argument = $0.kind { true } else { false } }
  }

  private mutating func symbol() throws(PredicateTextError) -> PredicateToken.Kind {
    let first = bytes[index]
    if index + 1 < bytes.count, let kind = PredicateToken.Kind(symbol: first, bytes[index + 1]) {
      index += 2
      return kind
    }
    let start = index
    index += characterLength(at: index)
    if let kind = PredicateToken.Kind(symbol: first) { return kind }
    throw PredicateTextError(
      token(.end, from: start), expected: "a property, a value, a comparison, AND, OR or NOT")
  }

  /// Tells whether this is next.
  private func isAt(_ spelling: StaticString) -> Bool {
    let count = spelling.utf8CodeUnitCount
    guard index + count <= bytes.count else { return false }
    for place in 0..<count where bytes[index + place] != spelling.utf8Start[place] {
      return false
    }
    return true
  }

  /// A keyword, or a name; what follows a dot is always a name.
  private mutating func word() -> PredicateToken.Kind {
    let start = index
    let word = name()
    if tokens.last?.kind == .dot { return .name(word) }
    return PredicateKeyword(bytes[start..<index])?.kind ?? .name(word)
  }

  private mutating func name() -> String {
    let start = index
    while case let length = namePart(at: index), length > 0 { index += length }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  /// `[c]`, `[d]` or `[cd]` right after an operator.
  private mutating func options() -> Predicate.TextOptions? {
    switch tokens.last?.kind {
    case .text, .comparator: break
    default: return nil
    }
    guard let end = bytes[index...].prefix(4).firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let options: Predicate.TextOptions
    switch String(decoding: bytes[(index + 1)..<end], as: UTF8.self).lowercased() {
    case "cd", "dc": options = [.ignoresCase, .ignoresDiacritics]
    case "c": options = .ignoresCase
    case "d": options = .ignoresDiacritics
    case "": options = []
    default: return nil
    }
    index = end + 1
    return options
  }

  // MARK: Arguments

  /// `$0` for an argument by its index, `$x` for a variable.
  private mutating func variable() throws(PredicateTextError) -> PredicateToken.Kind {
    let start = index
    index += 1
    let name = name()
    guard let number = Int(name) else { return .variable(name) }
    guard arguments.indices.contains(number) else {
      throw PredicateTextError(
        token(.end, from: start), expected: "one of the \(arguments.count) arguments given")
    }
    return .argument(number)
  }

  private static let placeholders: [StaticString] = [
    "%@", "%lld", "%llu", "%ld", "%lu", "%lf", "%li", "%d", "%i", "%u", "%f", "%g",
  ]

  private mutating func placeholder() throws(PredicateTextError) -> PredicateToken.Kind {
    let start = index
    for spelling in Self.placeholders where isAt(spelling) {
      index += spelling.utf8CodeUnitCount
      return .argument(try takeArgument(from: start))
    }
    index += 1
    throw PredicateTextError(token(.end, from: start), expected: "%@, %K, %d or %f")
  }

  private mutating func takeArgument(from start: Int) throws(PredicateTextError) -> Int {
    guard nextArgument < arguments.count else {
      throw PredicateTextError(
        token(.end, from: start),
        expected: "no more places than the \(arguments.count) arguments given")
    }
    nextArgument += 1
    return nextArgument - 1
  }

  /// Puts the words of a key path in the place of `%K`.
  private mutating func readKeyPath(from start: Int) throws(PredicateTextError) {
    index += 2
    let argument = arguments[try takeArgument(from: start)]
    guard case .value(.string(let path)) = argument else {
      throw PredicateTextError(
        token(.end, from: start),
        expected: "a string with a key path as the argument of %K")
    }
    var reader = PredicateTokenReader(path, [])
    for word in try reader.all() where word.kind != .end {
      tokens.append(PredicateToken(word.kind, text, start..<index, argument: word.spelling))
    }
  }

  // MARK: Literals

  private mutating func number() throws(PredicateTextError) -> PredicateToken.Kind {
    let start = index
    index += 1
    if bytes[start].isSign, index < bytes.count, bytes[index].isLetter { _ = name() }
    while index < bytes.count, isPartOfNumber(bytes[index], after: bytes[index - 1]) { index += 1 }
    let spelling = String(decoding: bytes[start..<index], as: UTF8.self)
    if let number = Int64(spelling) { return .integer(number) }
    if let number = Double(spelling) { return .decimal(number) }
    throw PredicateTextError(token(.end, from: start), expected: "a number")
  }

  private func isPartOfNumber(_ byte: UInt8, after previous: UInt8) -> Bool {
    byte.isDigit || byte == UInt8(ascii: ".") || byte.isExponentSign
      || byte.isSign && previous.isExponentSign
  }

  /// A string in either quotes; a backslash takes the next character as it is, or as n, t or 0.
  private mutating func string(quote: UInt8) throws(PredicateTextError) -> PredicateToken.Kind {
    let start = index
    var value: [UInt8] = []
    index += 1
    while index < bytes.count, bytes[index] != quote {
      if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count {
        index += 1
        value.append(bytes[index].escaped)
      } else {
        value.append(bytes[index])
      }
      index += 1
    }
    guard index < bytes.count else {
      let sign = Character(Unicode.Scalar(quote))
      throw PredicateTextError(
        token(.end, from: start), expected: "a closing \(sign) after the string")
    }
    index += 1
    return .string(String(decoding: value, as: UTF8.self))
  }

  func token(_ kind: PredicateToken.Kind, from start: Int) -> PredicateToken {
    PredicateToken(kind, text, start..<index)
  }
}

// MARK: - Characters

extension PredicateTokenReader {
  private mutating func skipSpace() {
    while index < bytes.count {
      if bytes[index].isASCII {
        guard bytes[index].isSpace else { return }
        index += 1
      } else {
        guard let (scalar, length) = scalar(at: index), scalar.properties.isWhitespace else {
          return
        }
        index += length
      }
    }
  }

  /// Returns the number of bytes of a name at `place`; 0 where none is.
  private func namePart(at place: Int, isFirst: Bool = false) -> Int {
    guard place < bytes.count else { return 0 }
    let byte = bytes[place]
    if byte.isASCII {
      return byte.isLetter || byte == UInt8(ascii: "_") || byte.isDigit && !isFirst ? 1 : 0
    }
    guard let (scalar, length) = scalar(at: place) else { return 0 }
    let properties = scalar.properties
    if properties.isAlphabetic || scalar.isNameSymbol { return length }
    let goesOn =
      properties.numericType != nil || properties.isGraphemeExtend || properties.isJoinControl
    return goesOn && !isFirst ? length : 0
  }

  private func characterLength(at place: Int) -> Int {
    bytes[place].isASCII ? 1 : scalar(at: place)?.length ?? 1
  }

  /// The scalar at a place, and its bytes.
  private func scalar(at place: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    var decoder = UTF8()
    var rest = bytes[place...].makeIterator()
    guard case .scalarValue(let scalar) = decoder.decode(&rest) else { return nil }
    return (scalar, UTF8.width(scalar))
  }
}

extension Unicode.Scalar {
  /// True if it is a sign that Swift's names may have, such as an emoji.
  ///
  /// Source: The Swift Programming Language, "Lexical Structure"; signs below U+10000 are few.
  fileprivate var isNameSymbol: Bool {
    switch value {
    case 0x2100...0x218F, 0x2460...0x24FF, 0x2776...0x2793, 0x3004...0x3030, 0x10000...:
      [.otherSymbol, .modifierSymbol, .mathSymbol].contains(properties.generalCategory)
    default: false
    }
  }
}

extension UInt8 {
  fileprivate var isASCII: Bool { self < 0x80 }
  fileprivate var isSign: Bool { self == UInt8(ascii: "-") || self == UInt8(ascii: "+") }
  fileprivate var isExponentSign: Bool { self | 0x20 == UInt8(ascii: "e") }
  fileprivate var isLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 }
  fileprivate var isSpace: Bool {
    self == UInt8(ascii: " ") || UInt8(ascii: "\t")...UInt8(ascii: "\r") ~= self
  }

  var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  /// The meaning of the byte after a backslash.
  fileprivate var escaped: UInt8 {
    switch self {
    case UInt8(ascii: "n"): UInt8(ascii: "\n")
    case UInt8(ascii: "t"): UInt8(ascii: "\t")
    case UInt8(ascii: "r"): UInt8(ascii: "\r")
    case UInt8(ascii: "0"): 0
    default: self
    }
  }
}
