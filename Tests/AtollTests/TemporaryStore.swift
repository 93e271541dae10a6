import Atoll
import Foundation

/// A store file of its own, removed with the value.
final class TemporaryStore: Sendable {
  let folder: URL
  let file: URL
  let types: [ObjectBase.Type]

  init(_ types: [ObjectBase.Type] = Airport.types) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("atoll-\(UUID().uuidString)")
    file = folder.appendingPathComponent("store.atoll")
    self.types = types
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var configuration: Store.Configuration {
    Store.Configuration(fileURL: file, objectTypes: types)
  }

  func open() throws -> Store { try Store(configuration: configuration) }
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
