import AtollQuery
import AtollStorage
import AtollVocabulary
public import Foundation

/// Marks persisted types that results can be ordered by.
public protocol _Sortable {}

extension Bool: _Sortable {}
extension UUID: _Sortable {}
extension ObjectId: _Sortable {}
extension Optional: _Sortable where Wrapped: _Sortable {}

/// A property to sort by, and in which direction.
public struct SortDescriptor: Hashable, Sendable {
  /// A name, or names joined by dots through links and embedded objects.
  public let keyPath: String
  /// True if the least comes first.
  public let ascending: Bool

  /// A descriptor of a property by its name.
  public init(keyPath: String, ascending: Bool = true) {
    self.keyPath = keyPath
    self.ascending = ascending
  }

  /// A descriptor of a property by its Swift key path.
  public init<Root: ObjectBase, Value: _PropertyValue>(
    keyPath: KeyPath<Root, Value>, ascending: Bool = true
  ) where Value.PersistedType: _Sortable {
    self.init(
      keyPath: KeyPathNames.text(of: keyPath), ascending: ascending)
  }

  /// The same property in the other direction.
  public func reversed() -> SortDescriptor {
    SortDescriptor(keyPath: keyPath, ascending: !ascending)
  }
}

extension SortDescriptor: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self.init(keyPath: value) }
}

extension Results where Element: ObjectBase {
  /// The objects ordered by a property, nil first; equal ones as they were ordered before.
  ///
  /// Without a former order, equal ones come in the order in which this file first met them, which
  /// another replica need not share.
  public func sorted<Value: _PropertyValue>(
    by path: KeyPath<Element, Value>, ascending: Bool = true
  ) -> Results where Value.PersistedType: _Sortable {
    sorted(byKeyPath: KeyPathNames.text(of: path), ascending: ascending)
  }
}

extension Results {
  /// The objects ordered by a property, which may be reached through links: `"country.code"`.
  public func sorted(byKeyPath path: String, ascending: Bool = true) -> Results {
    narrowed(to: query.sorted(by: [order(path, ascending)]))
  }

  /// The objects ordered by several properties, the first counting most.
  public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results {
    narrowed(to: query.sorted(by: descriptors.map { order($0.keyPath, $0.ascending) }))
  }

  private func order(_ path: String, _ isAscending: Bool) -> StoreQuery.Order {
    StoreQuery.Order(
      table.column(path) { column(path, "Sorting by").path }, isAscending: isAscending)
  }

  /// The first object of each that agree in all these properties, in the order of the results.
  public func distinct(by paths: some Sequence<String>) -> Results {
    narrowed(to: query.distinct(by: paths.map { column($0, "Telling apart by").path }))
  }

  /// The column at the end of names joined by dots.
  func column(_ names: String, _ doing: String) -> QueryPath {
    var way = start
    if names != "self" {
      for name in names.split(separator: ".") { way = way.appending(String(name)) }
    }
    if !way.collections.isEmpty || way.isCollection {
      Trap.stop("\(doing) '\(way.text)', which leads through a collection.")
    }
    if way.table != nil {
      Trap.stop("\(doing) '\(way.text)', which is not a value. Name one of its properties.")
    }
    return way
  }
}

extension Results where Element: ObjectBase {
  /// The first object of each that agree in all these properties, in the order of the results.
  public func distinct(by paths: [PartialKeyPath<Element>]) -> Results {
    distinct(by: paths.map { KeyPathNames.text(of: $0) })
  }
}

// MARK: - Places

extension Results {
  /// The index of the first object of narrower results.
  func place(of narrower: Results) -> Int? {
    prepare("Looking for an object")
    var query = narrower.query
    query.limit = Swift.min(query.limit ?? 1, 1)
    return store.attempt("looking for an object of '\(name)'") {
      file throws(StorageError) in
      guard let id = try file.ids(query).first else { return nil }
      return try file.ids(self.query).firstIndex(of: id)
    }
  }

  /// The objects at several indices.
  public func objects(at indices: IndexSet) -> [Element] { indices.map { self[$0] } }
}

extension Results where Element: ObjectBase {
  /// The index of an object; nil if it is not among the results.
  public func index(of object: Element) -> Int? {
    prepare("Looking for an object")
    guard let row = object.managedRow, row.store === store else { return nil }
    return store.attempt("looking for an object of '\(name)'") {
      file throws(StorageError) in try file.ids(query).firstIndex(of: row.id)
    }
  }
}
