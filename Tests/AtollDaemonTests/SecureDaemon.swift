import AtollEventLoop
import AtollNode
import AtollPresence
import AtollStorage
import AtollTransport
import AtollVocabulary
import Foundation
import LoopTestKit

/// A daemon whose links are all secured, in a folder of its own, with its store and key.
struct SecureDaemon {
  let folder: String
  let store: String
  let process: DaemonProcess
  let port: UInt16

  static let storeID = StoreID(high: 0x5EC0_4E, low: 0x0A70_11)

  /// Starts a daemon in a new folder inside `folder`.
  init(
    _ name: String, in folder: String, admitting keys: [String] = [], _ arguments: [String] = []
  ) async throws {
    self.folder = folder + "/" + name
    store = self.folder + "/s.atoll"
    try FileManager.default.createDirectory(
      atPath: self.folder, withIntermediateDirectories: true)
    let file = try StoreFile.open(store, options: StoreOptions(storeID: Self.storeID))
    for key in keys {
      let identity = try IdentityFile(key).open().identity
      try file.admit(RosterEntry(identity: identity, name: key))
    }
    file.close()
    process = try DaemonProcess(
      ["--store", store, "--listen", "127.0.0.1:0", "--tls"] + arguments, in: self.folder)
    port = try await process.port()
  }

  var address: String { "127.0.0.1:\(port)" }
  var key: String { IdentityFile(besideStore: store).path }

  /// Opens the store as a command does.
  func file() throws -> StoreFile {
    try StoreFile.open(store, options: StoreOptions(mayCreate: false))
  }

  func status() -> StoreStatus? { StoreStatus.current(ofStoreAt: store) }

  /// The status once it is as wanted; looked at whenever the folder changes.
  func status(
    within bound: Duration = .seconds(20), where isWanted: @escaping @Sendable (StoreStatus) -> Bool
  ) async throws -> StoreStatus {
    let found = Promise<StoreStatus>()
    try await withLoop { [self] place in
      try await place.run { place throws(EventLoopError) in
        @Sendable func look() {
          if let status = status(), isWanted(status) { found.keep(status) }
        }
        _ = try FileWatch(path: folder, loop: place.loop) { _ in look() }
        look()
      }
      _ = try await found.value(within: bound)
    }
    return try await found.value()
  }
}
