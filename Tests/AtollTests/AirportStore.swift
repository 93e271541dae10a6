import Atoll
import StoreTestKit

extension TemporaryStore {
  /// A store of airports.
  convenience init() { self.init(Airport.types) }
}

extension Store {
  /// A few airports in two countries.
  func fill() throws {
    try write {
      let switzerland = create(Country.self, value: ["CH", "Switzerland"])
      let france = create(Country.self, value: ["FR", "France"])
      add(Airport("LSZH", "Zürich", meters: 432, country: switzerland))
      add(Airport("LSZS", "Samedan", meters: 1707, country: switzerland))
      add(Airport("LFPG", "Paris", meters: 119, country: france))
      add(Airport("XXXX", "Nowhere", meters: 0))
    }
  }
}
