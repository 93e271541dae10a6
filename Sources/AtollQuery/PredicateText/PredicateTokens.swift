import AtollVocabulary

/// A word of a predicate, and where it stands.
struct PredicateToken {
  enum Kind: Hashable {
    case name(String)
    case string(String)
    case integer(Int64)
    case decimal(Double)
    case bool(Bool)
    case null
    /// `uuid(…)`, `oid(…)`, `2024-05-31@12:00:00` or `T1717156800:0`.
    case constant(PersistedValue)
    case comparator(Predicate.Comparator)
    case text(Predicate.TextMatch)
    /// `[c]`, `[d]` or `[cd]` after an operator.
    case options(Predicate.TextOptions)
    case and, or, not, open, close, dot, always, never
    /// Any element, in brackets; elsewhere a product.
    case star
    case plus, minus, slash
    case comma, openBrace, closeBrace, openBracket, closeBracket
    case any, none, every, isIn, between, subquery, itself
    /// `@count` and its like, without the sign.
    case function(String)
    /// `$x`, without the sign.
    case variable(String)
    /// The value of `%@` or `$0`, by its index.
    case argument(Int)
    case end
  }

  let kind: Kind
  /// The predicate as a whole, for messages.
  let text: String
  /// The place in ``text``, in bytes.
  private let bytes: Range<Int>
  /// The word itself where that is not in ``text``, but in the argument of `%K`.
  private let argument: Substring?

  init(_ kind: Kind, _ text: String, _ bytes: Range<Int>, argument: Substring? = nil) {
    self.kind = kind
    self.text = text
    self.bytes = bytes
    self.argument = argument
  }

  /// In characters from the start of ``text``.
  var offset: Int { text[..<place(bytes.lowerBound)].count }

  /// The spelling in the text.
  var spelling: Substring {
    argument ?? text[place(bytes.lowerBound)..<place(bytes.upperBound)]
  }

  private func place(_ byte: Int) -> String.Index {
    text.utf8.index(text.startIndex, offsetBy: byte)
  }
}

/// The words of a predicate, read one after the other.
struct PredicateTokens {
  private let tokens: [PredicateToken]
  private var index = 0

  /// - Throws: ``PredicateTextError`` at the first character that starts no word.
  init(_ text: String, _ arguments: [PredicateArgument]) throws(PredicateTextError) {
    var reader = PredicateTokenReader(text, arguments)
    tokens = try reader.all()
  }

  /// The word after ``current``.
  var next: PredicateToken { tokens[min(index + 1, tokens.count - 1)] }

  /// Steps over the next word if it is this name, in any case.
  mutating func take(word: String) -> Bool {
    guard case .name(let name) = current.kind, name.uppercased() == word else { return false }
    advance()
    return true
  }

  /// The token behind the parenthesis that closes the next one; nil if none does.
  var afterGroup: PredicateToken.Kind? {
    var depth = 0
    for place in index..<tokens.count {
      switch tokens[place].kind {
      case .open: depth += 1
      case .close: depth -= 1
      default: continue
      }
      if depth == 0 { return tokens[min(place + 1, tokens.count - 1)].kind }
    }
    return nil
  }

  /// The next word; the last one is always ``PredicateToken/Kind/end``.
  var current: PredicateToken { tokens[min(index, tokens.count - 1)] }
  var isAtEnd: Bool { current.kind == .end }

  mutating func advance() { index = min(index + 1, tokens.count - 1) }

  /// Steps over the next word if it is this one.
  mutating func take(_ kind: PredicateToken.Kind) -> Bool {
    guard tokens[min(index, tokens.count - 1)].kind == kind else { return false }
    advance()
    return true
  }

  func error(expected: String) -> PredicateTextError {
    PredicateTextError(current, expected: expected)
  }
}
