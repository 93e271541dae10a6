/// A word of a predicate, and where it stands.
struct PredicateToken {
  enum Kind: Hashable {
    case name(String)
    case string(String)
    case integer(Int64)
    case decimal(Double)
    case bool(Bool)
    case null
    case comparator(Predicate.Comparator)
    case and, or, not, open, close, dot, always, never
    case end
  }

  let kind: Kind
  /// The predicate as a whole, for messages.
  let text: String
  /// In characters from the start of ``text``.
  let offset: Int
  /// How it was written.
  let spelling: String
}

/// The words of a predicate, read one after the other.
struct PredicateTokens {
  private let tokens: [PredicateToken]
  private var index = 0

  /// - Throws: ``PredicateTextError`` at the first character that starts no word.
  init(_ text: String) throws(PredicateTextError) {
    var reader = PredicateTokenReader(text)
    tokens = try reader.all()
  }

  /// The next word; the last one is always ``PredicateToken/Kind/end``.
  var current: PredicateToken { tokens[min(index, tokens.count - 1)] }
  var isAtEnd: Bool { current.kind == .end }

  mutating func advance() { index = min(index + 1, tokens.count - 1) }

  /// Steps over the next word if it is this one.
  mutating func take(_ kind: PredicateToken.Kind) -> Bool {
    guard current.kind == kind else { return false }
    advance()
    return true
  }

  func error(expected: String) -> PredicateTextError {
    PredicateTextError(current, expected: expected)
  }
}

/// Cuts a predicate into words.
private struct PredicateTokenReader {
  private let text: String
  private let characters: [Character]
  private var index = 0

  init(_ text: String) {
    self.text = text
    characters = Array(text)
  }

  mutating func all() throws(PredicateTextError) -> [PredicateToken] {
    var tokens: [PredicateToken] = []
    while true {
      while index < characters.count, characters[index].isWhitespace { index += 1 }
      let start = index
      let kind = try next()
      tokens.append(token(kind, from: start))
      if kind == .end { return tokens }
    }
  }

  private mutating func next() throws(PredicateTextError) -> PredicateToken.Kind {
    guard index < characters.count else { return .end }
    let first = characters[index]
    if first == "\"" || first == "'" { return try string(quote: first) }
    if first.isNumberStart || first == "-" { return try number() }
    if first.isNameStart { return word() }
    return try symbol()
  }

  private mutating func symbol() throws(PredicateTextError) -> PredicateToken.Kind {
    let symbols: [(String, PredicateToken.Kind)] = [
      ("==", .comparator(.equal)), ("!=", .comparator(.notEqual)),
      ("<>", .comparator(.notEqual)), ("<=", .comparator(.lessOrEqual)),
      (">=", .comparator(.greaterOrEqual)), ("&&", .and), ("||", .or),
      ("=", .comparator(.equal)), ("<", .comparator(.less)), (">", .comparator(.greater)),
      ("!", .not), ("(", .open), (")", .close), (".", .dot),
    ]
    for (spelling, kind) in symbols where characters[index...].starts(with: spelling) {
      index += spelling.count
      return kind
    }
    index += 1
    throw PredicateTextError(
      token(.end, from: index - 1), expected: "a property, a value, a comparison, AND, OR or NOT")
  }

  private mutating func word() -> PredicateToken.Kind {
    let start = index
    while index < characters.count, characters[index].isNamePart { index += 1 }
    let word = String(characters[start..<index])
    switch word.uppercased() {
    case "AND": return .and
    case "OR": return .or
    case "NOT": return .not
    case "TRUE": return .bool(true)
    case "FALSE": return .bool(false)
    case "NIL", "NULL": return .null
    case "TRUEPREDICATE": return .always
    case "FALSEPREDICATE": return .never
    default: return .name(word)
    }
  }

  private mutating func number() throws(PredicateTextError) -> PredicateToken.Kind {
    let start = index
    index += 1
    while index < characters.count, isPartOfNumber(characters[index], after: characters[index - 1])
    {
      index += 1
    }
    let spelling = String(characters[start..<index])
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

  private func token(_ kind: PredicateToken.Kind, from start: Int) -> PredicateToken {
    PredicateToken(
      kind: kind, text: text, offset: start, spelling: String(characters[start..<index]))
  }
}

extension Character {
  fileprivate var isNumberStart: Bool { ("0"..."9").contains(self) }
  fileprivate var isNameStart: Bool { isLetter || self == "_" }
  fileprivate var isNamePart: Bool { isNameStart || isNumber }
}
