import Foundation

/// The stores that `@ThreadSafe` opened on the calling thread; they end when nothing uses them.
enum ThreadStores {
  private final class Entry {
    weak var store: Store?
    init(_ store: Store) { self.store = store }
  }

  private static let key = "atoll.stores"

  /// The thread's store of a file; stops if it cannot be opened.
  static func store(_ configuration: Store.Configuration) -> Store {
    let known = Thread.current.threadDictionary[key] as? [String: Entry] ?? [:]
    let name = configuration.path
    if let store = known[name]?.store, !store.isClosed { return store }
    do throws(Store.Error) {
      let store = try Store(configuration.observing, for: Confinement())
      var entries = known.filter { $0.value.store != nil }
      entries[name] = Entry(store)
      Thread.current.threadDictionary[key] = entries
      return store
    } catch {
      Trap.stop("Reading a @ThreadSafe property: \(error.message)")
    }
  }
}
