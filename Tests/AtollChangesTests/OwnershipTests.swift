import AtollChanges
import AtollVocabulary
import TestKit
import Testing

/// Stores that have owners, as `protocol/owners.md` has them.
@Suite struct OwnershipTests {
  @Test func `every vector says who founds what`() throws {
    let blocks = try VectorFile("owners").blocks
    #expect(blocks.count >= 6)
    for block in blocks {
      let replica = try #require(ReplicaID(try block.one("replica")))
      let store = try #require(StoreID(try block.one("store")))
      #expect(try "\(StoreID(foundedBy: replica))" == block.one("founds"))
      #expect(try store.isOwned == (block.one("owned") == "yes"), "\(block.description)")
      let isFounder = StoreID(foundedBy: replica) == store
      #expect(try isFounder == (block.one("founder") == "yes"), "\(block.description)")
    }
  }

  @Test func `issue 32: every vector says which replica a recovery code stands for`() throws {
    let blocks = try VectorFile("recovery").blocks
    #expect(blocks.count >= 3)
    for block in blocks {
      let code = try #require(RecoveryCode(try block.one("code")))
      #expect(try Hexadecimal.text(bytes: code.secret) == block.one("secret"))
      #expect(try "\(code)" == block.one("code"))
      let key = ReplicaKey(recovery: code)
      #expect(try Hexadecimal.text(bytes: key.secret) == block.one("private key"))
      #expect(try "\(key.replica)" == block.one("replica"))
    }
  }

  @Test func `a drawn id has no owners, whatever is drawn`() {
    for word in [UInt64.min, .max, 0x8888_8888_8888_8888] {
      #expect(!StoreID(unowned: { word }).isOwned)
    }
  }

  @Test(.enabled(if: IndependentDecoder.isInstalled, "python3 is not installed"))
  func `a program in another language says the same of every store`() throws {
    let output = try IndependentDecoder.output()
    for block in try VectorFile("owners").blocks {
      let name = try block.one("name")
      #expect(
        try output["owners: \(name)"]
          == ["founds: \(block.one("founds"))", "owned: \(block.one("owned"))"])
    }
    for block in try VectorFile("recovery").blocks {
      let name = try block.one("name")
      #expect(
        try output["recovery: \(name)"]
          == ["private key: \(block.one("private key"))", "replica: \(block.one("replica"))"])
    }
  }
}
