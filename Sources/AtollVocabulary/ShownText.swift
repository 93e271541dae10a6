// Text that comes from peers or files and is shown to people: on a terminal, or in a log. A terminal obeys
// control characters, and characters that change the direction of writing make a line read as another.

extension Unicode.Scalar {
  /// Tells whether a terminal or the order of writing obeys it, or it begins another line.
  ///
  /// The two joiners are no danger, and needed: in emoji, and in Persian.
  package var isObeyed: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
    case .format: value != 0x200C && value != 0x200D
    default: false
    }
  }
}

extension StringProtocol {
  /// The text on one line, with escapes such as `\u{1B}` for what is obeyed.
  package var shownOnOneLine: String { shown { $0.isObeyed } }

  /// The same with its lines and tabs.
  package var shownOnLines: String { shown { $0.isObeyed && $0 != "\n" && $0 != "\t" } }

  /// A JSON text, with `\u` escapes for what is obeyed in its strings; it means the same.
  package var shownAsJSON: String {
    guard unicodeScalars.contains(where: { $0.isObeyed && $0 != "\n" }) else { return String(self) }
    return unicodeScalars.map { scalar in
      guard scalar.isObeyed, scalar != "\n" else { return String(scalar) }
      return String(scalar).utf16.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined()
    }.joined()
  }

  private func shown(_ isEscaped: (Unicode.Scalar) -> Bool) -> String {
    guard unicodeScalars.contains(where: isEscaped) else { return String(self) }
    return unicodeScalars.map { isEscaped($0) ? $0.escaped(asASCII: true) : String($0) }.joined()
  }
}
