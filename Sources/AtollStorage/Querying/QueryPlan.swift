import AtollQuery
import AtollSQLite
import AtollVocabulary

/// The statement of all queries of one ``QueryShape``, and what is bound to it.
final class QueryPlan {
  enum Binding {
    /// The key of a map's entry, which is part of the shape.
    case key(String)
    case constant(Int, QueryConstant.Conversion)
    /// Of the query, or of the one so many levels below that it chooses from.
    case limit(Int), offset(Int)
    /// The owner of the collection that is queried.
    case owner
  }

  let sql: String
  /// See ``QueryCompiler/selectedType``.
  let type: PersistedType
  private let recipe: [Binding]
  /// See ``QueryCompiler/asksSearchIndex``.
  let asksSearchIndex: Bool

  init(sql: String, by compiler: QueryCompiler) {
    self.sql = sql
    type = compiler.selectedType
    recipe = compiler.recipe
    asksSearchIndex = compiler.asksSearchIndex
  }

  func bind(
    _ statement: Statement, _ constants: [PersistedValue], _ query: StoreQuery, _ owner: Container?
  ) {
    for (index, binding) in recipe.enumerated() {
      let value: PersistedValue =
        switch binding {
        case .key(let key): .string(key)
        case .constant(let place, let conversion): conversion(constants[place])
        case .limit(let level): query.base(level)?.limitValue ?? .null
        case .offset(let level): query.base(level)?.offsetValue ?? .null
        case .owner: owner.map { .int($0.owner) } ?? .null
        }
      statement.bind(value, at: Int32(index + 1))
    }
  }
}

extension StoreQuery {
  /// Returns the query so many levels below; the query itself at level 0.
  fileprivate func base(_ level: Int) -> StoreQuery? {
    level == 0 ? self : base?.base(level - 1)
  }
}

/// The plans of a file's queries, as of one revision of its catalog.
final class QueryPlans {
  private static let bound = 256
  private var plans: [[UInt8]: QueryPlan] = [:]
  private var revision: Int64 = 0

  func plan(for shape: QueryShape, at revision: Int64) -> QueryPlan? {
    revision == self.revision ? plans[shape.bytes] : nil
  }

  func keep(_ plan: QueryPlan, for shape: QueryShape, at revision: Int64) {
    if revision != self.revision || plans.count >= Self.bound { plans = [:] }
    self.revision = revision
    plans[shape.bytes] = plan
  }
}
