/// A word that has a meaning of its own, in any case.
struct PredicateKeyword {
  let kind: PredicateToken.Kind

  /// Nil for a name.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard let spelling = Spelling(bytes), let kind = Self.kinds[spelling] else { return nil }
    self.kind = kind
  }

  /// The letters of a word of up to sixteen, without case.
  private struct Spelling: Hashable {
    private var letters: UInt128 = 0

    init?(_ bytes: some Collection<UInt8>) {
      guard bytes.count <= 16 else { return nil }
      for byte in bytes {
        guard UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 else { return nil }
        letters = letters << 8 | UInt128(byte | 0x20)
      }
    }
  }

  private static let kinds: [Spelling: PredicateToken.Kind] = {
    let words: [(StaticString, PredicateToken.Kind)] = [
      ("AND", .and), ("OR", .or), ("NOT", .not), ("TRUE", .bool(true)), ("YES", .bool(true)),
      ("FALSE", .bool(false)), ("NO", .bool(false)), ("NIL", .null), ("NULL", .null),
      ("TRUEPREDICATE", .always), ("FALSEPREDICATE", .never), ("ANY", .any), ("SOME", .any),
      ("NONE", .none), ("ALL", .every), ("IN", .isIn), ("BETWEEN", .between),
      ("SUBQUERY", .subquery), ("SELF", .itself), ("CONTAINS", .text(.infix)),
      ("BEGINSWITH", .text(.prefix)), ("ENDSWITH", .text(.suffix)), ("LIKE", .text(.pattern)),
      ("GEOWITHIN", .isIn), ("NAN", .decimal(.nan)), ("INF", .decimal(.infinity)),
      ("INFINITY", .decimal(.infinity)),
    ]
    var kinds: [Spelling: PredicateToken.Kind] = [:]
    for (word, kind) in words {
      let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
      if let spelling = Spelling(letters) { kinds[spelling] = kind }
    }
    return kinds
  }()
}

extension PredicateToken.Kind {
  /// The keyword of two signs together.
  init?(symbol first: UInt8, _ second: UInt8) {
    switch (Unicode.Scalar(first), Unicode.Scalar(second)) {
    case ("=", "="): self = .comparator(.equal)
    case ("!", "="), ("<", ">"): self = .comparator(.notEqual)
    case ("<", "="), ("=", "<"): self = .comparator(.lessOrEqual)
    case (">", "="), ("=", ">"): self = .comparator(.greaterOrEqual)
    case ("&", "&"): self = .and
    case ("|", "|"): self = .or
    default: return nil
    }
  }

  init?(symbol: UInt8) {
    switch Unicode.Scalar(symbol) {
    case "=": self = .comparator(.equal)
    case "<": self = .comparator(.less)
    case ">": self = .comparator(.greater)
    case "!": self = .not
    case "(": self = .open
    case ")": self = .close
    case ".": self = .dot
    case ",": self = .comma
    case "{": self = .openBrace
    case "}": self = .closeBrace
    case "[": self = .openBracket
    case "]": self = .closeBracket
    case "*": self = .star
    case "+": self = .plus
    case "-": self = .minus
    case "/": self = .slash
    default: return nil
    }
  }
}
