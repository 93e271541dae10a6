import Atoll
import Foundation
import TestKit

/// A full-text search as the documentation describes it, and its text.
struct PlainSearch {
  private struct Term {
    /// As typed, without the signs around it.
    var raw: String
    var isPhrase: Bool
    var isOpen: Bool
    var isUnwanted: Bool

    var text: String {
      (isUnwanted ? "-" : "") + (isPhrase ? "\"\(raw)\"" : raw) + (isOpen ? "*" : "")
    }
  }

  private var terms: [Term]
  let text: String

  init(_ random: inout SeededRandom) {
    terms = (0..<1 + random.below(3)).map { _ in
      let isPhrase = random.chance(1, of: 3)
      let pool = isPhrase ? TextLeaves.phrases : TextLeaves.terms
      return Term(
        raw: pool[random.below(pool.count)], isPhrase: isPhrase, isOpen: random.chance(1, of: 4),
        isUnwanted: random.chance(1, of: 4))
    }
    text = terms.map(\.text).joined(separator: random.chance(1, of: 2) ? " " : "\n  ")
  }

  func holds(_ value: Plain) -> Bool {
    guard case .string(let text) = value else { return false }
    let words = Self.words(text)
    let named = terms.filter { !Self.words($0.raw).isEmpty }
    return named.contains { !$0.isUnwanted } && named.allSatisfy { $0.isUnwanted != has($0, words) }
  }

  private func has(_ term: Term, _ words: [[UInt8]]) -> Bool {
    let sought = Self.words(term.raw)
    func isAt(_ place: Int, _ index: Int) -> Bool {
      guard words.indices.contains(place) else { return false }
      return term.isOpen && index == sought.count - 1
        ? words[place].starts(with: sought[index]) : words[place] == sought[index]
    }
    if term.isPhrase {
      return words.indices.contains { start in
        sought.indices.allSatisfy { isAt(start + $0, $0) }
      }
    }
    return sought.indices.allSatisfy { index in words.indices.contains { isAt($0, index) } }
  }

  /// Runs of letters, marks and numbers, without case and diacritics.
  private static func words(_ text: String) -> [[UInt8]] {
    let marks = text.decomposedStringWithCanonicalMapping.unicodeScalars
      .filter { $0.properties.generalCategory != .nonspacingMark }
    let folded = String(String.UnicodeScalarView(marks)).uppercased().lowercased()
    return folded.unicodeScalars.split { !CharacterSet.alphanumerics.contains($0) }
      .map { Array(String(String.UnicodeScalarView($0)).utf8) }
  }
}

/// Texts with a full-text index, and searches for their words.
enum TextLeaves {
  static let texts = [
    "", "-", "Zürich Airport", "zurich-kloten", "ZURICH lake, side", "lake side", "side lake",
    "the lake side of Zu\u{308}rich", "Straße", "STRASSE 12", "中文 字", "a\0b", "don't", "NOT AND OR",
    "\"quoted\" words*", "été", "E\u{301}TE\u{301}", "l'œuvre", "½ 12½", "हिन्दी भाषा", "x",
  ]
  fileprivate static let terms = [
    "zurich", "ZÜRICH", "zu", "air", "Airport", "lake", "side", "strasse", "Straße", "12", "中",
    "中文",
    "a", "b", "don't", "dont", "not", "AND", "OR", "quoted", "été", "ete", "zurich-kloten",
    "kloten/zurich", "(", "'", "^x", "x:", "words", "½", "भाषा", "œ", "",
  ]
  fileprivate static let phrases = [
    "lake side", "side lake", "zürich  airport", "LAKE, SIDE", "not and", "and or", "lake", "",
    "side of", "don t", "12½", "the lake si",
  ]

  private static var values: [(Plain, String)] { texts.map { (.string($0), $0) } }

  static var properties: [DrawnProperty] {
    let words = Column("words", \Wide.words, values)
    let wordsOrNil = Column("wordsOrNil", \Wide.wordsOrNil, Values.orNil(values))
    let label = Column("label", \Wide.label, values.map { ($0.0, Tag($0.1)) })
    return [
      Columns.one(words, words.ordered() + [words.search, words.fullText, words.fullText]),
      Columns.one(wordsOrNil, wordsOrNil.makers + [wordsOrNil.fullText, wordsOrNil.fullText]),
      Columns.one(label, label.makers + [label.fullText]),
    ]
  }
}

extension Column where V.PersistedType: _TextSearchable {
  func fullText(_ way: Way, _ random: inout SeededRandom) -> Leaf {
    let search = PlainSearch(&random)
    return Leaf(
      "\(side(way)) TEXT %@", [search.text], holds: some(way) { search.holds($0) },
      query: { way.query($0, path).search(search.text) })
  }
}
