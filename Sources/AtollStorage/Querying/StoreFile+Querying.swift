package import AtollQuery
import AtollSQLite
package import AtollVocabulary

extension StoreFile {
  /// A query's statement, bound and ready to step; to be given back to ``queries``.
  ///
  /// Queries that differ in their constants only are compiled once.
  func compiled(_ query: StoreQuery, _ output: QueryCompiler.Output) throws -> Statement {
    try planned(query, output).statement
  }

  /// The same with the plan, which knows of which type the values are.
  func planned(
    _ query: StoreQuery, _ output: QueryCompiler.Output
  ) throws -> (statement: Statement, plan: QueryPlan) {
    let owner = try collection(of: query)
    let shape = QueryShape(query, output, in: owner)
    if let shape, let plan = caches.plans.plan(for: shape, at: catalog.revision) {
      return (try bound(plan, shape.constants, query, owner), plan)
    }
    var compiler = QueryCompiler(QuerySchema(catalog: catalog, collection: owner))
    let plan = QueryPlan(sql: try compiler.compile(query, output), by: compiler)
    if let shape, shape.hasConstants(compiler.constants) {
      caches.plans.keep(plan, for: shape, at: catalog.revision)
    }
    return (try bound(plan, compiler.constants, query, owner), plan)
  }

  /// The queried collection; nil for objects of a class, and where it is not there any more.
  private func collection(of query: StoreQuery) throws -> Container? {
    guard let collection = query.collection else { return nil }
    return try container(collection.owner, collection.id, collection.path)
  }

  private func bound(
    _ plan: QueryPlan, _ constants: [PersistedValue], _ query: StoreQuery, _ owner: Container?
  ) throws -> Statement {
    if plan.asksSearchIndex, let transaction { try tables.bringSearchIndexesUp(transaction) }
    let statement: Statement
    do {
      statement = try caches.queries.take(plan.sql)
    } catch let error as SQLiteError where error.isOfStatement {
      throw StorageError.tooComplex(detail: error.message)
    }
    plan.bind(statement, constants, query, owner)
    return statement
  }

  /// The columns of the elements that a query of a collection gives; nil if it is not there any more.
  func elementLayout(of query: StoreQuery) throws -> ElementLayout? {
    try collection(of: query)?.table.elementLayout()
  }

  /// The SQL of a query, for tests and for people.
  package func sql(of query: StoreQuery) throws(StorageError) -> String {
    try doing("compiling a query") { try uncached(query) }
  }

  /// The plan of SQLite for a query, one step a line.
  package func plan(of query: StoreQuery) throws(StorageError) -> [String] {
    try doing("explaining a query") {
      let statement = try connection.prepare("EXPLAIN QUERY PLAN " + (try uncached(query)))
      defer { statement.finalize() }
      var lines: [String] = []
      while try statement.step() { lines.append(statement.string(at: 3)) }
      return lines
    }
  }

  private func uncached(_ query: StoreQuery) throws -> String {
    var compiler = QueryCompiler(
      QuerySchema(catalog: catalog, collection: try collection(of: query)))
    return try compiler.compile(query, .rows)
  }

  /// An aggregate of what a query's rows have at a path; nil where there is none.
  package func aggregate(
    _ query: StoreQuery, _ aggregate: Predicate.Aggregate, of path: PropertyPath
  ) throws(StorageError) -> PersistedValue {
    try doing("aggregating") {
      let (statement, plan) = try planned(query, .aggregate(aggregate, path))
      defer { caches.queries.give(statement) }
      let type = plan.type
      guard try statement.step(), !statement.isNull(at: 0) else { return .null }
      switch (aggregate, type) {
      case (.minimum, .any), (.maximum, .any):
        guard case .scalar(let value) = statement.anyValue(at: 1, type: 2) else { return .null }
        return value
      case (.sum, .any), (.average, .any), (.average, .decimal):
        return statement.value(.decimal, at: 0)
      case (.average, _): return statement.value(.double, at: 0)
      case (_, _): return statement.value(type, at: 0)
      }
    }
  }

  /// The statements and rows that the file is asked for while `body` runs.
  package func traced<Failure: Error>(
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> QueryTrace {
    let trace = try connection.traced(body)
    return QueryTrace(
      statements: trace.statements, rows: trace.rows, compiled: trace.compiled,
      instructions: trace.instructions)
  }
}
