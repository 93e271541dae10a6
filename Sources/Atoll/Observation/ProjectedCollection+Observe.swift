public import Dispatch

extension ProjectedCollection {
  /// Calls `block` with the values there are, and again whenever elements come or go, or change in
  /// the property that is projected; see
  /// ``List/observe(keyPaths:on:_:)-(_,_,(ResultsChange<List<Element>>)->Void)``.
  public func observe(
    on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<ProjectedCollection<Value>>) -> Void
  ) -> NotificationToken {
    elements.observe(on: queue, ObserverBlock(block))
  }
}

/// Collections whose elements can be seen through one property, and observed.
protocol ObservableElements: RandomAccessCollection where Element: ObjectBase, Index == Int {
  /// Calls `block` with the collection as it is where the observer is called.
  func observeElements(
    keyPaths: [String], on queue: DispatchQueue?, _ block: ObserverBlock<ResultsChange<Self>>
  ) -> NotificationToken
}

extension ResultsChange {
  /// The same change of what is made of the collection.
  func map<Other>(_ make: (Collection) -> Other) -> ResultsChange<Other> {
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
  /// change; see ``Results/observe(keyPaths:on:_:)-(_,_,(ResultsChange<Results<Element>>)->Void)``.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<LinkingObjects<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, on: queue, ObserverBlock(block))
  }

  private func observe(
    _ keyPaths: [String]?, on queue: DispatchQueue?,
    _ block: ObserverBlock<ResultsChange<LinkingObjects<Element>>>
  ) -> NotificationToken {
    let originProperty = originProperty
    return _objects("Observing").observe(
      keyPaths, on: queue.map(TurnPlace.init),
      ObserverBlock(anywhere: { change, details in
        block.call(
          change.map { LinkingObjects(originProperty: originProperty, results: $0) }, details)
      }))
  }
}

extension LinkingObjects: ObservableElements {
  func observeElements(
    keyPaths: [String], on queue: DispatchQueue?, _ block: ObserverBlock<ResultsChange<Self>>
  ) -> NotificationToken {
    observe(keyPaths, on: queue, block)
  }
}
