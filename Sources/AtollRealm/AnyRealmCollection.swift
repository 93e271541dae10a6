public import Atoll
public import Dispatch
public import Foundation

/// A collection of which only the elements' type is known.
///
/// It stands for the collection it was made of: what is read is live, and what is written goes there.
public struct AnyRealmCollection<Element: RealmCollectionValue>: RealmCollection {
  private let base: any RealmCollection<Element>

  /// Hides which collection it is.
  public init<Base: RealmCollection>(_ base: Base) where Base.Element == Element {
    self.base = (base as? AnyRealmCollection)?.base ?? base
  }

  private init(hiding base: any RealmCollection<Element>) { self.base = base }

  public var startIndex: Int { 0 }
  public var endIndex: Int { base.count }

  public subscript(index: Int) -> Element { base[index] }

  /// Iterates over the elements there are now, whatever happens to the collection meanwhile.
  public func makeIterator() -> ElementIterator<Element> {
    func open(_ base: some RealmCollection<Element>) -> ElementIterator<Element> {
      var elements = base.makeIterator()
      return ElementIterator { elements.next() }
    }
    return open(base)
  }

  /// Tells whether both stand for equal collections.
  public static func == (a: AnyRealmCollection, b: AnyRealmCollection) -> Bool {
    func open<Base: RealmCollection>(_ base: Base) -> Bool {
      (b.base as? Base).map { $0 == base } ?? false
    }
    return open(a.base)
  }

  /// The text of the collection.
  public var description: String { base.description }

  public func index(of element: Element) -> Int? { base.index(of: element) }
  public func objects(at indexes: IndexSet) -> [Element] { base.objects(at: indexes) }

  public func value(forKey key: String) -> Any? { base.value(forKey: key) }
  public func value(forKeyPath keyPath: String) -> Any? { base.value(forKeyPath: keyPath) }

  public func setValue(_ value: Any?, forKey key: String) { base.setValue(value, forKey: key) }

  @_disfavoredOverload
  public func observe(
    keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: @escaping @Sendable (RealmCollectionChange<AnyRealmCollection>) -> Void
  ) -> NotificationToken {
    func open<Base: RealmCollection>(_ base: Base) -> NotificationToken
    where Base.Element == Element {
      let hiding = MadeChange { (base: Base) in AnyRealmCollection(base) }
      return base.observe(keyPaths: keyPaths, on: queue, hiding.block(block))
    }
    return open(base)
  }

  public func observe<A: Actor>(
    keyPaths: [String]?, on actor: A,
    _ block: @escaping @Sendable (isolated A, RealmCollectionChange<AnyRealmCollection>) -> Void
  ) -> NotificationToken {
    func open<Base: RealmCollection>(_ base: Base) -> NotificationToken
    where Base.Element == Element {
      let hiding = MadeChange { (base: Base) in AnyRealmCollection(base) }
      return base.observe(keyPaths: keyPaths, on: actor, hiding.block(block))
    }
    return open(base)
  }

  public func _objectResults<Model: Object>(_ doing: String) -> Results<Model> {
    base._objectResults(doing)
  }

  public func _valueResults(_ doing: String) -> ValueResults<Element> { base._valueResults(doing) }

  public func _aggregate(_ aggregate: _Aggregate, of property: String?) -> _Stored {
    base._aggregate(aggregate, of: property)
  }
}

// MARK: - Threads

extension AnyRealmCollection: ThreadConfined {
  public var _confiningStore: Store? { base._confiningStore }

  public func _handingOver() -> _HandedOver {
    let found = base._handingOver()
    return _HandedOver { store in
      (found.find(store) as? any RealmCollection<Element>).map { AnyRealmCollection(hiding: $0) }
    }
  }

  public var isInvalidated: Bool { base.isInvalidated }
  public var isFrozen: Bool { base.isFrozen }
  public func freeze() -> AnyRealmCollection { AnyRealmCollection(hiding: base.freeze()) }

  public func thaw(isolation: isolated (any Actor)? = #isolation) -> AnyRealmCollection? {
    base.thaw(isolation: isolation).map { AnyRealmCollection(hiding: $0) }
  }
}

extension AnyRealmCollection: Encodable where Element: Encodable {
  /// Writes an array of the elements.
  public func encode(to encoder: any Encoder) throws { try Array(self).encode(to: encoder) }
}

/// Makes observers of one type of those of another.
///
/// Of types of which nothing is known: blocks that are called elsewhere cannot refer to conformances.
private struct MadeChange<Base, Made>: @unchecked Sendable {
  let make: (Base) -> Made

  func block(
    _ block: @escaping @Sendable (RealmCollectionChange<Made>) -> Void
  ) -> @Sendable (RealmCollectionChange<Base>) -> Void {
    { change in block(change.map(make)) }
  }

  func block<A: Actor>(
    _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Made>) -> Void
  ) -> @Sendable (isolated A, RealmCollectionChange<Base>) -> Void {
    { actor, change in block(actor, change.map(make)) }
  }
}
