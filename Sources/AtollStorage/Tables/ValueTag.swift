import AtollVocabulary

/// The tag in the column beside an any-typed value.
///
/// ```
///  NULL       nil
///  1 … 13     a scalar: the raw value of its type
///  21, 23     a list or map; what it holds is in the slot's own table
///  below 0    a link: the number of the target's class, negative; the value is the target's row
/// ```
enum ValueTag {
  private static let collections: Int64 = 20

  static func link(_ target: ClassID) -> Int64 { -Int64(target.rawValue) }

  static func collection(_ kind: CollectionKind) -> Int64 { collections + Int64(kind.rawValue) }

  static func scalar(_ value: PersistedValue) -> Int64? {
    value.type.map { Int64($0.rawValue) }
  }

  /// Tags from this on are collections'.
  static let firstCollection = collections + 1

  /// The kind of collection that a tag says is held; nil for all other tags.
  static func kind(_ tag: Int64) -> CollectionKind? {
    guard tag > collections, let raw = UInt8(exactly: tag - collections) else { return nil }
    return CollectionKind(rawValue: raw)
  }

  /// The class that a tag says is linked to; nil for all other tags.
  static func target(_ tag: Int64) -> ClassID? {
    tag < 0 ? ClassID(Int32(truncatingIfNeeded: -tag)) : nil
  }

  /// The type of scalar that a tag says is held; nil for all other tags.
  static func type(_ tag: Int64) -> PersistedType? {
    UInt8(exactly: tag).flatMap(PersistedType.init)
  }
}
