/// Sixteen bytes of a UUID, without Foundation.
package struct UniqueBytes: Hashable, Sendable {
  /// Bytes 0 to 7, big-endian.
  package var high: UInt64
  /// Bytes 8 to 15, big-endian.
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

extension UniqueBytes: Comparable {
  package static func < (a: UniqueBytes, b: UniqueBytes) -> Bool {
    (a.high, a.low) < (b.high, b.low)
  }
}

extension UniqueBytes: CustomStringConvertible {
  /// The form `8-4-4-4-12`, upper-case, as Foundation prints a UUID.
  package var description: String {
    let digits = Array((Hexadecimal.text(high) + Hexadecimal.text(low)).uppercased())
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
      .joined(separator: "-")
  }

  /// Reads `8-4-4-4-12` hexadecimal digits in either case; nil for anything else.
  package init?(_ text: String) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
      let (high, low) = Hexadecimal.pair(groups.joined())
    else { return nil }
    self.init(high: high, low: low)
  }
}

/// The value of one place in a file, a log entry or on the wire: a scalar, or nothing.
///
/// Mapped types of an application end here; nothing below the client library knows of them.
/// Equality is identity of the stored value, type included: one NaN, −0.0 apart from 0.0, and
/// strings by their UTF-8 without Unicode normalisation.
package enum PersistedValue: Sendable {
  case null
  case bool(Bool)
  /// Every integer width; the property's declared width is the client library's business.
  case int(Int64)
  case float(Float)
  case double(Double)
  case string(String)
  case data([UInt8])
  /// Seconds since 2001-01-01 00:00 UTC, the exact `Double` that Foundation's `Date` holds.
  case date(Double)
  case uuid(UniqueBytes)
  case objectId(ObjectId)
  case decimal(Decimal128)
  /// The hidden key of an object whose class declares none; in a box, so that values stay small.
  indirect case identity(ChangeIdentity)

  /// The type, nil for ``null``.
  package var type: PersistedType? {
    switch self {
    case .null: nil
    case .bool: .bool
    case .int: .int
    case .float: .float
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .objectId: .objectId
    case .decimal: .decimal
    case .identity: .identity
    }
  }

  package var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

extension PersistedValue: Hashable {
  package static func == (a: PersistedValue, b: PersistedValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.data(let a), .data(let b)): a == b
    case (.date(let a), .date(let b)): a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
    case (.uuid(let a), .uuid(let b)): a == b
    case (.objectId(let a), .objectId(let b)): a == b
    case (.decimal(let a), .decimal(let b)): a.isIdentical(to: b)
    case (.identity(let a), .identity(let b)): a == b
    case (.null, _), (.bool, _), (.int, _), (.float, _), (.double, _), (.string, _), (.data, _),
      (.date, _), (.uuid, _), (.objectId, _), (.decimal, _), (.identity, _):
      false
    }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    switch self {
    case .null: break
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value.isNaN ? Float.nan.bitPattern : value.bitPattern)
    case .double(let value), .date(let value):
      hasher.combine(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
    case .string(let value):
      for byte in value.utf8 { hasher.combine(byte) }
    case .data(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .objectId(let value): hasher.combine(value)
    case .decimal(let value): value.hashIdentity(into: &hasher)
    case .identity(let value): hasher.combine(value)
    }
  }
}

extension PersistedValue: CustomStringConvertible {
  /// The value as a person would write it; strings quoted, data by its first bytes and length.
  package var description: String {
    switch self {
    case .null: "nil"
    case .bool(let value): String(value)
    case .int(let value): String(value)
    case .float(let value): String(value)
    case .double(let value): String(value)
    case .string(let value): "\"\(value)\""
    case .data(let value):
      "<\(Hexadecimal.text(bytes: value.prefix(16)))\(value.count > 16 ? "…" : ""), "
        + "\(value.count) bytes>"
    case .date(let value): DateText.text(value)
    case .uuid(let value): value.description
    case .objectId(let value): value.description
    case .decimal(let value): value.description
    case .identity(let value): value.description
    }
  }
}
