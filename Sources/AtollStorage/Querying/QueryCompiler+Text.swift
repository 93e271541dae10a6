import AtollQuery
import AtollVocabulary

extension QueryCompiler {
  /// Compares bytes, since SQLite's own text functions stop at NUL.
  mutating func matching(
    _ left: Predicate.Expression, _ match: Predicate.TextMatch, _ options: Predicate.TextOptions,
    _ right: Predicate.Expression
  ) throws -> String {
    if match == .search { return try searching(left, right) }
    guard case .sql(let left) = try side(left) else { return "0" }
    let text = folded(left.only(.string), options)
    switch try side(right) {
    case .constant(let constant):
      switch constant.value {
      case .string: return matching(text, match, options, constant)
      case .data(let bytes):
        return matching(left.only(.data), match, [], constant, isEmpty: bytes.isEmpty)
      case .null, .bool, .int, .float, .double, .decimal, .date, .uuid, .objectId, .identity:
        return "0"
      }
    case .object, .keyed: return "0"
    case .sql(let right):
      let needle = folded(right.only(.string), options)
      // Nil is nil, but a value of another type than text is not.
      if match == .equal, left.tag == nil, right.tag == nil { return "\(text) IS \(needle)" }
      return matching(text, match, needle)
    }
  }

  private func folded(_ sql: String, _ options: Predicate.TextOptions) -> String {
    options.isEmpty ? sql : "\(QueryFunctions.fold)(\(sql), \(options.rawValue))"
  }

  private mutating func matching(
    _ text: String, _ match: Predicate.TextMatch, _ options: Predicate.TextOptions,
    _ constant: QueryConstant
  ) -> String {
    guard case .string(let given) = constant.value else { return "0" }
    if match == .pattern {
      return "\(QueryFunctions.like)(\(text), \(bind(constant, .pattern(options))), 0)"
    }
    let needle = options.isEmpty ? given : TextFolding.fold(given, options)
    switch match {
    case .equal: return "\(text) = \(bind(constant, .text(options)))"
    case .prefix:
      // A range of code points is the same, and an index can find it.
      guard !needle.isEmpty else { return "0" }
      let isAfter = "\(text) >= \(bind(constant, .text(options)))"
      guard needle.hasFollowingPrefix else { return isAfter }
      return "(\(isAfter) AND \(text) < \(bind(constant, .prefixEnd(options))))"
    case .suffix, .infix, .pattern, .search:
      return matching(text, match, options, constant, isEmpty: needle.isEmpty)
    }
  }

  private mutating func matching(
    _ sql: String, _ match: Predicate.TextMatch, _ options: Predicate.TextOptions,
    _ needle: QueryConstant, isEmpty: Bool
  ) -> String {
    let blob = "CAST(\(sql) AS BLOB)"
    if match == .equal { return "\(blob) = \(bind(needle, .bytes(options)))" }
    if isEmpty { return "0" }
    let part = bind(needle, .bytes(options))
    switch match {
    case .infix: return "instr(\(blob), \(part)) > 0"
    case .suffix: return "substr(\(blob), -length(\(part))) = \(part)"
    case .prefix: return "substr(\(blob), 1, length(\(part))) = \(part)"
    case .equal, .pattern, .search: return "0"
    }
  }

  private func matching(
    _ text: String, _ match: Predicate.TextMatch, _ needle: String
  ) -> String {
    let (blob, part) = ("CAST(\(text) AS BLOB)", "CAST(\(needle) AS BLOB)")
    switch match {
    case .equal: return "\(text) = \(needle)"
    case .pattern: return "\(QueryFunctions.like)(\(text), \(needle), 0)"
    case .infix: return "(length(\(part)) > 0 AND instr(\(blob), \(part)) > 0)"
    case .prefix: return "(length(\(part)) > 0 AND substr(\(blob), 1, length(\(part))) = \(part))"
    case .suffix: return "(length(\(part)) > 0 AND substr(\(blob), -length(\(part))) = \(part))"
    case .search: return "0"
    }
  }
}

extension String {
  /// True if ``followingPrefix`` is there.
  var hasFollowingPrefix: Bool { unicodeScalars.contains { $0.value < 0x10FFFF } }

  /// The least text that is after every text that begins with this one; nil if there is none.
  var followingPrefix: String? {
    if let last = utf8.last, last < 0x7F {
      var bytes = Array(utf8)
      bytes[bytes.count - 1] = last + 1
      return String(decoding: bytes, as: UTF8.self)
    }
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(next) else { continue }
      scalars.append(scalar)
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      return String(text)
    }
    return nil
  }
}
