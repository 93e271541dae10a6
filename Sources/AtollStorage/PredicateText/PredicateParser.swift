import AtollVocabulary

/// Reads a predicate that a person wrote: `country.code == "CH" AND NOT elevation <= 1500`.
///
/// The grammar, by rising precedence; words in any case:
///
///     either     = both { ("OR" | "||") both }
///     both       = negation { ("AND" | "&&") negation }
///     negation   = ("NOT" | "!") negation | "(" either ")" | constant | comparison
///     constant   = "TRUEPREDICATE" | "FALSEPREDICATE"
///     comparison = operand ("==" | "=" | "!=" | "<>" | "<" | "<=" | ">" | ">=") operand
///     operand    = path | string | number | "nil" | "NULL" | "TRUE" | "FALSE"
///     path       = name { "." name }
///
/// A literal takes the type of the path on the other side. UUIDs, object ids and data (in
/// hexadecimal) are written as strings, dates as seconds since 2001-01-01 00:00 UTC.
package struct PredicateParser {
  private var tokens: PredicateTokens
  private let scope: PredicateScope
  private var depth = 0

  /// The predicate that `text` states about objects of `subject`.
  ///
  /// `classes` are those of the same file, to follow links and embedded objects.
  /// - Throws: ``PredicateTextError`` with the place, what was found there, and what would do.
  package static func predicate(
    _ text: String, about subject: StoredClass, among classes: [StoredClass]
  ) throws(PredicateTextError) -> Predicate {
    var parser = PredicateParser(
      tokens: try PredicateTokens(text), scope: PredicateScope(subject: subject, classes: classes))
    let predicate = try parser.either()
    guard parser.tokens.isAtEnd else { throw parser.tokens.error(expected: "AND, OR or the end") }
    return predicate
  }

  private init(tokens: PredicateTokens, scope: PredicateScope) {
    self.tokens = tokens
    self.scope = scope
  }

  private mutating func either() throws(PredicateTextError) -> Predicate {
    var parts = [try both()]
    while tokens.take(.or) { parts.append(try both()) }
    return parts.count == 1 ? parts[0] : .any(parts)
  }

  private mutating func both() throws(PredicateTextError) -> Predicate {
    var parts = [try negation()]
    while tokens.take(.and) { parts.append(try negation()) }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private mutating func negation() throws(PredicateTextError) -> Predicate {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Limits.predicateDepth else {
      throw tokens.error(expected: "at most \(Limits.predicateDepth) NOTs and parentheses nested")
    }
    if tokens.take(.not) { return .not(try negation()) }
    if tokens.take(.open) {
      let inner = try either()
      guard tokens.take(.close) else { throw tokens.error(expected: "AND, OR or \")\"") }
      return inner
    }
    if tokens.take(.always) { return .always }
    if tokens.take(.never) { return .never }
    return try comparison()
  }

  private mutating func comparison() throws(PredicateTextError) -> Predicate {
    let left = try operand()
    guard case .comparator(let comparator) = tokens.current.kind else {
      throw tokens.error(expected: "one of == != < <= > >=")
    }
    tokens.advance()
    let right = try operand()
    if case .path(let path) = left.kind {
      return .comparison(path, comparator, try scope.operand(right, comparedWith: path))
    }
    guard case .path(let path) = right.kind else {
      throw left.error(
        expected: "a property on one side at least; \(scope.subject.name) has "
          + scope.names(of: scope.subject))
    }
    return .comparison(path, comparator.mirrored, try scope.operand(left, comparedWith: path))
  }

  private mutating func operand() throws(PredicateTextError) -> PredicateOperand {
    let token = tokens.current
    switch token.kind {
    case .name:
      return PredicateOperand(token, .path(try path()))
    case .string, .integer, .decimal, .null, .bool:
      tokens.advance()
      return PredicateOperand(token, .literal)
    case .comparator, .and, .or, .not, .open, .close, .dot, .always, .never, .end:
      throw tokens.error(
        expected: "a property, a string in quotes, a number, nil, TRUE or FALSE")
    }
  }

  private mutating func path() throws(PredicateTextError) -> PropertyPath {
    var steps: [StoredProperty] = []
    var owner: StoredClass? = scope.subject
    repeat {
      guard case .name(let name) = tokens.current.kind else {
        throw tokens.error(expected: "the name of a property")
      }
      guard let holder = owner else {
        throw tokens.error(
          expected: "no further step: \"\(steps.last?.name ?? "")\" holds no object")
      }
      guard let property = holder.property(named: name) else {
        throw tokens.error(
          expected: "a property of \(holder.name), which has \(scope.names(of: holder))")
      }
      guard property.collection == .none else {
        throw tokens.error(expected: "a property of one value; \"\(name)\" is a list")
      }
      tokens.advance()
      steps.append(property)
      owner = scope.target(of: property)
    } while tokens.take(.dot)
    return PropertyPath(steps)
  }
}

/// One side of a comparison before its type is known.
struct PredicateOperand {
  enum Kind {
    case path(PropertyPath)
    /// The token says which.
    case literal
  }

  let token: PredicateToken
  let kind: Kind

  init(_ token: PredicateToken, _ kind: Kind) {
    self.token = token
    self.kind = kind
  }

  func error(expected: String) -> PredicateTextError {
    PredicateTextError(token, expected: expected)
  }
}

extension Predicate.Comparator {
  /// The comparator that says the same with its sides exchanged.
  var mirrored: Predicate.Comparator {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}
