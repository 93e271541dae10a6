package import AtollVocabulary

extension StoreFile {
  /// Returns the names of replicas, fit to be printed.
  package func replicaNames() throws(StorageError) -> ReplicaNames {
    var names: [ReplicaID: String] = [:]
    for member in try describedMembers() { names[member.replica] = member.name }
    return ReplicaNames(names)
  }
}

/// The names of replicas; anybody may have written them.
package struct ReplicaNames {
  private let names: [ReplicaID: String]

  package init(_ names: [ReplicaID: String]) { self.names = names }

  /// Those that have a name, ascending by id.
  package var replicas: [ReplicaID] { names.keys.sorted() }

  /// The name, cut to the limit, with nothing in it that a terminal obeys; nil if there is none.
  package subscript(replica: ReplicaID) -> String? {
    guard let name = names[replica] else { return nil }
    var shown = String.UnicodeScalarView()
    var size = 0
    for scalar in name.unicodeScalars {
      size += UTF8.width(scalar)
      guard size <= Limits.replicaNameBytes else { break }
      shown.append(Self.isSafe(scalar) ? scalar : "\u{FFFD}")
    }
    let text = String(shown).split(separator: " ").joined(separator: " ")
    return text.isEmpty ? nil : text
  }

  /// An author by its replica's name, if it has one, and always by its id.
  package func text(_ author: Author) -> String { text(author.replica, id: "\(author)") }

  /// The same with the short form of the id.
  package func shortText(_ author: Author) -> String {
    text(author.replica, id: author.shortDescription)
  }

  /// A replica by its name, if it has one, and always by its id.
  package func text(_ replica: ReplicaID) -> String { text(replica, id: "\(replica)") }

  /// A name never stands alone: two replicas may have the same.
  private func text(_ replica: ReplicaID, id: String) -> String {
    self[replica].map { "\($0) (\(id))" } ?? id
  }

  /// Letters, marks, digits, punctuation, symbols and the plain space; no controls, no changes of
  /// direction, no separators of lines.
  private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber,
      .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol,
      .modifierSymbol, .otherSymbol:
      true
    case .spaceSeparator: scalar == " "
    case .lineSeparator, .paragraphSeparator, .control, .format, .surrogate, .privateUse,
      .unassigned:
      false
    @unknown default: false
    }
  }
}
