import Atoll
import AtollVocabulary
import Foundation

/// A stored value as plain Swift, compared the slow and obvious way.
indirect enum Plain {
  case null
  case bool(Bool)
  case int(Int)
  case float(Float)
  case double(Double)
  case decimal(Decimal128)
  case string(String)
  case data([UInt8])
  case date(Double)
  case uuid(UUID)
  case objectId(ObjectId)
  case spot(Spot)
  case list([Plain])
  case map([String: Plain])
}

enum Sign: CaseIterable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

  static let equalities: [Sign] = [.equal, .notEqual]

  var text: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }

  /// Two-valued: nil equals nil, and is at least and at most nil; nil, NaN and values of different
  /// kinds have no order otherwise.
  func holds(_ a: Plain, _ b: Plain) -> Bool {
    switch self {
    case .equal: a.equals(b)
    case .notEqual: !a.equals(b)
    case .less: a.isLess(b)
    case .lessOrEqual: a.isLess(b) || a.equals(b)
    case .greater: b.isLess(a)
    case .greaterOrEqual: b.isLess(a) || a.equals(b)
    }
  }
}

extension Plain {
  var isNull: Bool { if case .null = self { true } else { false } }

  var isNaN: Bool {
    switch self {
    case .float(let value): value.isNaN
    case .double(let value): value.isNaN
    case .decimal(let value): value.isNaN
    default: false
    }
  }

  /// A number by its value, whatever its type.
  fileprivate var number: Decimal128? {
    switch self {
    case .int(let value): Decimal128(value)
    case .float(let value): Plain.double(Double(value)).number
    case .double(let value): Int64(exactly: value).map { Decimal128($0) } ?? Decimal128(value)
    case .decimal(let value): value
    default: nil
    }
  }

  func equals(_ other: Plain) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.float(let a), .float(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.string(let a), .string(let b)): Array(a.utf8) == Array(b.utf8)
    case (.data(let a), .data(let b)): a == b
    case (.date(let a), .date(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.objectId(let a), .objectId(let b)): a == b
    case (.spot(let a), .spot(let b)): a == b
    default:
      if let a = number, let b = other.number { !isNaN && !other.isNaN && a == b } else { false }
    }
  }

  func isLess(_ other: Plain) -> Bool {
    switch (self, other) {
    case (.bool(let a), .bool(let b)): return !a && b
    case (.float(let a), .float(let b)): return a < b
    case (.double(let a), .double(let b)): return a < b
    case (.string(let a), .string(let b)): return a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.data(let a), .data(let b)): return a.lexicographicallyPrecedes(b)
    case (.date(let a), .date(let b)): return a < b
    case (.uuid(let a), .uuid(let b)):
      return Plain.bytes(a).lexicographicallyPrecedes(Plain.bytes(b))
    case (.objectId(let a), .objectId(let b)): return a < b
    default:
      guard !isNaN, !other.isNaN, let a = number, let b = other.number else { return false }
      return a < b
    }
  }

  private static func bytes(_ uuid: UUID) -> [UInt8] {
    withUnsafeBytes(of: uuid.uuid) { Array($0) }
  }

  /// The rank of a kind in an order: nil, then bool, numbers, and so on.
  private var rank: Int {
    switch self {
    case .null: 0
    case .bool: 1
    case .int, .float, .double, .decimal: 2
    case .string: 3
    case .data: 4
    case .date: 5
    case .objectId: 6
    case .uuid: 7
    case .spot: 8
    case .list: 9
    case .map: 10
    }
  }

  /// Tells whether results that are sorted have this before the other: nil first.
  ///
  /// NaN is last in a column of numbers, and before the numbers in one of any type.
  func comesBefore(_ other: Plain, isAny: Bool) -> Bool {
    if rank != other.rank { return rank < other.rank }
    if isNaN || other.isNaN { return isAny ? isNaN && !other.isNaN : !isNaN && other.isNaN }
    return isLess(other)
  }
}

// MARK: - Text

enum Search: CaseIterable {
  case contains, starts, ends, like, equals

  var text: String {
    switch self {
    case .contains: "CONTAINS"
    case .starts: "BEGINSWITH"
    case .ends: "ENDSWITH"
    case .like: "LIKE"
    case .equals: "=="
    }
  }

  /// Nil and the empty text are in nothing; only nil is equal to nil.
  func holds(_ value: Plain, _ needle: Plain, _ options: StringOptions) -> Bool {
    switch (value, needle) {
    case (.string(let value), .string(let needle)):
      holds(Search.fold(value, options), Search.fold(needle, options))
    case (.data(let value), .data(let needle)): holds(value, needle)
    case (.null, .null): self == .equals
    default: false
    }
  }

  private static func fold(_ text: String, _ options: StringOptions) -> [UInt32] {
    var text = text
    if options.contains(.diacriticInsensitive) {
      let marks = text.decomposedStringWithCanonicalMapping.unicodeScalars
        .filter { $0.properties.generalCategory != .nonspacingMark }
      text = String(String.UnicodeScalarView(marks))
    }
    if options.contains(.caseInsensitive) { text = text.uppercased().lowercased() }
    return text.unicodeScalars.map(\.value)
  }

  private func holds<T: BinaryInteger>(_ value: [T], _ needle: [T]) -> Bool {
    switch self {
    case .contains:
      !needle.isEmpty && value.indices.contains { value[$0...].starts(with: needle) }
    case .starts: !needle.isEmpty && value.starts(with: needle)
    case .ends: !needle.isEmpty && value.reversed().starts(with: needle.reversed())
    case .equals: value == needle
    case .like: Search.isLike(value[...], needle[...])
    }
  }

  private static func isLike<T: BinaryInteger>(_ a: ArraySlice<T>, _ b: ArraySlice<T>) -> Bool {
    guard let first = b.first else { return a.isEmpty }
    if first == 42 { return isLike(a, b.dropFirst()) || !a.isEmpty && isLike(a.dropFirst(), b) }
    if first == 92, let meant = b.dropFirst().first {
      return a.first == meant && isLike(a.dropFirst(), b.dropFirst(2))
    }
    guard let next = a.first, first == 63 || first == next else { return false }
    return isLike(a.dropFirst(), b.dropFirst())
  }
}

// MARK: - Aggregates

enum Aggregate: CaseIterable {
  case minimum, maximum, sum, average

  var text: String {
    switch self {
    case .minimum: "@min"
    case .maximum: "@max"
    case .sum: "@sum"
    case .average: "@avg"
    }
  }

  /// Of values of one type: nil counts for nothing, and NaN for nothing in the least and the greatest.
  func of(_ values: [Plain]) -> Plain {
    let there = values.filter { !$0.isNull }
    let numbers = there.filter { !$0.isNaN }
    switch self {
    case .minimum: return numbers.min { $0.isLess($1) } ?? .null
    case .maximum: return numbers.max { $0.isLess($1) } ?? .null
    case .sum: return there.isEmpty ? .int(0) : there.dropFirst().reduce(there[0], Self.add)
    case .average:
      guard let first = there.first else { return .null }
      let sum = there.dropFirst().reduce(first, Self.add)
      switch sum {
      case .int(let sum): return .double(Double(sum) / Double(there.count))
      case .float(let sum): return .double(Double(sum) / Double(there.count))
      case .double(let sum): return .double(sum / Double(there.count))
      case .decimal(let sum): return .decimal(sum / Decimal128(there.count))
      default: return .null
      }
    }
  }

  /// Of any-typed values: the least and greatest by kind, the rest of the numbers as decimals.
  func ofAny(_ values: [Plain]) -> Plain {
    let numbers = values.compactMap(\.number)
    switch self {
    case .minimum, .maximum:
      let there = values.filter { !$0.isNull && !$0.isNaN }
      return there.dropFirst().reduce(there.first ?? .null) { best, value in
        let isBefore = value.comesBefore(best, isAny: true)
        let isAfter = best.comesBefore(value, isAny: true)
        return (self == .minimum ? isBefore : isAfter) ? value : best
      }
    case .sum: return .decimal(numbers.reduce(.zero, +))
    case .average:
      let sum = numbers.reduce(.zero, +)
      return numbers.isEmpty ? .null : .decimal(sum / Decimal128(numbers.count))
    }
  }

  private static func add(_ a: Plain, _ b: Plain) -> Plain {
    switch (a, b) {
    case (.int(let a), .int(let b)): .int(a &+ b)
    case (.float(let a), .float(let b)): .float(a + b)
    case (.double(let a), .double(let b)): .double(a + b)
    case (.decimal(let a), .decimal(let b)): .decimal(a + b)
    default: .null
    }
  }
}
