public import Dispatch

/// Results seen as projections: lazy and live as the results of the objects are.
///
/// Conditions and orders are those of the objects, in their terms.
public struct ProjectedResults<Element: ObservableProjection> where Element.Root: Object {
  /// The objects behind the projections.
  public let objects: Results<Element.Root>

  /// The store the results belong to.
  public var store: Store { objects.store }

  /// The projections whose objects satisfy a condition too.
  public func `where`(
    _ isIncluded: (Query<Element.Root>) -> Query<Bool>
  ) -> ProjectedResults {
    ProjectedResults(objects: objects.where(isIncluded))
  }

  /// The projections whose objects satisfy a predicate in text too; see ``Results/filter(_:_:)``.
  public func filter(_ predicate: String, _ arguments: Any?...) -> ProjectedResults {
    ProjectedResults(objects: objects.filter(predicate, given: arguments))
  }

  /// The projections ordered by a property of their objects, nil first.
  public func sorted<Value: _PropertyValue>(
    by path: KeyPath<Element.Root, Value>, ascending: Bool = true
  ) -> ProjectedResults where Value.PersistedType: _Sortable {
    ProjectedResults(objects: objects.sorted(by: path, ascending: ascending))
  }

  /// The projections ordered by a property of their objects, which may be reached through links.
  public func sorted(byKeyPath path: String, ascending: Bool = true) -> ProjectedResults {
    ProjectedResults(objects: objects.sorted(byKeyPath: path, ascending: ascending))
  }

  /// Calls `block` with the projections there are, and again whenever one of them comes, goes, or
  /// changes in what it projects; see `observe` of ``Results``.
  ///
  /// With `keyPaths` only changes of the projected properties of those names count.
  @_disfavoredOverload
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<ProjectedResults<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in the same way, and also says who made the change and what changed places.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<ProjectedResults<Element>>, ChangeDetails) -> Void
  ) -> NotificationToken {
    observe(keyPaths, queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in an actor, with it.
  public func observe<A: Actor>(
    keyPaths: [String]? = nil, on actor: A,
    _ block: @escaping @Sendable (isolated A, ResultsChange<ProjectedResults<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths, TurnPlace(actor), ObserverBlock(in: actor, block))
  }

  /// Calls `block` in the same way, for changes of the projected properties that key paths lead to.
  @_disfavoredOverload
  public func observe(
    keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<ProjectedResults<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.flatMap(Element.names), on: queue, block)
  }

  /// The changes of the projections as an asynchronous sequence, beginning with those there are.
  public var changes: ObservedChanges<ResultsChange<ProjectedResults<Element>>> {
    objects.prepare("Observing projections")
    let (objects, paths) = (objects, observedPaths(nil))
    return ObservedChanges { ResultsTracker(objects, paths) }.mapped { change in
      change.map { ProjectedResults(objects: $0) }
    }
  }

  private func observedPaths(_ names: [String]?) -> [String] {
    Element.observed(names).flatMap(\.observedPaths)
  }

  private func observe(
    _ names: [String]?, _ place: TurnPlace?,
    _ block: ObserverBlock<ResultsChange<ProjectedResults<Element>>>
  ) -> NotificationToken {
    objects.observe(
      observedPaths(names), on: place,
      ObserverBlock(anywhere: { change, details in
        block.call(change.map { ProjectedResults(objects: $0) }, details)
      }))
  }
}

extension ProjectedResults: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { objects.count }

  public subscript(index: Int) -> Element { Element(projecting: objects[index]) }

  /// The first projection; the rest is not read.
  public var first: Element? { objects.first.map { Element(projecting: $0) } }

  /// Iterates over the objects there are now, whatever changes meanwhile.
  public func makeIterator() -> ElementIterator<Element> {
    let objects = objects.makeIterator()
    return ElementIterator { objects.next().map { Element(projecting: $0) } }
  }
}

extension Store {
  /// Projections of all objects of a class, until narrowed down by `where`.
  public func objects<Element: ObservableProjection>(
    _ type: Element.Type
  ) -> ProjectedResults<Element> where Element.Root: Object {
    ProjectedResults(objects: objects(Element.Root.self))
  }
}
