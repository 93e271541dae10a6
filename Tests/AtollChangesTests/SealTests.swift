import AtollChanges
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// Seals, as `protocol/identity.md` has them.
@Suite struct SealTests {
  static let store = StoreID(high: 0x0A0A_0A0A_0A0A_0A0A, low: 0x0A0A_0A0A_0A0A_0A0A)

  @Test func `every vector of a seal vouches for what it says, or does not`() throws {
    let blocks = try VectorFile("seals").blocks
    #expect(blocks.count >= 8)
    for block in blocks {
      let hash = try #require(ChainHash(try block.bytes("hash")))
      let id = ChangesetID(
        author: try block.author(),
        sequence: SequenceNumber(try #require(UInt64(try block.one("sequence")))), hash: hash)
      let store = try #require(StoreID(try block.one("store")))
      let seal = try #require(Seal(try block.bytes("public key") + block.bytes("signature")))
      let vouches = try block.one("vouches") == "yes"
      #expect(seal.vouches(for: id, in: store) == vouches, "\(block.description)")
    }
  }

  @Test func `a key makes the seal of the vector`() throws {
    let block = try #require(try VectorFile("seals").blocks.first)
    let key = ReplicaKey(random: { 0x0707_0707_0707_0707 })
    let author = try block.author()
    #expect(key.replica == author.replica)
    #expect(ReplicaKey(secret: key.secret)?.replica == key.replica)
    let hash = try #require(ChainHash(try block.bytes("hash")))
    let id = ChangesetID(author: author, sequence: SequenceNumber(3), hash: hash)
    let signature = try block.bytes("signature")
    #expect(key.seal(id, in: Self.store).signature == signature)
    // A branch is what others call a history; its author does not know of it when it signs.
    var branched = id
    branched.author = author.branch(Branch(9))
    #expect(key.seal(branched, in: Self.store) == key.seal(id, in: Self.store))
  }

  @Test func `anything but 96 bytes is no seal, and anything but 32 no key`() {
    for count in [0, 32, 64, 95, 97] { #expect(Seal([UInt8](repeating: 1, count: count)) == nil) }
    for count in [0, 31, 33] {
      #expect(ReplicaKey(secret: [UInt8](repeating: 1, count: count)) == nil)
    }
  }

  @Test(arguments: [0x00, 0x01, 0x7F, 0x80, 0xED, 0xFF] as [UInt8])
  func `a seal of any bytes is refused, and nothing traps`(byte: UInt8) throws {
    let seal = try #require(Seal([UInt8](repeating: byte, count: Seal.byteCount)))
    // Its key may be a point of small order, with which everything is signed: it names its own replica alone.
    let author = Author(
      replica: ReplicaKey(random: { 1 }).replica, incarnation: Incarnation(1))
    let id = ChangesetID(author: author, sequence: .first, hash: .origin(of: author))
    #expect(!seal.vouches(for: id, in: Self.store))
  }

  @Test(arguments: 0..<8)
  func `a process may end while its threads sign`(attempt: Int) async {
    // OpenSSL's exit handler would take it down under them.
    await #expect(processExitsWith: .success) {
      let key = ReplicaKey(random: { 1 })
      let author = Author(replica: key.replica, incarnation: Incarnation(1))
      let id = ChangesetID(author: author, sequence: .first, hash: .origin(of: author))
      for _ in 0..<4 {
        Thread.detachNewThread {
          while key.seal(id, in: SealTests.store).vouches(for: id, in: SealTests.store) {}
        }
      }
      try await Task.sleep(for: .milliseconds(50))
      // Not `return`, which ends such a process without its exit handlers.
      exit(EXIT_SUCCESS)
    }
  }

  @Test(.enabled(if: IndependentDecoder.isInstalled, "python3 is not installed"))
  func `a program in another language says the same of every seal`() throws {
    let output = try IndependentDecoder.output()
    for block in try VectorFile("seals").blocks {
      let key = try block.bytes("public key")
      let seal = try #require(Seal(key + block.bytes("signature")))
      let lines = [
        "replica: \(seal.replica)", "message: \(try block.one("message"))",
        "vouches: \(try block.one("vouches"))",
      ]
      let name = try block.one("name")
      #expect(output["seals: \(name)"] == lines)
    }
  }
}
