import AtollQuery
import AtollStorage
public import Dispatch

extension Results {
  /// Calls `block` with the objects there are, and again whenever they change, whoever changes
  /// them: this store, another thread, another process, or a peer.
  ///
  /// An object counts as modified when a property of its own changes, or one of an object that it
  /// links to in up to four steps; with `keyPaths` when what those lead to changes, where `"list"`
  /// means which objects it has and `"list.name"` also their names. Unknown names stop the process.
  ///
  /// The calls are made on `queue`, which must be serial; changes between two calls are reported
  /// together. What `block` is given belongs to that queue: if it is the queue of this store, to
  /// this store, else to a store of its own.
  ///
  /// Without a queue the calls are made on the queue of this store, or on the main queue. The
  /// observation lasts as long as the token that is returned.
  @_disfavoredOverload
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<Results<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, on: queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` as the form with a queue
  /// does, and also says who made the change and what changed places.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<Results<Element>>, ChangeDetails) -> Void
  ) -> NotificationToken {
    observe(keyPaths, on: queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in an actor, with it; see the form with a queue.
  ///
  /// If it is the actor of this store, `block` is given things of this store.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A,
    _ block: @escaping @Sendable (isolated A, ResultsChange<Results<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, on: TurnPlace(actor), ObserverBlock(in: actor, block))
  }

  func observe(
    _ keyPaths: [String]?, on place: TurnPlace?,
    _ block: ObserverBlock<ResultsChange<Results<Element>>>
  ) -> NotificationToken {
    prepare("Observing results")
    for path in keyPaths ?? [] { _ = ObservedPath(path, from: table, under: []) }
    let observers = store.observers(on: place)
    let description = QueryDescription(self, isOwn: observers.belongs(to: store))
    return Observation<ResultsTracker<Element>>(
      observers,
      make: { store throws(Store.Error) in
        ResultsTracker(description.results(in: store), keyPaths)
      }, block: block
    ).start()
  }

  /// Calls `block` whenever the results or what the key paths lead to changes.
  @_disfavoredOverload
  public func observe(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<Results<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map(KeyPathNames.text), on: queue, block)
  }

  /// Calls `block` in an actor whenever the results or what the key paths lead to changes.
  public func observe<A: Actor>(
    keyPaths: [PartialKeyPath<Element>], on actor: A,
    _ block: @escaping @Sendable (isolated A, ResultsChange<Results<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map(KeyPathNames.text), on: actor, block)
  }

  /// The changes of the results as an asynchronous sequence, beginning with the objects there are.
  ///
  /// ```swift
  /// for try await change in store.objects(Airport.self).changes { … }
  /// ```
  public var changes: ObservedChanges<ResultsChange<Results<Element>>> {
    prepare("Observing results")
    return ObservedChanges { ResultsTracker(self) }
  }
}

/// The description of a query for another store of the file.
struct QueryDescription<Element: Object>: Sendable {
  private let query: StoreQuery
  private let className: String
  private let own: Confined<Results<Element>>?

  init(_ results: Results<Element>, isOwn: Bool) {
    query = results.query
    className = results.table.model.name
    own = isOwn ? Confined(value: results) : nil
  }

  func results(in store: Store) -> Results<Element> {
    if let own { return own.value }
    let table =
      Element.self == DynamicObject.self
      ? store.dynamicTable(className, "Observing results")
      : store.table(of: Element.self, "Observing results")
    return Results(store: store, table: table, query: query)
  }
}
