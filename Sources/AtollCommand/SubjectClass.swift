import AtollStorage
import AtollVocabulary

/// A class that a command was given the name of, and the keys of its objects as people write them.
struct SubjectClass {
  let stored: StoredClass

  init(_ name: String, in file: StoreFile, at path: String) throws {
    let classes = try file.classes.filter { !$0.isEmbedded }
    guard let found = classes.first(where: { $0.name == name }) else {
      throw CommandError.noSuchClass(name, path: path, known: classes.map(\.name))
    }
    stored = found
  }

  /// Reads a primary key: `nil`, or a value of the key's type.
  func key(_ text: String) throws -> PersistedValue {
    if text == "nil", stored.keyType != .string { return .null }
    let value: PersistedValue? =
      switch stored.keyType {
      case .int: Int64(text).map { .int($0) }
      case .string: .string(text)
      case .bool: Bool(text).map { .bool($0) }
      case .uuid: UniqueBytes(text).map { .uuid($0) }
      case .objectId: ObjectId(text).map { .objectId($0) }
      case .identity: identity(text).map { .identity($0) }
      case .float, .double, .date, .data, .decimal, .any, .link, .embedded: nil
      }
    guard let value else {
      throw CommandError.noSuchKey(text, class: stored.name, type: "\(stored.keyType)")
    }
    return value
  }

  /// A hidden key as `export` writes it: author, sequence and index, with colons between.
  private func identity(_ text: String) -> ChangeIdentity? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let author = Author(String(parts[0])), let sequence = UInt64(parts[1]),
      let index = UInt32(parts[2])
    else { return nil }
    return ChangeIdentity(author: author, sequence: SequenceNumber(sequence), index: index)
  }
}
