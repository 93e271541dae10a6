/// The number of places that text takes in a terminal.
///
/// East Asian wide characters and pictures take two, marks none (Unicode, annex 11).
enum TerminalWidth {
  static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + width($1) }
  }

  private static func width(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    // U+FE0F asks for the picture of a character that is text otherwise.
    let isPicture = first.properties.isEmojiPresentation || scalars.contains { $0.value == 0xFE0F }
    return isPicture || wide.contains { $0.contains(first.value) } ? 2 : 1
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
    0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
    0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1_F300...0x1_F64F, 0x1_F900...0x1_F9FF,
    0x2_0000...0x3_FFFD,
  ]
}
