import AtollStorage
import AtollVocabulary
import Synchronization

/// Things that belong to one thread, queue or actor, and can be handed over.
///
/// Conformances are the library's own.
public protocol ThreadConfined {
  /// The store that the thing belongs to; nil if none manages it.
  var _confiningStore: Store? { get }
  func _handingOver() -> _HandedOver
  /// True if the thing can no longer be read.
  var isInvalidated: Bool { get }
  /// True if the thing shows one version for good, and may be used anywhere.
  var isFrozen: Bool { get }
  /// The thing as it is in the version that its store shows; see ``Store/freeze()``.
  func freeze() -> Self
  /// The live thing; nil if it is gone.
  func thaw(isolation: isolated (any Actor)?) -> Self?
}

extension ThreadConfined {
  /// The live thing, in the live store that ``Store/thaw(isolation:)`` gives; nil if it is gone.
  public func thaw(isolation: isolated (any Actor)? = #isolation) -> Self? {
    thaw(isolation: isolation)
  }
}

/// The description by which the same thing is found in another store of the file.
public struct _HandedOver: @unchecked Sendable {
  /// Nil if it is not there any more; made of values alone.
  package let find: (Store) -> Any?

  package init(find: @escaping (Store) -> Any?) { self.find = find }
}

/// Takes a thing that belongs to one thread, queue or actor to another one, once.
///
/// ```swift
/// let reference = ThreadSafeReference(to: airport)
/// queue.async {
///   let store = try! Store(configuration: configuration, queue: queue)
///   guard let airport = store.resolve(reference) else { return }  // it was deleted meanwhile
/// }
/// ```
public final class ThreadSafeReference<Confined: ThreadConfined>: Sendable {
  private struct State {
    var find: _HandedOver?
  }

  private let state: Mutex<State>
  /// The commit that the thing was last seen in.
  fileprivate let number: CommitNumber

  /// Makes a reference to something of a store; stops if no store manages it.
  public init(to confined: Confined) {
    guard let store = confined._confiningStore else {
      Trap.stop(
        "Making a reference to a \(Confined.self) that no store manages. Give it to a store first.")
    }
    store.checkAccess("Making a reference to a \(Confined.self)")
    number = store.commitNumber
    state = Mutex(State(find: confined._handingOver()))
  }

  fileprivate func take() -> _HandedOver {
    let find = state.withLock { state in
      defer { state.find = nil }
      return state.find
    }
    guard let find else {
      Trap.stop(
        "Resolving a reference to a \(Confined.self) again: it serves once. Make another one.")
    }
    return find
  }
}

extension Store {
  /// Returns the thing of a reference in this store; nil if it was deleted.
  ///
  /// The store moves on if it shows a state from before the reference was made.
  public func resolve<Confined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
    checkAccess("Resolving a reference to a \(Confined.self)")
    let find = reference.take()
    pin()
    if commitNumber < reference.number { refresh() }
    return find.find(self) as? Confined
  }
}

/// Holds something of a store for whatever thread asks.
///
/// Each thread gets its own: the reading thread's store of the same file is opened, or the one that
/// the last reading on that thread opened is used again. It reads nil if the thing was deleted.
///
/// ```swift
/// @ThreadSafe var airport = airports.first
/// DispatchQueue.global().async { print(airport?.name ?? "gone") }
/// ```
@propertyWrapper
public final class ThreadSafe<Confined: ThreadConfined>: Sendable {
  private struct State {
    var configuration: Store.Configuration?
    var find: _HandedOver?
    var number = CommitNumber(0)
  }

  private let state: Mutex<State>

  /// A variable that holds what may be passed on; nil if nothing.
  public init(wrappedValue: Confined?) { state = Mutex(Self.state(wrappedValue)) }

  /// The object, collection or results, of the reading thread's store; nil if the thing was deleted.
  public var wrappedValue: Confined? {
    get {
      let state = state.withLock { $0 }
      guard let configuration = state.configuration, let find = state.find else { return nil }
      let store = Store.found(
        configuration, for: Confinement(), "Reading a @ThreadSafe property")
      if store.commitNumber < state.number { store.refresh() }
      return find.find(store) as? Confined
    }
    set {
      let new = Self.state(newValue)
      state.withLock { $0 = new }
    }
  }

  /// The wrapper, to be passed on as an argument.
  public var projectedValue: ThreadSafe { self }

  private static func state(_ confined: Confined?) -> State {
    guard let confined else { return State() }
    guard let store = confined._confiningStore else {
      Trap.stop(
        "Keeping a \(Confined.self) that no store manages for other threads. Give it to a store "
          + "first.")
    }
    store.checkAccess("Keeping a \(Confined.self) for other threads")
    return State(
      configuration: store.configuration, find: confined._handingOver(),
      number: store.commitNumber)
  }
}
