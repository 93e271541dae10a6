package import AtollQuery
import AtollStorage
import AtollVocabulary

/// The objects of a class that a query selects, in order: lazy, and live.
///
/// Nothing is read until something is asked, and no more than was asked for, except that a loop reads
/// up to 16 rows ahead; what is answered is the store's present state. Without an order objects come in
/// the order in which this file first heard of them.
public final class Results<Element: Object> {
  /// The store the results belong to.
  public let store: Store
  let table: Table
  package let query: StoreQuery
  private var page = Page()
  private var counted: (count: Int, at: UInt64)?

  /// Some objects in a row, as they were at one change count.
  private struct Page {
    var start = 0
    var rows: RowPage?
    var at: UInt64 = 0
    /// Goes on where `rows` end, for those who read index by index.
    var rest: RowStream?

    var range: Range<Int> { start..<start + (rows?.rows.count ?? 0) }
  }

  init(store: Store, table: Table, query: StoreQuery? = nil) {
    self.store = store
    self.table = table
    self.query = query ?? StoreQuery(table.classID)
  }

  // MARK: Narrowing down and ordering

  /// The objects that satisfy a condition too.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results {
    narrowed(to: query.adding(isIncluded(Query(.path(start))).predicate))
  }

  /// The same objects seen through another query.
  func narrowed(to query: StoreQuery) -> Results {
    query.checkLevels(name)
    return Results(store: store, table: table, query: query)
  }

  /// The name of the queried objects in messages.
  var name: String { table.model.name }

  /// The beginning of the query's paths.
  var start: QueryPath { QueryPath(store: store, root: table) }

  /// The meaning of names in the text of a predicate.
  var scope: PredicateScope { store.predicateScope(of: table) }

  // MARK: Asking

  /// The number of objects.
  public var count: Int {
    prepare("Counting results")
    return store.alone {
      if let counted, counted.at == store.changeCount { return counted.count }
      let count = store.attempt("counting objects of '\(table.model.name)'") {
        file throws(StorageError) in try file.count(query)
      }
      counted = (count, store.changeCount)
      return count
    }
  }

  /// True if there is no object.
  public var isEmpty: Bool { first == nil }

  /// The first object; the rest is not read.
  public var first: Element? {
    prepare("Reading results")
    var query = query
    query.limit = Swift.min(query.limit ?? 1, 1)
    let stream = RowStream(store: store, table: table, query: query, keepsRest: false)
    guard let row = stream.next() else { return nil }
    return element(row)
  }

  /// The last object.
  public var last: Element? {
    let count = count
    return count == 0 ? nil : self[count - 1]
  }

  /// The object at `index`; reading index by index costs no more than iteration.
  public subscript(index: Int) -> Element {
    prepare("Reading results")
    return store.alone {
      if page.at != store.changeCount || !page.range.contains(index) { turnPage(to: index) }
      guard page.range.contains(index), let rows = page.rows else {
        Trap.stop("Index \(index) is out of bounds of results of \(count) objects.")
      }
      return Self.element(table.object(rows.rows[index - page.start], of: rows))
    }
  }

  /// The row ids of the objects there are now, in order.
  var ids: [RowID] {
    prepare("Reading results")
    return store.attempt("listing objects of '\(table.model.name)'") {
      file throws(StorageError) in try file.ids(query)
    }
  }

  /// The first objects, at most `maxLength`: live like all results, and the others are not read.
  public func prefix(_ maxLength: Int) -> Results { narrowed(to: query.limited(to: maxLength)) }

  private func turnPage(to index: Int) {
    let isNext = page.at == store.changeCount && index == page.range.upperBound
    let start = isNext ? index : Swift.max(index, 0) / RowPage.size * RowPage.size
    let stream = (isNext ? page.rest : nil) ?? stream(from: start, keepsRest: false)
    page = Page(
      start: start, rows: RowPage(table, stream.next(RowPage.size)), at: store.changeCount,
      rest: stream)
  }

  private func stream(from offset: Int, keepsRest: Bool) -> RowStream {
    var query = query
    query.offset += offset
    query.limit = query.limit.map { Swift.max($0 - offset, 0) }
    return RowStream(store: store, table: table, query: query, keepsRest: keepsRest)
  }

  func prepare(_ doing: String) {
    store.checkAccess(doing)
    store.pin()
    store.recordRead(query.region.map { .objects($0) })
  }

  func element(_ row: ObjectRow) -> Element {
    Self.element(table.object(row))
  }

  fileprivate static func element(_ object: ObjectBase) -> Element {
    guard let element = object as? Element else { stopElement(object, Element.self) }
    return element
  }
}

extension Results: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { count }

  /// Iterates over the objects there are now, at bounded memory.
  ///
  /// Changes during the loop, by the loop itself or others, do not matter, except that objects that
  /// are deleted before their turn are left out.
  public func makeIterator() -> ResultsIterator<Element> {
    prepare("Iterating over results")
    return ResultsIterator(stream: stream(from: 0, keepsRest: true))
  }
}

extension Results: Equatable {
  /// Tells whether both ask the same of one store; objects are not compared.
  public static func == (a: Results, b: Results) -> Bool {
    a === b || a.store === b.store && a.table === b.table && a.query == b.query
  }
}

/// Goes through the objects of results, as ``Results/makeIterator()`` says.
///
/// A class for the reason that ``ElementIterator`` gives.
public final class ResultsIterator<Element: Object>: IteratorProtocol {
  @usableFromInline let stream: RowStream

  init(stream: RowStream) { self.stream = stream }

  /// The next object; nil after the last.
  @inlinable
  public func next() -> Element? {
    // Inlined, so that no object is looked at by way of its class's metadata.
    guard let object = stream.nextObject() else { return nil }
    guard let element = object as? Element else { stopElement(object, Element.self) }
    return element
  }
}

@usableFromInline
func stopElement(_ object: ObjectBase, _ type: Any.Type) -> Never {
  Trap.stop("An object of class '\(object.model.name)' where '\(type)' is expected.")
}

extension StoreQuery {
  /// Stops where distinct and limited results were narrowed down again and again.
  func checkLevels(_ name: String) {
    guard levels <= Limits.queryLevels else {
      Trap.stop(
        "Narrowing down '\(name)': results that are distinct or limited were narrowed down more than "
          + "\(Limits.queryLevels - 1) times. Begin with the objects of the class, or take an array."
      )
    }
  }
}
