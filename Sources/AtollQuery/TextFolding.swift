@_spi(_Unicode) import Swift

/// The folding of two strings before they are compared without case or diacritics.
///
/// By Unicode, not ASCII only: `ß` and `SS` are one without case, `é` and `e` without diacritics.
/// Case goes by the full mappings of each scalar, to upper case and back; diacritics are the
/// nonspacing marks of the canonical decomposition, which the standard library keeps behind `_nfd`.
package enum TextFolding {
  package static func fold(_ text: String, _ options: Predicate.TextOptions) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      return options.contains(.ignoresCase) ? text.lowercased() : text
    }
    var folded = text
    if options.contains(.ignoresDiacritics) {
      var scalars = String.UnicodeScalarView()
      for scalar in folded._nfd where scalar.properties.generalCategory != .nonspacingMark {
        scalars.append(scalar)
      }
      folded = String(scalars)
    }
    if options.contains(.ignoresCase) { folded = folded.uppercased().lowercased() }
    return folded
  }

  /// Tells whether a text looks like a pattern: `*` any scalars, `?` one, a backslash takes the next as is.
  package static func matches(
    _ text: String, _ pattern: String, _ options: Predicate.TextOptions
  ) -> Bool {
    let tokens = tokens(of: pattern, options)
    let scalars = Array(fold(text, options).unicodeScalars)
    var (index, place) = (0, 0)
    var star: (place: Int, index: Int)?
    while index < scalars.count {
      if place < tokens.count, tokens[place].matches(scalars[index]) {
        index += 1
        place += 1
      } else if place < tokens.count, tokens[place] == .many {
        star = (place, index)
        place += 1
      } else if let last = star {
        // The last star takes one scalar more.
        star = (last.place, last.index + 1)
        index = last.index + 1
        place = last.place + 1
      } else {
        return false
      }
    }
    return tokens[place...].allSatisfy { $0 == .many }
  }

  private enum Token: Equatable {
    case one, many
    case exactly(Unicode.Scalar)

    func matches(_ scalar: Unicode.Scalar) -> Bool {
      switch self {
      case .one: true
      case .many: false
      case .exactly(let own): own == scalar
      }
    }
  }

  private static func tokens(of pattern: String, _ options: Predicate.TextOptions) -> [Token] {
    var tokens: [Token] = []
    var isEscaped = false
    for scalar in fold(pattern, options).unicodeScalars {
      switch scalar {
      case "\\" where !isEscaped: isEscaped = true
      case "*" where !isEscaped: tokens.append(.many)
      case "?" where !isEscaped: tokens.append(.one)
      default:
        tokens.append(.exactly(scalar))
        isEscaped = false
      }
    }
    if isEscaped { tokens.append(.exactly("\\")) }
    return tokens
  }
}
