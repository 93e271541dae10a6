import AtollChanges
import AtollStorage
package import AtollVocabulary

/// A class that was asked for by its name, and the keys of its objects as people write them.
package struct SubjectClass {
  package let stored: StoredClass
  private let file: StoreFile

  init(_ name: String, in file: StoreFile) throws {
    let classes = try file.classes.filter { !$0.isEmbedded }
    guard let found = classes.first(where: { $0.name == name }) else {
      throw InspectionError.noSuchClass(name, path: file.path, known: classes.map(\.name))
    }
    stored = found
    self.file = file
  }

  /// Reads a primary key: `nil`, or a value of the key's type.
  package func key(_ text: String) throws(InspectionError) -> PersistedValue {
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
      throw .noSuchKey(text, class: stored.name, type: "\(stored.keyType)")
    }
    return value
  }

  /// A hidden key as `export` writes it, author, sequence and index with colons between, or in the short
  /// form of `atoll objects`: `1f0c9a2b.07d1:12#3`.
  private func identity(_ text: String) -> ChangeIdentity? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 2 { return identity(ofAuthor: parts[0], numbers: parts[1]) }
    guard parts.count == 3, let author = Author(String(parts[0])), let sequence = UInt64(parts[1]),
      let index = UInt32(parts[2])
    else { return nil }
    return ChangeIdentity(author: author, sequence: SequenceNumber(sequence), index: index)
  }

  /// The short form names any author that begins so: of several, that which made an object here.
  private func identity(ofAuthor short: Substring, numbers: Substring) -> ChangeIdentity? {
    let parts = numbers.split(separator: "#", omittingEmptySubsequences: false)
    guard parts.count == 2, let sequence = UInt64(parts[0]), let index = UInt32(parts[1]),
      let heads = try? file.heads()
    else { return nil }
    let found = heads.map(\.author).filter { $0.shortDescription == short }.map {
      ChangeIdentity(author: $0, sequence: SequenceNumber(sequence), index: index)
    }
    return found.first { (try? file.find(stored.id, key: .identity($0))) != nil } ?? found.first
  }
}

extension Inspection {
  /// The class of that name.
  ///
  /// - Throws: `InspectionError.noSuchClass` with those that there are.
  package func subject(_ name: String) throws -> SubjectClass { try SubjectClass(name, in: file) }
}
