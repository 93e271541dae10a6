import AtollVocabulary
import Foundation

/// One line of `--json`: members in alphabetical order, those without a value left out.
enum JSONLine {
  static func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self).shownAsJSON
  }
}
