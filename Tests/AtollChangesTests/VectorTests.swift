import AtollChanges
import AtollVocabulary
import TestKit
import Testing

@Suite struct VectorTests {
  @Test func `every changeset vector decodes to its meaning and encodes to its bytes`() throws {
    let blocks = try VectorFile("changesets").blocks
    #expect(blocks.count >= 69)
    for block in blocks {
      let bytes = try block.bytes("bytes")
      let changeset = try Changeset(decoding: bytes, author: block.author())
      #expect(changeset.lines == block.all("means"), "\(block.description)")
      #expect(changeset.encoded() == bytes, "\(block.description)")
    }
  }

  @Test func `every refused vector is refused for its reason, at its byte`() throws {
    let blocks = try VectorFile("refused").blocks
    #expect(blocks.count >= 45)
    for block in blocks {
      let author = try block.author()
      let bytes = try block.bytes("bytes")
      let error = try #require(throws: ChangesetError.self, "\(block.description)") {
        try Changeset(decoding: bytes, author: author)
      }
      #expect(
        try "\(error.kind) at \(error.place)" == block.one("refused"), "\(block.description)")
    }
  }

  @Test func `every chain vector has its hash`() throws {
    let blocks = try VectorFile("chain").blocks
    #expect(!blocks.isEmpty)
    for block in blocks {
      var hash = ChainHash.origin(of: try block.author())
      #expect(try hash.description == block.one("origin"))
      for (bytes, next) in zip(block.all("bytes"), block.all("hash")) {
        hash = hash.following(try #require(Hexadecimal.bytes(bytes)))
        #expect(hash.description == next)
      }
    }
  }

  @Test func `every position vector has its key`() throws {
    let blocks = try VectorFile("positions").blocks
    #expect(blocks.count >= 10)
    for block in blocks {
      let left = try block.all("left").first.map { _ in PositionKey(bytes: try block.bytes("left"))
      }
      let right = try block.all("right").first.map { _ in
        PositionKey(bytes: try block.bytes("right"))
      }
      let key = PositionKey.between(left, right, author: try block.author())
      #expect(try key.bytes == block.bytes("key"), "\(block.description)")
    }
  }
}
