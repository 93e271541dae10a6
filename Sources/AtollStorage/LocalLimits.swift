import AtollVocabulary

/// Refuses before it is merged what every peer would refuse.
///
/// A changeset that nobody takes would hold back all that its author writes afterwards.
enum LocalLimits {
  /// Refuses a string or data that is longer than peers accept.
  static func checkSize(
    of value: PersistedValue, limit: Int, _ what: @autoclosure () -> String
  ) throws {
    let size =
      switch value {
      case .string(let text): text.utf8.count
      case .data(let bytes): bytes.count
      case .null, .bool, .int, .float, .double, .date, .uuid, .objectId, .decimal, .identity: 0
      }
    guard size <= limit else {
      throw StorageError.tooLarge(what: what(), size: size, limit: limit)
    }
  }

  /// Refuses embedded objects that lie deeper in one another than peers accept.
  static func checkDepth(_ depth: Int, of property: StoredProperty) throws {
    guard depth <= Limits.nestingDepth else {
      throw StorageError.tooLarge(
        what: "embedded objects inside one another in \(property.name)", size: depth,
        limit: Limits.nestingDepth)
    }
  }

  /// Refuses lists and maps that lie deeper in one another than peers accept.
  static func checkNesting(_ value: NewValue, inside path: FieldPath, isElement: Bool) throws {
    let around = path.nested.map { $0.count + (path.property.collection == .none ? 1 : 0) } ?? 0
    let depth = (isElement ? around : 0) + value.nestingDepth
    guard depth <= Limits.nestingDepth else {
      throw StorageError.tooLarge(
        what: "lists and maps inside one another in \(path.property.name)", size: depth,
        limit: Limits.nestingDepth)
    }
  }

  /// Refuses a changeset that no peer would take; a transaction goes on in another long before, unless a
  /// single operation is as large.
  static func checkSize(ofChangeset bytes: [UInt8]) throws {
    guard bytes.count <= Limits.changesetBytes else {
      throw StorageError.tooLarge(
        what: "what one operation writes", size: bytes.count, limit: Limits.changesetBytes)
    }
  }
}
