public import Dispatch

extension ProjectedCollection {
  /// Calls `block` with the values there are, and again whenever elements come or go, or change in
  /// the property that is projected; see
  /// `observe` of ``List``.
  @_disfavoredOverload
  public func observe(
    on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<ProjectedCollection<Value>>) -> Void
  ) -> NotificationToken {
    elements.observe(on: queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in the same way, and also says who made the change and what changed places.
  public func observe(
    on queue: DispatchQueue? = nil,
    _ block:
      @escaping @Sendable (ResultsChange<ProjectedCollection<Value>>, ChangeDetails) -> Void
  ) -> NotificationToken {
    elements.observe(on: queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in an actor, with it.
  public func observe<A: Actor>(
    on actor: A,
    _ block: @escaping @Sendable (isolated A, ResultsChange<ProjectedCollection<Value>>) -> Void
  ) -> NotificationToken {
    elements.observe(on: TurnPlace(actor), ObserverBlock(in: actor, block))
  }

  /// The changes of the values as an asynchronous sequence, beginning with those there are.
  public var changes: ObservedChanges<ResultsChange<ProjectedCollection<Value>>> {
    elements.changes
  }
}

/// Collections whose elements can be seen through one property, and observed.
protocol ObservableElements: RandomAccessCollection where Element: ObjectBase, Index == Int {
  /// Calls `block` with the collection as it is where the observer is called.
  func observeElements(
    keyPaths: [String], on place: TurnPlace?, _ block: ObserverBlock<ResultsChange<Self>>
  ) -> NotificationToken
  /// The same changes for who waits for them where the collection is.
  func elementChanges(keyPaths: [String]) -> ObservedChanges<ResultsChange<Self>>
}

extension ResultsChange {
  /// The same change of what is made of the collection.
  package func map<Other>(_ make: (Collection) -> Other) -> ResultsChange<Other> {
    switch self {
    case .initial(let collection): .initial(make(collection))
    case .update(let collection, let deletions, let insertions, let modifications):
      .update(
        make(collection), deletions: deletions, insertions: insertions,
        modifications: modifications)
    case .error(let error): .error(error)
    }
  }
}

extension LinkingObjects {
  /// Calls `block` with the objects there are, and again whenever some begin or end to link, or
  /// change; see `observe` of ``Results``.
  @_disfavoredOverload
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<LinkingObjects<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, on: queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in the same way, and also says who made the change.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<LinkingObjects<Element>>, ChangeDetails) -> Void
  ) -> NotificationToken {
    observe(keyPaths, on: queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in an actor, with it.
  ///
  /// If it is the actor of this store, `block` is given objects of this store.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A,
    _ block: @escaping @Sendable (isolated A, ResultsChange<LinkingObjects<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, on: TurnPlace(actor), ObserverBlock(in: actor, block))
  }

  /// The changes of the objects as an asynchronous sequence, beginning with those there are.
  public var changes: ObservedChanges<ResultsChange<LinkingObjects<Element>>> { changes(nil) }

  private func changes(
    _ keyPaths: [String]?
  ) -> ObservedChanges<ResultsChange<LinkingObjects<Element>>> {
    let (originProperty, results) = (originProperty, _objects("Observing"))
    results.prepare("Observing linking objects")
    return ObservedChanges { ResultsTracker(results, keyPaths) }.mapped { change in
      change.map { LinkingObjects(originProperty: originProperty, results: $0) }
    }
  }

  private func observe(
    _ keyPaths: [String]?, on place: TurnPlace?,
    _ block: ObserverBlock<ResultsChange<LinkingObjects<Element>>>
  ) -> NotificationToken {
    let originProperty = originProperty
    return _objects("Observing").observe(
      keyPaths, on: place,
      ObserverBlock(anywhere: { change, details in
        block.call(
          change.map { LinkingObjects(originProperty: originProperty, results: $0) }, details)
      }))
  }
}

extension LinkingObjects: ObservableElements {
  func observeElements(
    keyPaths: [String], on place: TurnPlace?, _ block: ObserverBlock<ResultsChange<Self>>
  ) -> NotificationToken {
    observe(keyPaths, on: place, block)
  }

  func elementChanges(keyPaths: [String]) -> ObservedChanges<ResultsChange<Self>> {
    changes(keyPaths)
  }
}
