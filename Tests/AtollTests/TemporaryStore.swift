import Atoll
import Foundation
import Synchronization

/// A store file of its own, removed with the value.
///
/// The process of an exit test ends without removing anything; what such a one has left is removed by
/// the next process that makes a store, and when this one ends.
final class TemporaryStore: Sendable {
  let folder: URL
  let file: URL
  let types: [ObjectBase.Type]

  init(_ types: [ObjectBase.Type] = Airport.types) throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(Self.prefix)\(getpid())-\(UUID().uuidString)")
    file = folder.appendingPathComponent("store.atoll")
    self.types = types
    _ = Self.sweeping
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private static let prefix = "atoll-test-"

  /// Removes what processes that are no more have left, now and when this one ends.
  private static let sweeping: Void = {
    sweep()
    atexit { TemporaryStore.sweep() }
  }()

  private static func sweep() {
    let parent = FileManager.default.temporaryDirectory
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let process = name.dropFirst(prefix.count).prefix { $0 != "-" }
      guard let id = pid_t(process), id == getpid() || kill(id, 0) != 0 && errno == ESRCH else {
        continue
      }
      try? FileManager.default.removeItem(at: parent.appendingPathComponent(name))
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

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
