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
    StatementColumn(statement: self, index: index).value(type)
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

/// A value as SQLite has it, in a column of a row or as an argument of a function.
protocol StoredScalar {
  var isNull: Bool { get }
  var int64: Int64 { get }
  var double: Double { get }
  var string: String { get }
  var bytes: [UInt8] { get }
}

struct StatementColumn: StoredScalar {
  let statement: Statement
  let index: Int32

  var isNull: Bool { statement.isNull(at: index) }
  var int64: Int64 { statement.int64(at: index) }
  var double: Double { statement.double(at: index) }
  var string: String { statement.string(at: index) }
  var bytes: [UInt8] { statement.bytes(at: index) }
}

extension StoredScalar {
  /// The scalar of a type; nil for NULL and for what cannot be of that type.
  @inline(__always)
  func value(_ type: PersistedType) -> PersistedValue {
    guard !isNull else { return .null }
    switch type {
    case .bool: return .bool(int64 != 0)
    case .int, .link, .embedded: return .int(int64)
    case .float: return .float(Float(double))
    case .double: return .double(double)
    case .date: return .date(double)
    case .string: return .string(string)
    case .data: return .data(bytes)
    case .uuid: return UniqueBytes(stored: bytes).map(PersistedValue.uuid) ?? .null
    case .objectId: return ObjectId(bytes: bytes).map(PersistedValue.objectId) ?? .null
    case .decimal: return Decimal128(orderedBytes: bytes).map(PersistedValue.decimal) ?? .null
    case .identity: return ChangeIdentity(stored: bytes).map(PersistedValue.identity) ?? .null
    case .any: return .null
    }
  }
}

extension UniqueBytes {
  fileprivate init?(stored bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.init(high: word(bytes[0..<8]), low: word(bytes[8..<16]))
  }
}

extension ChangeIdentity {
  fileprivate init?(stored bytes: [UInt8]) {
    guard bytes.count == 36 || bytes.count == 44 else { return nil }
    let author = Author(
      replica: ReplicaID(high: word(bytes[0..<8]), low: word(bytes[8..<16])),
      incarnation: Incarnation(word(bytes[16..<24])), branch: Branch(word(bytes[36...])))
    self.init(
      author: author, sequence: SequenceNumber(word(bytes[24..<32])),
      index: UInt32(truncatingIfNeeded: word(bytes[32..<36])))
  }
}

private func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
  bytes.reduce(0) { $0 << 8 | UInt64($1) }
}
