import Atoll
import AtollNode
import AtollPresence
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// An application with a store of its own.
@MainActor struct Place {
  let store: Store
  let sync: Sync
}

/// Replicas of one store in a folder that goes with them.
@MainActor final class Places {
  private let folder = TemporaryFolder()
  private let storeID = UUID()
  private var paths: Set<String> = []

  /// Nodes let go of their files a little after the stores are gone.
  isolated deinit {
    let deadline = ContinuousClock.now + .seconds(5)
    while paths.contains(where: isServed), ContinuousClock.now < deadline { usleep(2_000) }
  }

  private func isServed(_ path: String) -> Bool {
    ServiceState(ofStoreAt: path, at: 0) != .nobody
  }

  func path(_ name: String) -> String { folder.path("\(name).atoll") }

  /// The file of the key that a place has for itself.
  func key(_ name: String) -> URL { folder.file("\(name).pem") }

  func open(
    _ name: String, peers: [String] = [], listens: Bool = false, isServed: Bool = true,
    security: Store.Configuration.Security = .toOtherMachines, storeID: UUID? = nil,
    hasOwners: Bool = false
  ) throws -> Place {
    var configuration = Store.Configuration(
      fileURL: URL(fileURLWithPath: path(name)),
      storeID: storeID ?? (hasOwners ? nil : self.storeID), objectTypes: [Note.self])
    configuration.hasOwners = hasOwners
    if isServed {
      configuration.node = .embedded(
        peers: peers, listen: listens ? "127.0.0.1:0" : nil,
        key: security == .always ? key(name) : nil, security: security)
    }
    let store = try Store(configuration: configuration)
    paths.insert(path(name))
    return Place(store: store, sync: store.sync)
  }

  /// Returns the port at which the node of a place listens, once it does.
  func port(of place: Place) async throws -> String {
    for try await status in place.sync.statuses {
      if let address = status.listening { return address }
    }
    throw NothingListens()
  }

  func name(_ place: String, _ name: String) throws {
    let file = try StoreFile.open(path(place))
    defer { file.close() }
    try file.setReplicaName(name)
  }

  func retire(_ replica: String, in place: String) throws {
    let file = try StoreFile.open(path(place))
    defer { file.close() }
    try file.retire(try #require(ReplicaID(replica)))
  }

  /// Why a wait ended in vain; nil if it did not.
  func failure(_ wait: () async throws -> Void) async -> Sync.WaitError? {
    do {
      try await wait()
      Issue.record("it did not wait")
      return nil
    } catch {
      let failure = error as? Sync.WaitError
      if failure == nil { Issue.record("\(error)") }
      return failure
    }
  }
}

struct NothingListens: Error {}
