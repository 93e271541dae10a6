package import AtollVocabulary
import CSQLite

// The layout of each persisted type in a column. `Connection` never stores a value in a column of
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
    StoredScalar(handle: sqlite3_column_value(handle, index)).value(type)
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

  /// Author, sequence and index, big-endian, so that the order of bytes is the order of identities;
  /// eight bytes of branch at the end where there is one.
  private static func bytes(_ identity: ChangeIdentity) -> [UInt8] {
    bytes(
      identity.author.replica.high, identity.author.replica.low,
      identity.author.incarnation.rawValue, identity.sequence.rawValue)
      + bytes(UInt64(identity.index)).suffix(4)
      + (identity.author.branch == .none ? [] : bytes(identity.author.branch.rawValue))
  }

}
