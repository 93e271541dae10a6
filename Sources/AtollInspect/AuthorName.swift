import AtollStorage
import AtollVocabulary

/// An author, and the name of its replica.
package struct AuthorName: Codable, Hashable, Sendable {
  package let author: String
  /// The name of the author's replica; nil if nobody named it.
  package let name: String?

  init(_ author: Author, _ names: ReplicaNames) {
    self.author = "\(author)"
    name = names[author.replica]
  }

  /// The name with the whole id; the id alone if there is no name.
  package var text: String { Self.text(author, name) }

  /// The same with the short form of the id.
  package var shortText: String { Self.shortText(author, name) }

  /// The short form of the id alone.
  package var shortAuthor: String { Author(author)?.shortDescription ?? author }

  /// An author's id with a name before it, if there is one: two replicas may have the same.
  package static func text(_ author: String, _ name: String?) -> String {
    name.map { "\($0) (\(author))" } ?? author
  }

  /// The same with the short form of the id.
  package static func shortText(_ author: String, _ name: String?) -> String {
    text(Author(author)?.shortDescription ?? author, name)
  }
}
