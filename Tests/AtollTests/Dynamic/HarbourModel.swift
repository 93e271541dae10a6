import Atoll
import Foundation
import StoreTestKit

// Harbours and the ships that call there: what the dynamic interface, linking objects, projections
// and observers are tried on.

/// A depth in whole fathoms; no more than a hundred converts.
struct Fathoms: FailableCustomPersistable, Hashable {
  typealias PersistedType = Int16
  var count: Int16

  init(_ count: Int16) { self.count = count }
  init?(persistedValue: Int16) {
    if persistedValue > 100 { return nil }
    count = persistedValue
  }
  var persistableValue: Int16 { count }
}

final class Harbour: Object {
  @Persisted(primaryKey: .either) var code: String
  @Persisted(.either) var name: String
  @Persisted(.either) var website: URL?
  @Persisted(.either) var entrance: Coordinate
  @Persisted(.either) var anchorage: Coordinate?
  @Persisted(.either) var depth: Fathoms
  @Persisted(.either) var tide: Fathoms?
  @Persisted(.either) var piers: List<Int8>
  @Persisted(originProperty: "home") var ships: LinkingObjects<Ship>
  @Persisted(originProperty: "calls") var callers: LinkingObjects<Ship>
}

final class Ship: Object {
  @Persisted(.either) var name: String
  @Persisted(indexed: .either) var crew: Int32
  @Persisted(.either) var home: Harbour?
  @Persisted(.either) var calls: List<Harbour>
}

extension Harbour {
  static let types: [ObjectBase.Type] = [Harbour.self, Ship.self, Location.self]
}

/// A store with two harbours and two ships, Kiel the home of both.
struct HarbourStore {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = TemporaryStore(Harbour.types)
    store = try folder.open()
    try store.write {
      let kiel = store.create(
        Harbour.self,
        value: [
          "code": "KIEL", "name": "Kiel", "website": "https://kiel.example",
          "entrance": [54.4, 10.2], "depth": 9, "piers": [1, 2, 3],
        ])
      let brest = store.create(
        Harbour.self, value: ["code": "BREST", "name": "Brest", "depth": 12])
      store.create(Ship.self, value: ["Adler", 12, kiel, [kiel, brest]])
      store.create(Ship.self, value: ["Bussard", 30, kiel, [brest]])
    }
  }

  func harbour(_ code: String) -> Harbour {
    store.object(ofType: Harbour.self, forPrimaryKey: code) ?? Harbour()
  }

  func ship(_ name: String) -> Ship {
    store.objects(Ship.self).where { $0.name == name }.first ?? Ship()
  }
}
