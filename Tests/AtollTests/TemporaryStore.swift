import Atoll
import Foundation
import Synchronization
import TestKit

/// A store file of its own, removed with the value.
final class TemporaryStore: Sendable {
  private let place: TemporaryFolder
  let file: URL
  let types: [ObjectBase.Type]

  var folder: URL { place.url }

  init(_ types: [ObjectBase.Type] = Airport.types) throws {
    place = try TemporaryFolder()
    file = place.file("store.atoll")
    self.types = types
  }

  var configuration: Store.Configuration {
    Store.Configuration(fileURL: file, objectTypes: types)
  }

  func open() throws -> Store { try Store(configuration: configuration) }

  /// Opens it in a process that ends with a trap; the folder stays until another process sweeps.
  func openToTheEnd() throws -> Store {
    Self.kept.withLock { $0.append(self) }
    return try open()
  }

  private static let kept = Mutex<[TemporaryStore]>([])
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
