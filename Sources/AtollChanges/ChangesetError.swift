/// Why bytes are not a changeset, or a changeset is not one that its author could have written.
package struct ChangesetError: Error, Hashable, Sendable {
  /// The kind of offence, for code; the texts are for people.
  package enum Kind: Hashable, Sendable {
    /// The bytes end inside something.
    case truncated
    /// Another format version than this build knows.
    case unknownFormat
    /// A tag that this build does not know.
    case unknownTag
    /// A second way to write something that has a shorter or an ordered one.
    case notCanonical
    /// Text that is not UTF-8.
    case invalidText
    /// A number outside what its field can be.
    case outOfRange
    /// More than ``Limits`` allow.
    case overLimit
    /// A position key that is not a path.
    case invalidPositionKey
    /// A number that the author has not declared.
    case undeclared
    /// A declaration that the author has made before.
    case redeclared
    /// A class, property or value used as what it was not declared to be.
    case mismatched
  }

  /// The place of the offence.
  package enum Place: Hashable, Sendable {
    /// Counted from the first byte of the changeset.
    case byte(Int)
    case dependency(Int)
    case declaration(Int)
    case operation(Int)
  }

  package var kind: Kind
  package var place: Place
  /// The thing that was being read or checked, as a noun: "the generation of an object".
  package var subject: String
  package var found: String
  package var expected: String

  package init(
    _ kind: Kind, at place: Place, _ subject: String, found: String, expected: String
  ) {
    self.kind = kind
    self.place = place
    self.subject = subject
    self.found = found
    self.expected = expected
  }
}

extension ChangesetError: CustomStringConvertible {
  package var description: String {
    "changeset refused at \(place): \(subject): found \(found), expected \(expected)"
  }
}

extension ChangesetError.Place: CustomStringConvertible {
  package var description: String {
    switch self {
    case .byte(let offset): "byte \(offset)"
    case .dependency(let index): "dependency \(index)"
    case .declaration(let index): "declaration \(index)"
    case .operation(let index): "operation \(index)"
    }
  }
}
