package import Dispatch
import Foundation
import Synchronization

// Stores that are found again where they belong: by `@ThreadSafe`, by `thaw()`, and by whoever opens a
// store in the manner of Realm.

/// The open stores of each thread, queue and actor, as long as something uses them.
///
/// A store is only looked into where it belongs, so that none ends anywhere else.
enum SharedStores {
  private struct Key: Hashable {
    let place: TurnPlace.Identity
    let path: String
  }

  /// Those of queues and actors; a store keeps its place, so that an identity means the same one as
  /// long as there is an entry.
  private static let known = Mutex<[Key: [WeakStore]]>([:])
  private static let key = "atoll.stores"

  /// The store of an equal configuration that is open in the place, where the caller is, or the one
  /// that `open` makes.
  static func store(
    _ configuration: Store.Configuration, for place: Confinement,
    orOpen open: () throws(Store.Error) -> Store
  ) throws(Store.Error) -> Store {
    if let store = openStore(configuration, in: place) { return store }
    let store = try open()
    let path = configuration.path
    let others = entries(path, place).filter { $0.open != nil }
    setEntries(others + [WeakStore(store)], path, place)
    return store
  }

  /// The store of an equal configuration that is open in the place, where the caller is.
  static func openStore(_ configuration: Store.Configuration, in place: Confinement) -> Store? {
    entries(configuration.path, place).lazy.compactMap(\.open)
      .first { $0.configuration.opensTheSame(as: configuration) }
  }

  /// Called when a store of a place ends.
  static func forget(_ path: String, in place: TurnPlace) {
    known.withLock { known in
      let key = Key(place: place.identity, path: path)
      known[key]?.removeAll { $0.store == nil }
      if known[key]?.isEmpty == true { known[key] = nil }
    }
  }

  private static func entries(_ path: String, _ place: Confinement) -> [WeakStore] {
    if let turns = place.turns {
      return known.withLock { $0[Key(place: turns.identity, path: path)] ?? [] }
    }
    return ofThread[path] ?? []
  }

  private static func setEntries(_ entries: [WeakStore], _ path: String, _ place: Confinement) {
    if let turns = place.turns {
      known.withLock { $0[Key(place: turns.identity, path: path)] = entries }
    } else {
      var stores = ofThread.filter { $0.value.contains { $0.store != nil } }
      stores[path] = entries
      Thread.current.threadDictionary[key] = stores
    }
  }

  private static var ofThread: [String: [WeakStore]] {
    Thread.current.threadDictionary[key] as? [String: [WeakStore]] ?? [:]
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
  /// The store that is open with an equal configuration on the calling thread or on the queue, or a
  /// new one.
  package static func shared(
    _ configuration: Configuration, queue: DispatchQueue?
  ) throws(Error) -> Store {
    let place = queue.map { Confinement(to: TurnPlace($0)) } ?? Confinement()
    if !place.isCurrent { return try Store(configuration, for: place) }
    return try SharedStores.store(configuration, for: place) { () throws(Error) in
      try Store(configuration, for: place)
    }
  }

  /// The store that is open with an equal configuration in the actor, which calls.
  static func sharedIfOpen(_ configuration: Configuration, in actor: any Actor) -> Store? {
    SharedStores.openStore(configuration, in: Confinement(to: TurnPlace(actor)))
  }

  /// The store that is open with an equal configuration in the actor, which calls, or a new one.
  static func shared(
    _ configuration: Configuration, in actor: any Actor
  ) throws(Error) -> Store {
    let place = Confinement(to: TurnPlace(actor))
    return try SharedStores.store(configuration, for: place) { () throws(Error) in
      try Store(configuration, for: place)
    }
  }

  /// The open store of a place where the caller is, or a new one that only looks; stops if it cannot
  /// be opened.
  static func found(
    _ configuration: Configuration, for place: Confinement, _ purpose: @autoclosure () -> String
  ) -> Store {
    do throws(Error) {
      return try SharedStores.store(configuration, for: place) { () throws(Error) in
        try Store(configuration.observing, for: place)
      }
    } catch {
      Trap.stop("\(purpose()): \(error.message)")
    }
  }
}

extension Store.Configuration {
  /// Tells whether a store with the other configuration would be the same one.
  fileprivate func opensTheSame(as other: Self) -> Bool {
    isReadOnly == other.isReadOnly && schemaVersion == other.schemaVersion
      && objectTypes.map { Set($0.map { ObjectIdentifier($0) }) }
        == other.objectTypes.map { Set($0.map { ObjectIdentifier($0) }) }
  }
}
