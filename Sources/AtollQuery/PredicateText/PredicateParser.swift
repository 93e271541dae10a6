package import AtollVocabulary

/// Reads a predicate that a person wrote: `country.code == "CH" AND ANY runways.length > 3000`.
///
/// The dialect of `NSPredicate`. The grammar, by rising precedence; words in any case:
///
///     query      = either { "SORT" "(" path ["ASC" | "DESC"] { "," … } ")"
///                         | "DISTINCT" "(" path { "," path } ")" | "LIMIT" "(" number ")" }
///     either     = both { ("OR" | "||") both }
///     both       = negation { ("AND" | "&&") negation }
///     negation   = ("NOT" | "!") negation | "(" either ")" | constant | relation
///     constant   = "TRUEPREDICATE" | "FALSEPREDICATE"
///     relation   = ["ANY" | "SOME" | "NONE" | "ALL"] operand operator operand
///     operator   = "==" | "=" | "!=" | "<>" | "<" | "<=" | "=<" | ">" | ">=" | "=>"
///                | "BEGINSWITH" | "ENDSWITH" | "CONTAINS" | "LIKE" | "TEXT" | "IN"
///                | "BETWEEN" | "GEOWITHIN"
///                  — those for text, and == and !=, with [c], [d] or [cd]
///     operand    = product { ("+" | "-") product }
///     product    = value { ("*" | "/") value }
///     value      = path | string | number | "nil" | "NULL" | "TRUE" | "FALSE" | "YES" | "NO"
///                | "NaN" | "inf" | "%@" | "%d" … | "$0" | "{" [operand { "," operand }] "}"
///                | "(" operand ")" | "obj" "(" class "," key ")"
///                | "geoBox" "(" point "," point ")" | "geoCircle" "(" point "," number ")"
///                | "geoPolygon" "(" ring { "," ring } ")"
///     path       = step { "." step } | "SUBQUERY" "(" path "," "$x" "," either ")" ".@count"
///     step       = name | "#" name | "SELF" | "$x" | "%K" | "@count" | "@allKeys" | "@allValues"
///                | ("@min" | "@max" | "@avg" | "@sum") ["." path] | "@links" "." class "." name
///                — after a map or an any-typed value also "[" key | index | "*" "]"
///
/// A literal takes the type of the path on the other side. UUIDs, object ids and data (in
/// hexadecimal) are written as strings, dates as seconds since 2001-01-01 00:00 UTC.
package struct PredicateParser {
  var tokens: PredicateTokens
  let scope: PredicateScope
  let arguments: [PredicateArgument]
  /// The levels that `SUBQUERY` named, and the class of the objects there.
  var variables: [(name: String, holder: StoredClass?, property: StoredProperty)] = []
  /// Conditions that are open where the parser stands.
  private var depth = 0
  /// Numbers in parentheses and lists likewise.
  private var operandDepth = 0

  /// The predicate that `text` states about objects of `subject`.
  ///
  /// `classes` are those of the same file, to follow links and embedded objects.
  /// - Throws: ``PredicateTextError`` with the place, what was found there, and what would do.
  package static func predicate(
    _ text: String, arguments: [PredicateArgument] = [], about subject: StoredClass,
    among classes: [StoredClass]
  ) throws(PredicateTextError) -> Predicate {
    try predicate(
      text, arguments: arguments, in: PredicateScope(subject: subject, classes: classes))
  }

  package static func predicate(
    _ text: String, arguments: [PredicateArgument], in scope: PredicateScope
  ) throws(PredicateTextError) -> Predicate {
    var parser = PredicateParser(
      tokens: try PredicateTokens(text, arguments), scope: scope, arguments: arguments)
    let predicate = try parser.either()
    guard parser.tokens.isAtEnd else { throw parser.tokens.error(expected: "AND, OR or the end") }
    return predicate
  }

  private init(tokens: PredicateTokens, scope: PredicateScope, arguments: [PredicateArgument]) {
    self.tokens = tokens
    self.scope = scope
    self.arguments = arguments
  }

  mutating func either() throws(PredicateTextError) -> Predicate {
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
    try enter(levels: 1)
    defer { depth -= 1 }
    if tokens.take(.not) { return .not(try negation()) }
    if tokens.current.kind == .open, !isAtNumber { return try group() }
    if tokens.take(.always) { return .always }
    if tokens.take(.never) { return .never }
    return try relation()
  }

  private mutating func group() throws(PredicateTextError) -> Predicate {
    tokens.advance()
    let inner = try either()
    guard tokens.take(.close) else { throw tokens.error(expected: "AND, OR or \")\"") }
    return inner
  }

  /// Reads what is so many levels inside what is being read; see ``Limits/predicateDepth``.
  mutating func nested<Result>(
    levels: Int, _ read: (inout PredicateParser) throws(PredicateTextError) -> Result
  ) throws(PredicateTextError) -> Result {
    try enter(levels: levels)
    defer { depth -= levels }
    return try read(&self)
  }

  private mutating func enter(levels: Int) throws(PredicateTextError) {
    guard depth + levels <= Limits.predicateDepth else {
      throw tokens.error(
        expected:
          "at most \(Limits.predicateDepth) levels of nesting: a NOT or a parenthesis is one, "
          + "a list or a number in parentheses \(Self.operandLevels), "
          + "a subquery \(Self.subqueryLevels)")
    }
    depth += levels
  }

  /// The levels that an operand counts for: reading it takes as much of the stack as so many NOTs.
  static let operandLevels = 4
  static let subqueryLevels = Predicate.collectionLevels
}

// MARK: - Clauses after the predicate

extension PredicateParser {
  /// Reads a predicate with `SORT`, `DISTINCT` and `LIMIT` behind it, applied as they are written.
  package static func query(
    _ text: String, arguments: [PredicateArgument] = [], from base: StoreQuery,
    in scope: PredicateScope
  ) throws(PredicateTextError) -> StoreQuery {
    var parser = PredicateParser(
      tokens: try PredicateTokens(text, arguments), scope: scope, arguments: arguments)
    var query = base
    if !parser.isAtClause { query = query.adding(try parser.either()) }
    while !parser.tokens.isAtEnd {
      let token = parser.tokens.current
      query = try parser.clause(query)
      guard query.levels <= Limits.queryLevels else {
        throw PredicateTextError(
          token, expected: "at most \(Limits.queryLevels) of DISTINCT and LIMIT after one another")
      }
    }
    return query
  }

  private var isAtClause: Bool {
    guard case .name(let name) = tokens.current.kind, tokens.next.kind == .open else {
      return false
    }
    return ["SORT", "DISTINCT", "LIMIT"].contains(name.uppercased())
  }

  private mutating func clause(_ query: StoreQuery) throws(PredicateTextError) -> StoreQuery {
    if tokens.take(word: "SORT") {
      var order: [StoreQuery.Order] = []
      try listed { parser throws(PredicateTextError) in
        let path = try parser.plainPath("to sort by")
        let isDescending =
          parser.tokens.take(word: "DESC") || parser.tokens.take(word: "DESCENDING")
        if !isDescending, !parser.tokens.take(word: "ASC") {
          _ = parser.tokens.take(word: "ASCENDING")
        }
        order.append(StoreQuery.Order(path, isAscending: !isDescending))
      }
      return query.sorted(by: order)
    }
    if tokens.take(word: "DISTINCT") {
      var paths: [PropertyPath] = []
      try listed { parser throws(PredicateTextError) in
        paths.append(try parser.plainPath("to tell objects apart by"))
      }
      return query.distinct(by: paths)
    }
    guard tokens.take(word: "LIMIT") else {
      throw tokens.error(expected: "AND, OR, SORT, DISTINCT, LIMIT or the end")
    }
    var limit = 0
    try listed { parser throws(PredicateTextError) in
      guard case .integer(let number) = parser.tokens.current.kind, number >= 0 else {
        throw parser.tokens.error(expected: "how many objects at most")
      }
      parser.tokens.advance()
      limit = Int(clamping: number)
    }
    return query.limited(to: limit)
  }

  /// Reads `( … , … )`.
  private mutating func listed(
    _ body: (inout PredicateParser) throws(PredicateTextError) -> Void
  ) throws(PredicateTextError) {
    guard tokens.take(.open) else { throw tokens.error(expected: "\"(\"") }
    repeat { try body(&self) } while tokens.take(.comma)
    guard tokens.take(.close) else { throw tokens.error(expected: "\",\" or \")\"") }
  }

  private mutating func plainPath(_ use: String) throws(PredicateTextError) -> PropertyPath {
    let token = tokens.current
    let way = try way()
    guard way.collections.isEmpty, case .path(let path) = way.expression, way.isValue else {
      throw PredicateTextError(token, expected: "a property of one value \(use)")
    }
    return path
  }
}
