public import Atoll
public import Dispatch
public import Foundation

/// The common interface of collections of objects or values: lists, sets, results and linking
/// objects.
///
/// Conformances are the library's own. What a query gives depends on the elements: `Results`
/// of objects, `ValueResults` of values.
public protocol RealmCollection<Element>: RandomAccessCollection, ThreadConfined, Equatable,
  CustomStringConvertible, SendableMetatype, _Aggregated
where Element: RealmCollectionValue, Index == Int {
  /// The index of an element, by what is stored; nil if it is not there.
  func index(of element: Element) -> Int?

  /// The elements at several indices.
  func objects(at indexes: IndexSet) -> [Element]

  /// The stored values that the elements have for a name, in order; `"self"` gives the elements.
  func value(forKey key: String) -> Any?

  /// The stored values at the end of a path of names.
  func value(forKeyPath keyPath: String) -> Any?

  /// Sets a property of every element.
  func setValue(_ value: Any?, forKey key: String)

  /// Calls `block` with the collection, and again whenever it changes.
  func observe(
    keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping @Sendable (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken

  /// Calls `block` in an actor, with it.
  func observe<A: Actor>(
    keyPaths: [String]?, on actor: A,
    _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken

  /// The objects as results; stops for values, and where no store manages them.
  func _objectResults<Model: Object>(_ doing: String) -> Results<Model>

  /// The values as results; stops for objects, and where no store manages them.
  func _valueResults(_ doing: String) -> ValueResults<Element>
}

// As for the concrete types, the arguments of observation have defaults.
extension RealmCollection {
  /// Calls `block` in an actor, with it.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A,
    _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: actor, block)
  }
}

extension RealmCollection where Element: ObjectBase {
  /// Calls `block` in an actor whenever the collection or what the key paths lead to changes.
  @_disfavoredOverload
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Element>], on actor: A,
    _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: actor, block)
  }
}

// MARK: - The collections

extension List: RealmCollection {
  public func _objectResults<Model: Object>(_ doing: String) -> Results<Model> { objects(doing) }
  public func _valueResults(_ doing: String) -> ValueResults<Element> { values(doing) }
}

extension MutableSet: RealmCollection {
  public func _objectResults<Model: Object>(_ doing: String) -> Results<Model> { objects(doing) }
  public func _valueResults(_ doing: String) -> ValueResults<Element> { values(doing) }
}

extension Results: RealmCollection {
  public func _objectResults<Model: Object>(_ doing: String) -> Results<Model> {
    cast(to: Model.self, doing)
  }

  public func _valueResults(_ doing: String) -> ValueResults<Element> {
    Trap.stop("\(doing) results of objects as if they were of values.")
  }

  fileprivate func cast<Model: Object>(to type: Model.Type, _ doing: String) -> Results<Model> {
    if let results = self as? Results<Model> { return results }
    Trap.stop("\(doing) results of '\(Element.self)' as if they were of '\(Model.self)'.")
  }
}

extension LinkingObjects: RealmCollection {
  public func _objectResults<Model: Object>(_ doing: String) -> Results<Model> {
    _objects(doing).cast(to: Model.self, doing)
  }

  public func _valueResults(_ doing: String) -> ValueResults<Element> {
    Trap.stop("\(doing) linking objects as if they were values.")
  }
}

extension ValueResults: RealmCollection {
  /// Stops: values have no properties.
  public func setValue(_ value: Any?, forKey key: String) {
    Trap.stop("Setting '\(key)' of values, which have no properties.")
  }

  /// Calls `block` with the values, and again whenever others come, go or change.
  ///
  /// Stops if there are key paths: values have no properties.
  @_disfavoredOverload
  public func observe(
    keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping @Sendable (RealmCollectionChange<ValueResults>) -> Void
  ) -> NotificationToken {
    checkNone(keyPaths)
    return observe(on: queue, block)
  }

  /// Calls `block` in an actor, with it; stops if there are key paths.
  @_disfavoredOverload
  public func observe<A: Actor>(
    keyPaths: [String]?, on actor: A,
    _ block: @escaping @Sendable (isolated A, RealmCollectionChange<ValueResults>) -> Void
  ) -> NotificationToken {
    checkNone(keyPaths)
    return observe(on: actor, block)
  }

  private func checkNone(_ keyPaths: [String]?) {
    if let path = keyPaths?.first {
      Trap.stop("Observing '\(path)' of values, which have no properties.")
    }
  }

  public func _objectResults<Model: Object>(_ doing: String) -> Results<Model> {
    Trap.stop("\(doing) results of values as if they were of objects.")
  }

  public func _valueResults(_ doing: String) -> ValueResults { self }
}
