import AtollStorage
import AtollVocabulary

/// The objects of a class that a query selects, in order: lazy, and live.
///
/// Nothing is read until something is asked, and never more than was asked for; what is answered is
/// the store's present state. Without an order objects come in the order in which this file first
/// heard of them.
public final class Results<Element: Object> {
  /// The store the results belong to.
  public let store: Store
  let table: Table
  let query: StoreQuery
  private var page = Page()
  private var counted: (count: Int, at: UInt64)?

  /// Some objects in a row, as they were at one change count.
  private struct Page {
    var start = 0
    var rows: [ObjectRow] = []
    var at: UInt64 = 0
  }

  /// Objects that random access reads at a time.
  private static var pageSize: Int { 128 }

  init(store: Store, table: Table, query: StoreQuery? = nil) {
    self.store = store
    self.table = table
    self.query = query ?? StoreQuery(table.classID)
  }

  // MARK: Narrowing down and ordering

  /// The objects that satisfy a condition too.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results {
    let condition = isIncluded(Query(.path(QueryPath(store: store, root: table)))).predicate
    var query = query
    query.predicate = query.predicate == .always ? condition : .all([query.predicate, condition])
    return Results(store: store, table: table, query: query)
  }

  /// The objects ordered by a property, nil first; equal ones as they were ordered before.
  public func sorted<Value: _PropertyValue>(
    by path: KeyPath<Element, Value>, ascending: Bool = true
  ) -> Results where Value.PersistedType: _Sortable {
    sorted(KeyPathNames.names(of: path), ascending)
  }

  /// The objects ordered by a property, which may be reached through links: `"country.code"`.
  public func sorted(byKeyPath path: String, ascending: Bool = true) -> Results {
    sorted(path.split(separator: ".").map(String.init), ascending)
  }

  private func sorted(_ names: [String], _ isAscending: Bool) -> Results {
    let way = names.reduce(QueryPath(store: store, root: table)) { $0.appending($1) }
    if way.steps.isEmpty || way.table != nil {
      Trap.stop("Sorting by '\(way.text)', which is not a value. Name one of its properties.")
    }
    var query = query
    query.order.insert(.init(PropertyPath(way.steps), isAscending: isAscending), at: 0)
    return Results(store: store, table: table, query: query)
  }

  // MARK: Asking

  /// How many objects there are.
  public var count: Int {
    prepare("Counting results")
    if let counted, counted.at == store.changeCount { return counted.count }
    let count = store.attempt("counting objects of '\(table.model.name)'") {
      file throws(StorageError) in try file.count(query)
    }
    counted = (count, store.changeCount)
    return count
  }

  /// Whether there is no object.
  public var isEmpty: Bool { first == nil }

  /// The first object; the rest is not read.
  public var first: Element? { rows(from: 0, limit: 1).first.map(element) }

  /// The last object.
  public var last: Element? {
    let count = count
    return count == 0 ? nil : self[count - 1]
  }

  /// The object at `index`.
  public subscript(index: Int) -> Element {
    prepare("Reading results")
    if page.at != store.changeCount || !(page.start..<page.start + page.rows.count ~= index) {
      let start = Swift.max(index, 0) / Self.pageSize * Self.pageSize
      page = Page(
        start: start, rows: rows(from: start, limit: Self.pageSize), at: store.changeCount)
    }
    guard index >= 0, index - page.start < page.rows.count else {
      Trap.stop("Index \(index) is out of bounds of results of \(count) objects.")
    }
    return element(page.rows[index - page.start])
  }

  private func rows(from offset: Int, limit: Int) -> [ObjectRow] {
    prepare("Reading results")
    var query = query
    query.offset += offset
    query.limit = limit
    return store.attempt("reading objects of '\(table.model.name)'") {
      file throws(StorageError) in
      let cursor = try file.rows(query)
      var rows: [ObjectRow] = []
      while let row = try cursor.next() { rows.append(row) }
      return rows
    }
  }

  func prepare(_ doing: String) {
    store.checkAccess(doing)
    store.pin()
  }

  func element(_ row: ObjectRow) -> Element {
    guard let object = table.object(row) as? Element else {
      Trap.stop("A row of class '\(table.model.name)' became something else.")
    }
    return object
  }
}

/// Marks persisted types that results can be ordered by.
public protocol _Sortable {}

extension Bool: _Sortable {}
extension Optional: _Sortable where Wrapped: _Sortable {}

extension Results: Sequence {
  /// Iterates over the objects there are now, at bounded memory; objects that are deleted meanwhile
  /// are left out.
  public func makeIterator() -> AnyIterator<Element> {
    prepare("Iterating over results")
    let stream = RowStream(store: store, table: table, query: query)
    return AnyIterator { stream.next().map(self.element) }
  }
}
