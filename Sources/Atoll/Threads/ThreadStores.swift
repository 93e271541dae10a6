import Foundation
import Synchronization

// Stores that are opened for who has none: of the calling thread, and of actors.

/// The stores that `@ThreadSafe` and `thaw()` opened on the calling thread; they end when nothing uses
/// them.
enum ThreadStores {
  private static let key = "atoll.stores"

  /// The thread's store of a file; stops if it cannot be opened.
  static func store(
    _ configuration: Store.Configuration, for purpose: @autoclosure () -> String
  ) -> Store {
    let known = Thread.current.threadDictionary[key] as? [String: WeakStore] ?? [:]
    let name = configuration.path
    if let store = known[name]?.open { return store }
    let store = Store.opened(configuration, for: Confinement(), purpose())
    var entries = known.filter { $0.value.open != nil }
    entries[name] = WeakStore(store)
    Thread.current.threadDictionary[key] = entries
    return store
  }
}

/// The stores that `thaw()` opened for actors; they end when nothing uses them.
///
/// An entry is only looked into in its actor, so that no store ends anywhere else.
enum ActorStores {
  private struct Key: Hashable {
    let place: TurnPlace.Identity
    let path: String
  }

  /// A store keeps its actor, so that an identity means the same one as long as there is an entry.
  private static let known = Mutex<[Key: WeakStore]>([:])

  /// The store of a file that belongs to the actor, which calls; stops if it cannot be opened.
  static func store(_ configuration: Store.Configuration, in actor: any Actor) -> Store {
    let place = TurnPlace(actor)
    let key = Key(place: place.identity, path: configuration.path)
    if let store = known.withLock({ $0[key].map { Confined(value: $0.open) } })?.value {
      return store
    }
    let store = Store.opened(
      configuration, for: Confinement(to: place), "Thawing something frozen")
    let entry = WeakStore(store)
    known.withLock { $0[key] = entry }
    return store
  }

  /// Called when a store of a place ends.
  static func forget(_ path: String, in place: TurnPlace) {
    known.withLock { known in
      let key = Key(place: place.identity, path: path)
      if let entry = known[key], entry.store == nil { known[key] = nil }
    }
  }
}

/// A store that others keep.
private final class WeakStore: @unchecked Sendable {
  // Only used where the store belongs, but for looking whether it is still there.
  private(set) weak var store: Store?

  init(_ store: Store) { self.store = store }

  var open: Store? { store.flatMap { $0.isClosed ? nil : $0 } }
}

extension Store {
  fileprivate static func opened(
    _ configuration: Configuration, for place: Confinement, _ purpose: String
  ) -> Store {
    do throws(Error) {
      return try Store(configuration.observing, for: place)
    } catch {
      Trap.stop("\(purpose): \(error.message)")
    }
  }
}
