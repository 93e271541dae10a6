import AtollPresence
import AtollSQLite
import AtollVocabulary
import Foundation
import LoopTestKit
import Testing

/// The state of a node as the files beside its store tell it.
@Suite struct ServiceStateTests {
  private static let status = StoreStatus(
    processID: 7, agent: "a node", listening: "127.0.0.1:4717", store: "s", replica: "r",
    applied: ["a": 3], peers: [StoreStatus.Peer(address: "b:1", isConnected: true)], time: 1000)

  /// Holds the lock of a node at the store while the body runs.
  private func serving(_ store: String, _ body: () throws -> Void) throws {
    let lock = try WriteLock(path: StorePaths(store).daemonLock, holderName: "a node")
    try lock.acquire(timeout: .zero)
    defer { lock.release() }
    try body()
  }

  @Test func `a store without files beside it is served by nobody`() async throws {
    try await withFolder { folder in
      #expect(ServiceState(ofStoreAt: folder + "/s", at: 1000) == .nobody)
      #expect(StoreStatus.current(ofStoreAt: folder + "/s") == nil)
    }
  }

  @Test func `a node that holds the lock and has spoken lately is serving`() async throws {
    try await withFolder { folder in
      let store = folder + "/s"
      try serving(store) {
        try Self.status.write(beside: StorePaths(store))
        #expect(ServiceState(ofStoreAt: store, at: 31_000) == .serving(Self.status))
        #expect(StoreStatus.current(ofStoreAt: store) == Self.status)
      }
    }
  }

  @Test func `a node that has said nothing for three heartbeats is silent`() async throws {
    try await withFolder { folder in
      let store = folder + "/s"
      try serving(store) {
        try Self.status.write(beside: StorePaths(store))
        let state = ServiceState(ofStoreAt: store, at: 31_001)
        #expect(state == .silent(Self.status, for: .milliseconds(30_001)))
        #expect(state.status == Self.status)
      }
    }
  }

  @Test func `a node that left its words and no lock has ended without saying so`() async throws {
    try await withFolder { folder in
      let store = folder + "/s"
      try Self.status.write(beside: StorePaths(store))
      #expect(ServiceState(ofStoreAt: store, at: 1000) == .ended(Self.status))
      #expect(StoreStatus.current(ofStoreAt: store) == nil)
      StoreStatus.remove(beside: StorePaths(store))
      #expect(ServiceState(ofStoreAt: store, at: 1000) == .nobody)
    }
  }

  @Test func `words that are missing or nonsense are told where a node holds the lock`()
    async throws
  {
    try await withFolder { folder in
      let (store, path) = (folder + "/s", folder + "/s-status")
      try serving(store) {
        #expect(
          ServiceState(ofStoreAt: store, at: 1000) == .unreadable("\(path) is missing"))
        try "{}".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(
          ServiceState(ofStoreAt: store, at: 1000)
            == .unreadable("\(path) is not what a node writes"))
      }
      #expect(ServiceState(ofStoreAt: store, at: 1000) == .nobody)
    }
  }

  @Test func `a store that is named by a symbolic link has the files of its target`() async throws {
    try await withFolder { folder in
      let link = folder + "/link"
      try "".write(toFile: folder + "/s", atomically: false, encoding: .utf8)
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder + "/s")
      #expect(StorePaths(link) == StorePaths(folder + "/s"))
    }
  }
}
