import AtollSQLite
import AtollVocabulary

/// The statement of all queries of one ``QueryShape``, and what is bound to it.
final class QueryPlan {
  enum Binding {
    /// Of the query itself; there is none in plans.
    case fixed
    /// The key of a map's entry, which is part of the shape.
    case key(String)
    case constant(Int, QueryConstant.Conversion)
    case limit, offset
  }

  let sql: String
  private let recipe: [Binding]
  /// See ``QueryCompiler/asksSearchIndex``.
  let asksSearchIndex: Bool

  init(sql: String, recipe: [Binding], asksSearchIndex: Bool) {
    self.sql = sql
    self.recipe = recipe
    self.asksSearchIndex = asksSearchIndex
  }

  /// Whether the statement says nothing that another query of the shape would say otherwise.
  var isWhole: Bool {
    recipe.allSatisfy { if case .fixed = $0 { false } else { true } }
  }

  func bind(_ statement: Statement, _ constants: [PersistedValue], _ query: StoreQuery) {
    for (index, binding) in recipe.enumerated() {
      let value: PersistedValue =
        switch binding {
        case .fixed: .null
        case .key(let key): .string(key)
        case .constant(let place, let conversion): conversion(constants[place])
        case .limit: query.limitValue
        case .offset: query.offsetValue
        }
      statement.bind(value, at: Int32(index + 1))
    }
  }
}

/// The plans of a file's queries, as of one generation of its catalog.
final class QueryPlans {
  private static let bound = 256
  private var plans: [[Int64]: QueryPlan] = [:]
  private var generation: Int64 = 0

  func plan(for shape: QueryShape, at generation: Int64) -> QueryPlan? {
    generation == self.generation ? plans[shape.words] : nil
  }

  func keep(_ plan: QueryPlan, for shape: QueryShape, at generation: Int64) {
    guard plan.isWhole else { return }
    if generation != self.generation || plans.count >= Self.bound { plans = [:] }
    self.generation = generation
    plans[shape.words] = plan
  }
}

/// What two queries have in common that differ in their constants only, as words.
///
/// Constants of different types have different shapes, because statements tell them apart. Queries
/// of one object's collection, of what links to some rows, and of areas have no shape: they are
/// compiled each time.
struct QueryShape {
  /// Longer lists are not worth the memory.
  private static let boundOfValues = 64

  private(set) var words: [Int64] = []
  private(set) var constants: [PersistedValue] = []

  init?(_ query: StoreQuery, _ output: QueryCompiler.Output) {
    guard query.base == nil, query.collection == nil, query.distinct.isEmpty else { return nil }
    words.reserveCapacity(32)
    switch output {
    case .count: words.append(1)
    case .ids: words.append(2)
    case .rows: words.append(3)
    case .places, .cells, .values, .aggregate: return nil
    }
    words.append(Int64(query.source.rawValue))
    words.append(query.limit != nil || query.offset != 0 ? 1 : 0)
    words.append(Int64(query.order.count))
    for order in query.order {
      words.append(order.isAscending ? 1 : 0)
      guard add(order.path) else { return nil }
    }
    guard add(query.predicate) else { return nil }
  }

  private mutating func add(_ predicate: Predicate) -> Bool {
    switch predicate {
    case .always: words.append(1)
    case .never: words.append(2)
    case .all(let parts): return add(3, parts)
    case .any(let parts): return add(4, parts)
    case .not(let part):
      words.append(5)
      return add(part)
    case .comparison(let left, let comparator, let right):
      words.append(6 + 16 * comparator.word)
      return add(left) && add(right)
    case .contained(let left, let values):
      words += [7, Int64(values.count)]
      guard values.count <= Self.boundOfValues, add(left) else { return false }
      for value in values where !add(value) { return false }
    case .text(let left, let match, let options, let right):
      words += [8, match.word, Int64(options.rawValue), Self.word(right, options)]
      return add(left) && add(right)
    case .linked: return false
    case .exists(let collection, let part):
      words.append(9)
      return add(collection) && add(part)
    }
    return true
  }

  private mutating func add(_ word: Int64, _ parts: [Predicate]) -> Bool {
    words += [word, Int64(parts.count)]
    for part in parts where !add(part) { return false }
    return true
  }

  private mutating func add(_ expression: Predicate.Expression) -> Bool {
    switch expression {
    case .value(let value):
      words += [20, Int64(value.type?.rawValue ?? 0) * 2 + (value.isNotANumber ? 1 : 0)]
      constants.append(value)
    case .object(let id, let target):
      words += [26, target.map { Int64($0.rawValue) } ?? -1]
      constants.append(.int(id.rawValue))
    case .keyed(let target, let key):
      words += [27, Int64(target.rawValue)]
      constants.append(key)
    case .shape: return false
    case .path(let path):
      words.append(21)
      return add(path)
    case .kind(let path):
      words.append(22)
      return add(path)
    case .count(let collection, let part):
      words.append(23)
      return add(collection) && add(part)
    case .aggregate(let aggregate, let member, let collection):
      words.append(24 + 32 * aggregate.word)
      return add(member) && add(collection)
    case .computed(let left, let operation, let right):
      words.append(25 + 32 * operation.code)
      return add(left) && add(right)
    }
    return true
  }

  private mutating func add(_ path: PropertyPath) -> Bool {
    words += [Int64(path.scope), path.isEntryKey ? 1 : 0, Int64(path.steps.count)]
    for step in path.steps {
      switch step {
      case .property(let property): words += [31, Self.word(property)]
      case .index(let index): words += [32, Int64(index)]
      case .origins(let property): words += [33, Self.word(property)]
      case .wildcard: words.append(34)
      case .entry(let key): add(key)
      }
    }
    return true
  }

  private mutating func add(_ key: String) {
    let bytes = Array(key.utf8)
    words += [35, Int64(bytes.count)]
    for start in stride(from: 0, to: bytes.count, by: 8) {
      words.append(bytes[start...].prefix(8).reduce(0) { $0 << 8 | Int64($1) })
    }
  }

  /// What the statement depends on of what a text is searched for.
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

  private static func word(_ property: StoredProperty) -> Int64 {
    Int64(property.owner.rawValue) << 32 | Int64(property.id.rawValue)
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
