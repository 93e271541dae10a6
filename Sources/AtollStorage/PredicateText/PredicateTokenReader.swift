import AtollVocabulary

/// Cuts a predicate into words.
struct PredicateTokenReader {
  let text: String
  let characters: [Character]
  /// Where each of ``characters`` begins, and where the last ends.
  private let places: [String.Index]
  private let arguments: [PredicateArgument]
  var index = 0
  private var nextArgument = 0
  private var tokens: [PredicateToken] = []

  init(_ text: String, _ arguments: [PredicateArgument]) {
    self.text = text
    self.arguments = arguments
    var characters: [Character] = []
    var places: [String.Index] = []
    characters.reserveCapacity(text.utf8.count)
    places.reserveCapacity(text.utf8.count + 1)
    for place in text.indices {
      characters.append(text[place])
      places.append(place)
    }
    self.characters = characters
    self.places = places + CollectionOfOne(text.endIndex)
  }

  mutating func all() throws(PredicateTextError) -> [PredicateToken] {
    while true {
      while index < characters.count, characters[index].isSpace { index += 1 }
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
    guard index < characters.count else {
      if nextArgument < arguments.count, nextArgument > 0 || !usesNumberedArguments {
        throw PredicateTextError(
          token(.end, from: index),
          expected: "a place for each of the \(arguments.count) arguments")
      }
      return .end
    }
    let first = characters[index]
    if first == "\"" || first == "'" { return try string(quote: first) }
    if let date = try date() { return .constant(date) }
    if first.isNumberStart || first.isSign && !isAfterValue { return try number() }
    if first.isNameStart { return try identifier() ?? word() }
    switch first {
    case "#" where index + 1 < characters.count && characters[index + 1].isNameStart:
      index += 1
      return .name(name())
    case "@":
      index += 1
      return .function(name())
    case "$": return try variable()
    case "%": return try placeholder()
    case "[":
      if let options = options() { return .options(options) }
    default: break
    }
    return try symbol()
  }

  /// Whether a sign here is an operation, because a value ends before it.
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
    let first = characters[index]
    let second = index + 1 < characters.count ? characters[index + 1] : nil
    if let second, let kind = Self.symbol(first, second) {
      index += 2
      return kind
    }
    index += 1
    if let kind = Self.symbol(first) { return kind }
    throw PredicateTextError(
      token(.end, from: index - 1), expected: "a property, a value, a comparison, AND, OR or NOT")
  }

  private static func symbol(
    _ first: Character, _ second: Character
  ) -> PredicateToken.Kind? {
    switch (first, second) {
    case ("=", "="): .comparator(.equal)
    case ("!", "="), ("<", ">"): .comparator(.notEqual)
    case ("<", "="), ("=", "<"): .comparator(.lessOrEqual)
    case (">", "="), ("=", ">"): .comparator(.greaterOrEqual)
    case ("&", "&"): .and
    case ("|", "|"): .or
    default: nil
    }
  }

  private static func symbol(_ character: Character) -> PredicateToken.Kind? {
    switch character {
    case "=": .comparator(.equal)
    case "<": .comparator(.less)
    case ">": .comparator(.greater)
    case "!": .not
    case "(": .open
    case ")": .close
    case ".": .dot
    case ",": .comma
    case "{": .openBrace
    case "}": .closeBrace
    case "[": .openBracket
    case "]": .closeBracket
    case "*": .star
    case "+": .plus
    case "-": .minus
    case "/": .slash
    default: nil
    }
  }

  /// Whether this is next.
  private func isAt(_ spelling: StaticString) -> Bool {
    let count = spelling.utf8CodeUnitCount
    guard index + count <= characters.count else { return false }
    return (0..<count).allSatisfy {
      characters[index + $0].asciiValue == spelling.utf8Start[$0]
    }
  }

  /// A keyword, or a name; what follows a dot is always a name.
  private mutating func word() -> PredicateToken.Kind {
    let word = name()
    if tokens.last?.kind == .dot { return .name(word) }
    return Self.keywords[word.uppercased()] ?? .name(word)
  }

  static let keywords: [String: PredicateToken.Kind] = [
    "AND": .and, "OR": .or, "NOT": .not, "TRUE": .bool(true), "YES": .bool(true),
    "FALSE": .bool(false), "NO": .bool(false), "NIL": .null, "NULL": .null,
    "TRUEPREDICATE": .always, "FALSEPREDICATE": .never, "ANY": .any, "SOME": .any, "NONE": .none,
    "ALL": .every, "IN": .isIn, "BETWEEN": .between, "SUBQUERY": .subquery, "SELF": .itself,
    "CONTAINS": .text(.infix), "BEGINSWITH": .text(.prefix), "ENDSWITH": .text(.suffix),
    "LIKE": .text(.pattern), "GEOWITHIN": .isIn, "NAN": .decimal(.nan),
    "INF": .decimal(.infinity), "INFINITY": .decimal(.infinity),
  ]

  private mutating func name() -> String {
    let start = index
    while index < characters.count, characters[index].isNamePart { index += 1 }
    return String(spelling(from: start))
  }

  /// What was read since a place.
  private func spelling(from start: Int) -> Substring { text[places[start]..<places[index]] }

  /// `[c]`, `[d]` or `[cd]` right after an operator.
  private mutating func options() -> Predicate.TextOptions? {
    switch tokens.last?.kind {
    case .text, .comparator: break
    default: return nil
    }
    let spellings: [(String, Predicate.TextOptions)] = [
      ("[cd]", [.ignoresCase, .ignoresDiacritics]), ("[dc]", [.ignoresCase, .ignoresDiacritics]),
      ("[c]", .ignoresCase), ("[d]", .ignoresDiacritics), ("[]", []),
    ]
    for (spelling, options) in spellings
    where String(characters[index...].prefix(spelling.count)).lowercased() == spelling {
      index += spelling.count
      return options
    }
    return nil
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

  private mutating func placeholder() throws(PredicateTextError) -> PredicateToken.Kind {
    let start = index
    for spelling: StaticString in [
      "%@", "%lld", "%llu", "%ld", "%lu", "%lf", "%li", "%d", "%i", "%u", "%f", "%g",
    ]
    where isAt(spelling) {
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
    let place = token(.end, from: start)
    let argument = arguments[try takeArgument(from: start)]
    guard case .value(.string(let path)) = argument else {
      throw PredicateTextError(place, expected: "a string with a key path as the argument of %K")
    }
    var reader = PredicateTokenReader(path, [])
    for word in try reader.all() where word.kind != .end {
      tokens.append(
        PredicateToken(kind: word.kind, text: text, offset: start, spelling: word.spelling))
    }
  }

  // MARK: Literals

  private mutating func number() throws(PredicateTextError) -> PredicateToken.Kind {
    let start = index
    index += 1
    if characters[start].isSign, index < characters.count, characters[index].isLetter { _ = name() }
    while index < characters.count, isPartOfNumber(characters[index], after: characters[index - 1])
    {
      index += 1
    }
    let spelling = spelling(from: start)
    if let number = Int64(spelling) { return .integer(number) }
    if let number = Double(spelling) { return .decimal(number) }
    throw PredicateTextError(token(.end, from: start), expected: "a number")
  }

  private func isPartOfNumber(_ character: Character, after previous: Character) -> Bool {
    character.isNumberStart || character == "." || character == "e" || character == "E"
      || (character == "-" || character == "+") && (previous == "e" || previous == "E")
  }

  /// A string in either quotes; a backslash takes the next character as it is, or as n, t or 0.
  private mutating func string(quote: Character) throws(PredicateTextError) -> PredicateToken.Kind {
    let start = index
    var value = ""
    index += 1
    while index < characters.count, characters[index] != quote {
      if characters[index] == "\\", index + 1 < characters.count {
        index += 1
        let escapes: [Character: Character] = ["n": "\n", "t": "\t", "r": "\r", "0": "\0"]
        value.append(escapes[characters[index]] ?? characters[index])
      } else {
        value.append(characters[index])
      }
      index += 1
    }
    guard index < characters.count else {
      throw PredicateTextError(
        token(.end, from: start), expected: "a closing \(quote) after the string")
    }
    index += 1
    return .string(value)
  }

  func token(_ kind: PredicateToken.Kind, from start: Int) -> PredicateToken {
    PredicateToken(
      kind: kind, text: text, offset: start, spelling: spelling(from: start))
  }
}

extension Character {
  fileprivate var isNumberStart: Bool { ("0"..."9").contains(self) }
  fileprivate var isSign: Bool { self == "-" || self == "+" }
  fileprivate var isSpace: Bool {
    guard let ascii = asciiValue else { return isWhitespace }
    return ascii == UInt8(ascii: " ") || UInt8(ascii: "\t")...UInt8(ascii: "\r") ~= ascii
  }

  fileprivate var isNameStart: Bool {
    guard let ascii = asciiValue else { return isLetter }
    return ascii == UInt8(ascii: "_") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= ascii | 0x20
  }

  fileprivate var isNamePart: Bool {
    guard let ascii = asciiValue else { return isLetter || isNumber }
    return isNameStart || UInt8(ascii: "0")...UInt8(ascii: "9") ~= ascii
  }
}
