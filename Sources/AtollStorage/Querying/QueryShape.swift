import AtollQuery
import AtollVocabulary

/// The common part of queries that differ in their constants only, as bytes.
///
/// Constants of different types have different shapes, because statements tell them apart, and so
/// have areas with another number of rectangles around them. Collections of different objects have
/// one shape if they lie in one table. Long lists have none, and their queries are compiled each time.
struct QueryShape {
  /// Longer lists are not worth the memory.
  private static let boundOfValues = 64

  private(set) var bytes: [UInt8] = []
  private(set) var constants: [PersistedValue] = []

  /// `owner` is what has the collection that is queried.
  init?(_ query: StoreQuery, _ output: QueryCompiler.Output, in owner: Container?) {
    guard (query.collection == nil) == (owner == nil) else { return nil }
    bytes.reserveCapacity(96)
    constants.reserveCapacity(8)
    add(owner.map { Int64($0.table.id) } ?? 0)
    switch output {
    case .count: add(1)
    case .ids: add(2)
    case .rows: add(3)
    case .values(let path):
      add(4)
      add(path)
    case .aggregate(let aggregate, let path):
      add(5)
      add(aggregate.word)
      add(path)
    case .cells: add(6)
    case .places: return nil
    }
    guard add(query) else { return nil }
  }

  /// Compares the constants with those of a compiled statement, one by one.
  ///
  /// The shape and the compiler walk the tree each by itself. Only if both met the same constants in the
  /// same order may the statement serve every query of the shape.
  func hasConstants(_ compiled: [PersistedValue]) -> Bool {
    constants.elementsEqual(compiled) { $0 == $1 || $0.isNotANumber && $1.isNotANumber }
  }

  /// Numbers of whatever size, so that none is the beginning of another.
  private mutating func add(_ word: Int64) {
    var rest = UInt64(bitPattern: word << 1 ^ word >> 63)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private mutating func add(_ query: StoreQuery) -> Bool {
    add(Int64(query.source.rawValue))
    add(query.limit != nil || query.offset != 0 ? 1 : 0)
    add(Int64(query.order.count))
    for order in query.order {
      add(order.isAscending ? 1 : 0)
      add(order.path)
    }
    add(Int64(query.distinct.count))
    for path in query.distinct { add(path) }
    guard let base = query.base else {
      add(0)
      return add(query.predicate)
    }
    add(1)
    return add(base) && add(query.predicate)
  }

  private mutating func add(_ predicate: Predicate) -> Bool {
    switch predicate {
    case .always: add(1)
    case .never: add(2)
    case .all(let parts): return add(3, parts)
    case .any(let parts): return add(4, parts)
    case .not(let part):
      add(5)
      return add(part)
    case .comparison(let left, let comparator, let right):
      add(6)
      add(comparator.word)
      return add(left) && add(right)
    case .contained(let left, let values):
      add(7)
      add(Int64(values.count))
      guard values.count <= Self.boundOfValues, add(left) else { return false }
      for value in values where !add(value) { return false }
    case .text(let left, let match, let options, let right):
      add(8)
      add(match.word)
      add(Int64(options.rawValue))
      add(Self.word(right, options))
      return add(left) && add(right)
    case .linked(let path, let rows):
      guard rows.count <= Self.boundOfValues else { return false }
      add(10)
      add(path)
      add(Int64(rows.count))
      constants += rows.map { .int($0.rawValue) }
    case .exists(let collection, let part):
      add(9)
      add(collection)
      return add(part)
    }
    return true
  }

  private mutating func add(_ word: Int64, _ parts: [Predicate]) -> Bool {
    add(word)
    add(Int64(parts.count))
    for part in parts where !add(part) { return false }
    return true
  }

  private mutating func add(_ expression: Predicate.Expression) -> Bool {
    switch expression {
    case .value(let value):
      add(20)
      add(Int64(value.type?.rawValue ?? 0) * 2 + (value.isNotANumber ? 1 : 0))
      constants.append(value)
    case .object(let id, let target):
      add(26)
      add(target.map { Int64($0.rawValue) } ?? -1)
      constants.append(.int(id.rawValue))
    case .keyed(let target, let key):
      add(27)
      add(Int64(target.rawValue))
      constants.append(key)
    case .shape(let shape):
      let constants = shape.constants
      add(28)
      add(Int64(constants.count))
      self.constants += constants
    case .path(let path):
      add(21)
      add(path)
    case .kind(let path):
      add(22)
      add(path)
    case .count(let collection, let part):
      add(23)
      add(collection)
      return add(part)
    case .aggregate(let aggregate, let member, let collection):
      add(24)
      add(aggregate.word)
      add(member)
      add(collection)
    case .computed(let left, let operation, let right):
      add(25)
      add(operation.code)
      return add(left) && add(right)
    }
    return true
  }

  private mutating func add(_ path: PropertyPath) {
    add(Int64(path.scope))
    add(path.isEntryKey ? 1 : 0)
    add(Int64(path.steps.count))
    for step in path.steps {
      switch step {
      case .property(let property): add(31, property)
      case .index(let index):
        add(32)
        add(Int64(index))
      case .origins(let property): add(33, property)
      case .wildcard: add(34)
      case .entry(let key):
        add(35)
        add(Int64(key.utf8.count))
        bytes += key.utf8
      }
    }
  }

  private mutating func add(_ word: Int64, _ property: StoredProperty) {
    add(word)
    add(Int64(property.owner.rawValue))
    add(Int64(property.id.rawValue))
  }

  /// Appends the part of a searched text that the statement depends on.
  private static func word(
    _ expression: Predicate.Expression, _ options: Predicate.TextOptions
  ) -> Int64 {
    switch expression {
    case .value(.string(let text)):
      let needle = options.isEmpty ? text : TextFolding.fold(text, options)
      return needle.isEmpty ? 1 : needle.hasFollowingPrefix ? 0 : 2
    case .value(.data(let bytes)): return bytes.isEmpty ? 1 : 0
    case .value, .object, .keyed, .shape, .path, .kind, .count, .aggregate, .computed: return 0
    }
  }
}

extension Predicate.TextMatch {
  fileprivate var word: Int64 {
    switch self {
    case .prefix: 0
    case .suffix: 1
    case .infix: 2
    case .equal: 3
    case .pattern: 4
    case .search: 5
    }
  }
}

extension Predicate.Comparator {
  fileprivate var word: Int64 {
    switch self {
    case .equal: 0
    case .notEqual: 1
    case .less: 2
    case .lessOrEqual: 3
    case .greater: 4
    case .greaterOrEqual: 5
    }
  }
}

extension Predicate.Aggregate {
  fileprivate var word: Int64 {
    switch self {
    case .minimum: 0
    case .maximum: 1
    case .sum: 2
    case .average: 3
    }
  }
}
