public import Atoll
public import Dispatch

// Observers as Realm takes them: their blocks need not be `Sendable`.
//
// A block that is written in a class of the main actor belongs to that actor then, and uses the class as
// it is; that it is called there is up to `queue`, as in Realm. `Atoll` alone has the blocks checked.

/// A block that goes to the queue it is called on.
///
/// Of a type of which nothing is known: blocks that are called elsewhere cannot refer to conformances.
struct Block<Argument>: @unchecked Sendable {
  let call: (Argument) -> Void

  var sent: @Sendable (Argument) -> Void { { argument in call(argument) } }

  var withoutDetails: @Sendable (Argument, ChangeDetails) -> Void {
    { argument, _ in call(argument) }
  }
}

extension RealmCollection {
  /// Calls `block` with the collection, and again whenever it changes; see
  /// `observe` of `Results`.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: queue, Block(call: block).sent)
  }
}

extension RealmCollection where Element: ObjectBase {
  /// Calls `block` whenever the collection or what the key paths lead to changes.
  public func observe(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }
}

extension RealmKeyedCollection {
  /// Calls `block` with the map, and again with the keys that changed; see
  /// `observe` of `List`.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmMapChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: queue, Block(call: block).sent)
  }
}

extension RealmKeyedCollection where Value: _LinkValue, Value._Target: ObjectBase {
  /// Calls `block` whenever the map or what the key paths lead to changes.
  public func observe(
    keyPaths: [PartialKeyPath<Value._Target>], on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmMapChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }
}

extension ObservableObjectBase {
  /// Calls `block` whenever the object changes or is deleted, whoever does it; see
  /// `observe` of `ObservableObjectBase`.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: queue, Block(call: block).withoutDetails)
  }

  /// Calls `block` whenever what the key paths lead to changes.
  public func observe(
    keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { _name(for: $0) }, on: queue, block)
  }
}

extension ObservableProjection {
  /// Calls `block` whenever what is projected changes, or the object is deleted.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: queue, Block(call: block).withoutDetails)
  }
}

extension ProjectedResults {
  /// Calls `block` with the projections, and again whenever they change.
  public func observe(
    on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<ProjectedResults<Element>>) -> Void
  ) -> NotificationToken {
    observe(on: queue, Block(call: block).withoutDetails)
  }
}

extension ProjectedCollection {
  /// Calls `block` with the projected values, and again whenever they change.
  public func observe(
    on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<ProjectedCollection<Value>>) -> Void
  ) -> NotificationToken {
    observe(on: queue, Block(call: block).withoutDetails)
  }
}

extension SectionedResults {
  /// Calls `block` with the sections, and again whenever they or their objects change.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<SectionedResults<Key, Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: queue, Block(call: block).withoutDetails)
  }
}

extension ResultsSection {
  /// Calls `block` with the section, and again whenever it or its objects change.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (SectionedResultsChange<ResultsSection<Key, Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths, on: queue, Block(call: block).withoutDetails)
  }
}

extension Store {
  /// Calls `block` whenever the store has moved on to another state, whoever made it.
  public func observe(
    on queue: DispatchQueue? = nil, _ block: @escaping (Notification, Realm) -> Void
  ) -> NotificationToken {
    let block = Block<(Notification, Realm)> { block($0.0, $0.1) }
    return observe(on: queue) { notification, store, _ in block.call((notification, store)) }
  }
}
