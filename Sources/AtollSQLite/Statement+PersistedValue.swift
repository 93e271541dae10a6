package import AtollVocabulary

// How each persisted type is laid out in a column. `Connection` never stores a value in a column of
// another type, so the declared type is enough to read it back exactly.
extension Statement {
  /// Binds a scalar or nil.
  package func bind(_ value: PersistedValue, at index: Int32) {
    switch value {
    case .null: bindNull(at: index)
    case .bool(let value): bind(Int64(value ? 1 : 0), at: index)
    case .int(let value): bind(value, at: index)
    case .float(let value): bind(Double(value), at: index)
    case .double(let value), .date(let value): bind(value, at: index)
    case .string(let value): bind(value, at: index)
    case .data(let value): bind(value, at: index)
    case .uuid(let value): bind(Self.bytes(value.high, value.low), at: index)
    case .objectId(let value): bind(value.bytes, at: index)
    case .decimal(let value): bind(value.orderedBytes, at: index)
    case .identity(let value): bind(Self.bytes(value), at: index)
    }
  }

  /// Reads a scalar of the column's type; nil for NULL and for what cannot be of that type.
  package func value(_ type: PersistedType, at index: Int32) -> PersistedValue {
    guard !isNull(at: index) else { return .null }
    switch type {
    case .bool: return .bool(int64(at: index) != 0)
    case .int, .link, .embedded: return .int(int64(at: index))
    case .float: return .float(Float(double(at: index)))
    case .double: return .double(double(at: index))
    case .date: return .date(double(at: index))
    case .string: return .string(string(at: index))
    case .data: return .data(bytes(at: index))
    case .uuid: return Self.uuid(bytes(at: index)).map(PersistedValue.uuid) ?? .null
    case .objectId: return ObjectId(bytes: bytes(at: index)).map(PersistedValue.objectId) ?? .null
    case .decimal:
      return Decimal128(orderedBytes: bytes(at: index)).map(PersistedValue.decimal) ?? .null
    case .identity: return Self.identity(bytes(at: index)).map(PersistedValue.identity) ?? .null
    case .any: return .null
    }
  }

  /// The SQL type that a column of this type is declared with.
  ///
  /// Numbers with a fraction have none: SQLite would store −0.0 as the integer 0 in a `REAL` column.
  package static func declaredType(_ type: PersistedType) -> String {
    switch type {
    case .bool, .int, .link, .embedded: "INTEGER"
    case .float, .double, .date, .any: ""
    case .string: "TEXT"
    case .data, .uuid, .objectId, .identity, .decimal: "BLOB"
    }
  }

  private static func bytes(_ words: UInt64...) -> [UInt8] {
    words.flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
  }

  /// Author, sequence and index, big-endian, so that the order of bytes is the order of identities.
  private static func bytes(_ identity: ChangeIdentity) -> [UInt8] {
    bytes(
      identity.author.replica.high, identity.author.replica.low,
      identity.author.incarnation.rawValue, identity.sequence.rawValue)
      + bytes(UInt64(identity.index)).suffix(4)
  }

  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func uuid(_ bytes: [UInt8]) -> UniqueBytes? {
    bytes.count == 16
      ? UniqueBytes(high: word(bytes[0..<8]), low: word(bytes[8..<16])) : nil
  }

  private static func identity(_ bytes: [UInt8]) -> ChangeIdentity? {
    guard bytes.count == 36 else { return nil }
    let author = Author(
      replica: ReplicaID(high: word(bytes[0..<8]), low: word(bytes[8..<16])),
      incarnation: Incarnation(word(bytes[16..<24])))
    return ChangeIdentity(
      author: author, sequence: SequenceNumber(word(bytes[24..<32])),
      index: UInt32(truncatingIfNeeded: word(bytes[32..<36])))
  }
}
