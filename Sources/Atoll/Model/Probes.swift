import AtollVocabulary

extension PropertyDescriptor {
  /// The number of rounds a key path is tried with; no type has more probes.
  static var probeRounds: Int { 13 }
  /// The first rounds, in which every number is 1: what computes with it can take that.
  static var harmlessRounds: Int { 2 }
}

extension PersistedType {
  /// Values that what is computed from a property tells itself by: a key path to the property gives
  /// each of them unchanged.
  ///
  /// The first numbers are harmless to compute with; later ones are at the ends and between the steps of what
  /// is usual: signs, fractions, letters of both cases, nothing, and very much.
  var probes: [PersistedValue] {
    switch self {
    case .bool: [.bool(true), .bool(false)]
    case .int: integers.map { .int($0) }
    case .float: numbers.map { .float(Float($0)) }
    case .double: numbers.map { .double($0) }
    case .decimal: numbers.map { .decimal(Decimal128($0)) }
    case .string: texts.map { .string($0) }
    case .data:
      [[7], [], [0, 255], Array(repeating: 0, count: 16), Array(repeating: 9, count: 300)]
        .map { .data($0) }
    case .date:
      [1.25, 0, 1e9, -1e9 - 0.5, 86_400, -6.3e10, 6.4e10, 7.5e8 + 0.125].map { .date($0) }
    case .uuid:
      [UniqueBytes(high: 1, low: 1), UniqueBytes(high: .max, low: 5), UniqueBytes(high: 0, low: 0)]
        .map { .uuid($0) }
    case .objectId:
      [ObjectId(high: 1, low: 1), ObjectId(high: .max, low: 5), ObjectId(high: 0, low: 0)]
        .map { .objectId($0) }
    case .any: [.int(1), .string("a"), .bool(false), .double(2.5), .null]
    case .identity, .link, .embedded: []
    }
  }

  private var integers: [Int64] {
    [1, 1, 2, 0, -1, 17, -100, 1000, 70_000, -3_000_000_000, .max, .min]
  }

  private var numbers: [Double] { [1, 1, 2.5, 0, -0.75, 100, -1000.125, 1e9, -1e15, .infinity] }

  private var texts: [String] {
    [
      "a", "GMT", "", " Ab-ç\n", "1", "Z", "https://A.example/b?c=d",
      "00000000-0000-0000-0000-000000000000", String(repeating: "Word, ", count: 60), "1.50",
    ]
  }
}

/// Optionals, whatever they wrap.
private protocol AnyOptionalType { static var wrapped: Any.Type { get } }

extension Optional: AnyOptionalType {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
}

/// Every case of an enum, as stored; nil for another type.
func storedCases(of type: Any.Type) -> [_Stored]? {
  func cases<E: PersistableEnum>(_: E.Type) -> [_Stored] { E.allCases.map { $0._encode() } }
  let type = (type as? any AnyOptionalType.Type)?.wrapped ?? type
  return (type as? any PersistableEnum.Type).map { cases($0) }
}
