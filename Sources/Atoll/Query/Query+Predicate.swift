import AtollQuery
package import AtollStorage
import AtollVocabulary
import Foundation

extension Query where T == Bool {
  /// The text and the arguments of the predicate that the query has become.
  ///
  /// Stored names and stored values, as ``Results/filter(_:_:)`` takes them.
  public func _constructPredicate() -> (String, [Any]) {
    let printed = PrintedPredicate(predicate, among: store?.storedClasses ?? [:])
    return (printed.text, printed.arguments.map { $0.any(in: store) })
  }
}

extension Results {
  /// The predicate, the SQL it becomes, and how SQLite finds the rows; for people.
  public func explain() -> String {
    prepare("Explaining results")
    let predicate = PrintedPredicate(query.predicate, among: store.storedClasses).text
    return store.attempt("explaining results of '\(name)'") { file throws(StorageError) in
      let plan = try file.plan(of: query).map { "  " + $0 }
      return ([predicate, try file.sql(of: query)] + plan).joined(separator: "\n")
    }
  }
}

extension Store {
  /// Returns the queries of the file while `body` runs; for tests, which count them.
  package func traced<Failure: Swift.Error>(
    _ body: () throws(Failure) -> Void
  ) throws(Failure) -> QueryTrace {
    try file.traced(body)
  }
}

extension Predicate.Expression {
  /// A constant as a Swift value; `NSNull` for nil.
  fileprivate func any(in store: Store?) -> Any {
    switch self {
    case .value(let value): value.dynamicValue ?? NSNull()
    case .object(let id, let target):
      store?.tables.first { $0.classID == target }?.object(id) ?? NSNull()
    case .shape(let shape): shape.area
    case .keyed, .path, .kind, .count, .aggregate, .computed: NSNull()
    }
  }
}
