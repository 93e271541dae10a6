import AtollStorage
import AtollVocabulary

/// One cell of an object, as text.
package struct ObjectCell: Codable, Hashable, Sendable {
  package enum Kind: String, Codable, Hashable, Sendable {
    /// A nil.
    case null
    /// A value of ``ObjectCell/type``; of a link, the key of its target.
    case value
    /// An embedded object that is there, with columns of its own.
    case object
    /// No embedded object, where one could be.
    case absent
    /// A list, set or map; the text is the number of its elements.
    case collection
    /// An any-typed slot with something that is no value; the text says what.
    case nested
  }

  package let kind: Kind
  /// The type of a value, as a schema names it; nil for what is none.
  package let type: String?
  /// Strings as they are, and other values as a person would write them; empty for nil and objects.
  package let text: String

  init(_ cell: ShownCell) {
    switch cell {
    case .value(.null): self.init(.null, "")
    case .value(.string(let text)): self.init(.value, text, type: .string)
    case .value(let value): self.init(.value, value.description, type: value.type)
    case .presence(let isThere): self.init(isThere ? .object : .absent, "")
    case .count(let count): self.init(.collection, "\(count)")
    case .kind(let words): self.init(.nested, words)
    }
  }

  private init(_ kind: Kind, _ text: String, type: PersistedType? = nil) {
    self.kind = kind
    self.type = type?.description
    self.text = text
  }
}
