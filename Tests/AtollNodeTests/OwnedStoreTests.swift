import AtollNode
import AtollPresence
import AtollStorage
import AtollVocabulary
import LoopTestKit
import Testing

/// Whole nodes on a store that has owners.
@Suite struct OwnedStoreTests {
  private static func found(_ path: String) throws -> StoreID {
    let file = try StoreFile.open(path, options: StoreOptions(isOwned: true))
    defer { file.close() }
    return file.storeID
  }

  @Test
  func `issue 32: an owner's node admits whoever it lets write, and others wait for its word`()
    async throws
  {
    try await withFolder { folder in
      let (a, b, c) = (folder + "/a", folder + "/b", folder + "/c")
      let id = try Self.found(a)
      try await withNode(a, storeID: id) { owner in
        try await withNode(b, storeID: id, peers: [owner]) { middle in
          let (here, between) = (
            try TestApplication(a, storeID: id), try TestApplication(b, storeID: id)
          )
          // Of the same user, as the roster's writers are.
          try between.write(0..<10)
          try await here.wait(for: try between.file.appliedVector())
          #expect(try here.file.admission(of: between.file.author.replica) == .writer)
          try await withNode(c, storeID: id, peers: [middle]) { _ in
            let far = try TestApplication(c, storeID: id)
            try far.write(10..<20)
            let replica = far.file.author.replica
            // It hears why, and gets all the same what the others write.
            let told = try await status(of: c) { $0.peers.contains { $0.declined != nil } }
            let reason = try #require(told.peers.compactMap(\.declined).first)
            #expect(reason.contains("\(replica)") && reason.contains("atoll admit"), "\(reason)")
            try await far.wait(for: try here.file.appliedVector())
            #expect(try between.count() == 10)
            // The member at the other end of its link has asked for it, once.
            try await here.agree(with: between)
            let requests = try AdmissionRequests(of: here.file).pending()
            #expect(requests.map(\.replica) == [replica])
            #expect(requests.map(\.asker) == [between.file.author.replica])
            // Another process of the owner's says so, and nobody waits ten minutes.
            try here.file.admit(replica, as: .writer)
            try await here.wait(for: try far.file.appliedVector())
            try await here.agree(with: far)
            #expect(try here.count() == 20)
            #expect(try here.file.digest() == far.file.digest())
            // And nobody says any more that something is not taken.
            for path in [a, b, c] {
              let after = try await status(of: path) { $0.peers.allSatisfy { $0.declined == nil } }
              #expect(after.peers.filter(\.isConnected).count == after.peers.count)
            }
          }
        }
      }
    }
  }
}
