package import Atoll
package import Foundation
import Synchronization
import TestKit

/// A store file of its own, removed with the value.
package final class TemporaryStore: Sendable {
  private let place = TemporaryFolder()
  package let types: [ObjectBase.Type]

  package init(_ types: [ObjectBase.Type]) { self.types = types }

  package var folder: URL { place.url }
  package var file: URL { place.file("store.atoll") }

  package var configuration: Store.Configuration {
    Store.Configuration(fileURL: file, objectTypes: types)
  }

  package func open() throws -> Store { try Store(configuration: configuration) }

  /// Opens it in a process that ends with a trap; the folder stays until another process sweeps.
  package func openToTheEnd() throws -> Store {
    Self.kept.withLock { $0.append(self) }
    return try open()
  }

  private static let kept = Mutex<[TemporaryStore]>([])
}
