/// The parts of a key path, as its description gives them.
///
/// `\Airport.country?.code` has two, of which the first is chained. Where the description has another
/// form than the one known here there is none, and ``KeyPathNames`` goes by what is read alone.
package struct KeyPathStructure {
  package struct Part: Equatable {
    /// The name of the property; nil where the program's symbols do not tell it.
    package var name: String?
    /// The text of the name, with the place of the getter.
    package var text: String
    package var isChained = false
    package var isForced = false
  }

  package private(set) var parts: [Part]

  package init?(_ path: AnyKeyPath) {
    let root = "\\\(String(describing: type(of: path).rootType))"
    let text = path.debugDescription
    guard text.hasPrefix(root) else { return nil }
    self.init(parts: text.dropFirst(root.count))
  }

  /// From what follows the class, such as `.country?.code`.
  package init?(parts text: Substring) {
    var parts: [Part] = []
    var depth = 0
    for character in text {
      switch character {
      case ".", "?", "!":
        if depth > 0 { break }
        if character == "." {
          parts.append(Part(text: ""))
          continue
        }
        guard !parts.isEmpty else { return nil }
        if character == "?" { parts[parts.count - 1].isChained = true }
        if character == "!" { parts[parts.count - 1].isForced = true }
        continue
      case "<", "(", "[": depth += 1
      case ">", ")", "]": depth -= 1
      default: break
      }
      guard !parts.isEmpty else { return nil }
      parts[parts.count - 1].text.append(character)
    }
    guard depth == 0, parts.allSatisfy({ !$0.text.isEmpty }) else { return nil }
    self.parts = parts.map { part in
      var part = part
      if !part.text.hasPrefix("<") { part.name = part.text }
      return part
    }
    // A chain that makes the whole optional is written as if the last part were chained.
    if !parts.isEmpty { self.parts[parts.count - 1].isChained = false }
  }
}
