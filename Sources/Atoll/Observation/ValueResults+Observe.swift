import AtollStorage
import AtollVocabulary
public import Dispatch

extension ValueResults {
  /// Calls `block` with the values there are, and again whenever others come, go or change; for the
  /// arguments see `observe` of ``List``.
  @_disfavoredOverload
  public func observe(
    on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<ValueResults<Element>>) -> Void
  ) -> NotificationToken {
    observe(queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in the same way, and also says who made the change and what changed places.
  public func observe(
    on queue: DispatchQueue? = nil,
    _ block: @escaping @Sendable (ResultsChange<ValueResults<Element>>, ChangeDetails) -> Void
  ) -> NotificationToken {
    observe(queue.map(TurnPlace.init), ObserverBlock(block))
  }

  /// Calls `block` in an actor, with it.
  ///
  /// If it is the actor of this store, `block` is given these values.
  public func observe<A: Actor>(
    on actor: A,
    _ block: @escaping @Sendable (isolated A, ResultsChange<ValueResults<Element>>) -> Void
  ) -> NotificationToken {
    observe(TurnPlace(actor), ObserverBlock(in: actor, block))
  }

  /// The changes of the values as an asynchronous sequence, beginning with those there are.
  public var changes: ObservedChanges<ResultsChange<ValueResults<Element>>> {
    let start = CollectionStart(of: collection)
    return ObservedChanges { ValuesTracker(self, start) }
  }

  private func observe(
    _ place: TurnPlace?, _ block: ObserverBlock<ResultsChange<ValueResults<Element>>>
  ) -> NotificationToken {
    let start = CollectionStart(of: collection)
    let observers = store.observers(on: place)
    let own = observers.belongs(to: store) ? Confined(value: self) : nil
    let query = query
    return Observation<ValuesTracker<Element>>(
      observers,
      make: { store throws(Store.Error) in
        if let own { return ValuesTracker(own.value, start) }
        return ValuesTracker(ValueResults(try start.present(in: store), query), start)
      }, block: block
    ).start()
  }
}

/// The contents that an observer of values was last shown, and the difference to the present ones.
private struct ValuesTracker<Element: _ListElement>: ChangeTracker {
  private let values: ValueResults<Element>
  private let place: CollectionStart
  private var shown = CollectionContent()
  private(set) var number = CommitNumber(0)
  private(set) var details = ChangeDetails()

  init(_ values: ValueResults<Element>, _ place: CollectionStart) {
    self.values = values
    self.place = place
  }

  var store: Store { values.store }

  static func failure(_ error: Store.Error) -> ResultsChange<ValueResults<Element>>? {
    .error(error)
  }

  mutating func start() throws(Store.Error) -> ResultsChange<ValueResults<Element>>? {
    store.moveOn()
    number = store.commitNumber
    shown = try content()
    return .initial(values)
  }

  mutating func advance() throws(Store.Error) -> ResultsChange<ValueResults<Element>>? {
    store.moveOn()
    if store.commitNumber == number { return nil }
    let effects = try store.effects(after: number)
    number = store.commitNumber
    guard place.isTouched(by: effects) else { return nil }
    let before = shown
    shown = try content()
    let difference = shown.difference(from: before, isModified: { _ in false })
    if difference.isEmpty { return nil }
    details = ChangeDetails(origins: effects.origins, moves: difference.moves)
    return .update(
      values, deletions: difference.deletions, insertions: difference.insertions,
      modifications: difference.modifications)
  }

  /// The values; none if what had the collection was deleted.
  private func content() throws(Store.Error) -> CollectionContent {
    var content = CollectionContent()
    do {
      content.elements = try store.file.elements(values.query)
    } catch {
      throw Store.Error(error)
    }
    return content
  }
}
