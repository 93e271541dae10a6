import AtollRealm
import Foundation

/// A folder of its own, removed with the value.
final class TemporaryFolder: Sendable {
  let path = FileManager.default.temporaryDirectory
    .appendingPathComponent("atoll-realm-\(UUID().uuidString)")

  init() {
    try? FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: path) }

  func configuration(_ types: [ObjectBase.Type]) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: path.appendingPathComponent("default.atoll"), objectTypes: types)
  }
}
