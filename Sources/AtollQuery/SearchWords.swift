/// The words of a text, as full-text search knows them.
///
/// A text is folded as `[cd]` folds it (``TextFolding``): without case and without diacritics, by
/// Unicode. A word is then a longest run of letters, marks and digits (general categories L, M and
/// N); everything else parts words. So `Zürich-Kloten` has the words `zurich` and `kloten`, and a
/// run of Chinese characters is one word. Defined here rather than by a tokenizer of SQLite's, so that
/// every version and every evaluator finds the same.
package enum SearchWords {
  /// The words in their order, with one space between.
  package static func joined(in text: String) -> String {
    var text = text
    if let joined = text.withUTF8({ ascii($0) }) { return joined }
    var words = String.UnicodeScalarView()
    var isInWord = false
    let folded = TextFolding.fold(text, [.ignoresCase, .ignoresDiacritics])
    for scalar in folded.unicodeScalars {
      if isWord(scalar) {
        if !isInWord, !words.isEmpty { words.append(" ") }
        words.append(scalar)
        isInWord = true
      } else {
        isInWord = false
      }
    }
    return String(words)
  }

  package static func words(in text: some StringProtocol) -> [String] {
    joined(in: String(text)).split(separator: " ").map(String.init)
  }

  /// The same of a text in ASCII; nil for any other.
  private static func ascii(_ text: UnsafeBufferPointer<UInt8>) -> String? {
    var words: [UInt8] = []
    words.reserveCapacity(text.count)
    var isInWord = false
    for byte in text {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A:
        if !isInWord, !words.isEmpty { words.append(0x20) }
        words.append(byte < 0x61 && byte > 0x40 ? byte | 0x20 : byte)
        isInWord = true
      case ..<0x80: isInWord = false
      default: return nil
      }
    }
    return String(decoding: words, as: UTF8.self)
  }

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: false
    }
  }
}
