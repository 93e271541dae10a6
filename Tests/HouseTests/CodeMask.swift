/// Blanks out what is not code in Swift source, so that the rest can be searched as text.
///
/// Comments, the contents of strings and raw identifiers become spaces; lines and columns stay
/// where they are. What stands in a string's interpolation is code and stays.
struct CodeMask {
  private let source: [UInt8]
  private var output: [UInt8]
  private var index = 0

  static func masked(_ text: String) -> String {
    var mask = CodeMask(text)
    mask.code(untilParenthesis: false)
    return String(decoding: mask.output, as: UTF8.self)
  }

  private init(_ text: String) {
    source = Array(text.utf8)
    output = source
  }

  /// Goes over code to the end, or to the parenthesis that closes an interpolation.
  private mutating func code(untilParenthesis: Bool) {
    var depth = 0
    while index < source.count {
      if starts(with: "//") {
        blank(until: UInt8(ascii: "\n"))
      } else if starts(with: "/*") {
        blockComment()
      } else if starts(with: "`") {
        index += 1
        blank(until: UInt8(ascii: "`"))
        index += 1
      } else if let pounds = poundsOfString() {
        string(pounds: pounds)
      } else {
        if starts(with: "(") { depth += 1 }
        if starts(with: ")") {
          if untilParenthesis && depth == 0 { return }
          depth -= 1
        }
        index += 1
      }
    }
  }

  private mutating func blockComment() {
    var depth = 0
    repeat {
      if starts(with: "/*") {
        depth += 1
        blank(2)
      } else if starts(with: "*/") {
        depth -= 1
        blank(2)
      } else {
        blank(1)
      }
    } while depth > 0 && index < source.count
  }

  /// Returns the number of `#` that open the string which starts here; nil where none starts.
  private func poundsOfString() -> Int? {
    var ahead = index
    while ahead < source.count, source[ahead] == UInt8(ascii: "#") { ahead += 1 }
    guard ahead < source.count, source[ahead] == UInt8(ascii: "\"") else { return nil }
    return ahead - index
  }

  private mutating func string(pounds: Int) {
    index += pounds
    let suffix = String(repeating: "#", count: pounds)
    let quotes = starts(with: "\"\"\"") ? "\"\"\"" : "\""
    index += quotes.utf8.count
    while index < source.count, !starts(with: quotes + suffix) {
      if starts(with: "\\" + suffix + "(") {
        blank(1 + pounds)
        index += 1
        code(untilParenthesis: true)
        index += 1
      } else if starts(with: "\\" + suffix) {
        blank(2 + pounds)
      } else if quotes.utf8.count == 1 && starts(with: "\n") {
        return  // not a string after all
      } else {
        blank(1)
      }
    }
    index += quotes.utf8.count + pounds
  }

  private func starts(with text: String) -> Bool {
    var ahead = index
    for byte in text.utf8 {
      guard ahead < source.count, source[ahead] == byte else { return false }
      ahead += 1
    }
    return true
  }

  private mutating func blank(until end: UInt8) {
    while index < source.count, source[index] != end { blank(1) }
  }

  private mutating func blank(_ count: Int) {
    for _ in 0..<count where index < source.count {
      if source[index] != UInt8(ascii: "\n") { output[index] = UInt8(ascii: " ") }
      index += 1
    }
  }
}
