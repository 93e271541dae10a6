import AtollVocabulary
import CSQLite

/// A value as SQLite has it, in a column of a row or as an argument of a function.
///
/// SQLite calls it unprotected: only the thread that uses the connection may read it, and only as long
/// as the row or the call lasts. So it is found once, however much of it is asked.
struct StoredScalar {
  let handle: OpaquePointer?

  /// The scalar of a type; nil for NULL and for what cannot be of that type.
  @inline(__always)
  func value(_ type: PersistedType) -> PersistedValue {
    guard sqlite3_value_type(handle) != SQLITE_NULL else { return .null }
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

  private var int64: Int64 { sqlite3_value_int64(handle) }

  /// A number, NaN for what stands for it.
  private var double: Double {
    sqlite3_value_type(handle) == SQLITE_BLOB ? .nan : sqlite3_value_double(handle)
  }

  /// The text with every NUL in it; what is not UTF-8 is repaired.
  private var string: String {
    guard let bytes = sqlite3_value_text(handle) else { return "" }
    let count = Int(sqlite3_value_bytes(handle))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  private var bytes: [UInt8] {
    let address = sqlite3_value_blob(handle)
    let count = Int(sqlite3_value_bytes(handle))
    return Array(UnsafeRawBufferPointer(start: address, count: count))
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
