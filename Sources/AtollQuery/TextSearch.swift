import AtollVocabulary

/// The words that a person looks for in texts: `zurich -airport "lake side" kan*`.
///
/// Terms are parted by white space, and a text has all of them. `-` before a term excludes texts that
/// have it; a term in quotation marks is a phrase, words that follow one another; `*` after a term lets
/// its last word go on. A term of several words without quotation marks (`full-text`) is all of
/// them, anywhere. Whatever else is typed has no meaning: there is no text that is not a search.
/// Without a term that must be there nothing is found.
package struct TextSearch: Hashable {
  struct Term: Hashable {
    var words: [String]
    var isPhrase = false
    /// True if the last word may go on.
    var isOpen = false
  }

  private(set) var wanted: [Term] = []
  private(set) var unwanted: [Term] = []

  package init(_ text: String) {
    var rest = text[...]
    var left = Limits.searchWords
    while left > 0 {
      rest = rest.drop(while: \.isWhitespace)
      guard !rest.isEmpty else { return }
      let isUnwanted = rest.first == "-"
      if isUnwanted { rest.removeFirst() }
      var term = Self.term(&rest)
      term.words = Array(term.words.prefix(left))
      left -= term.words.count
      guard !term.words.isEmpty else { continue }
      if isUnwanted { unwanted.append(term) } else { wanted.append(term) }
    }
  }

  /// Takes one term off the text, without a sign before it.
  private static func term(_ rest: inout Substring) -> Term {
    var term = Term(words: [])
    let raw: Substring
    if rest.first == "\"" {
      rest.removeFirst()
      raw = rest.prefix { $0 != "\"" }
      rest = rest.dropFirst(raw.count + 1)
      term.isPhrase = true
      if rest.first == "*" {
        rest.removeFirst()
        term.isOpen = true
      }
    } else {
      raw = rest.prefix { !$0.isWhitespace && $0 != "\"" }
      rest = rest.dropFirst(raw.count)
      term.isOpen = raw.last == "*"
    }
    term.words = SearchWords.words(in: raw)
    return term
  }

  /// The search in the language of FTS5.
  ///
  /// It consists of words and of what is written here, and words have no sign in them: what a person
  /// typed is never read as that language.
  package var expression: String {
    // A phrase without words, which is nowhere; an empty expression would be an error.
    guard !wanted.isEmpty else { return "\"\"" }
    let all = wanted.map(\.expression).joined(separator: " AND ")
    guard !unwanted.isEmpty else { return all }
    return "(\(all)) NOT (\(unwanted.map(\.expression).joined(separator: " OR ")))"
  }
}

extension TextSearch.Term {
  fileprivate var expression: String {
    let end = isOpen ? " *" : ""
    if isPhrase { return "\"\(words.joined(separator: " "))\"\(end)" }
    let parts = words.dropLast().map { "\"\($0)\"" } + words.suffix(1).map { "\"\($0)\"\(end)" }
    return parts.count == 1 ? parts[0] : "(\(parts.joined(separator: " AND ")))"
  }
}
