import AtollChanges
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// `protocol/tools/decode.py` was written from the pages alone and shares no code with this module.
@Suite(.enabled(if: IndependentDecoder.isInstalled, "python3 is not installed"))
struct IndependentDecoderTests {
  @Test func `a decoder in another language says the same of every changeset vector`() throws {
    let output = try IndependentDecoder.output()
    for block in try VectorFile("changesets").blocks {
      let changeset = try Changeset(decoding: block.bytes("bytes"), author: block.author())
      let name = try block.one("name")
      #expect(output["changesets: \(name)"] == changeset.lines.map { "means: \($0)" }, "\(name)")
    }
  }

  @Test func `a decoder in another language refuses what is refused, at the same byte`() throws {
    let output = try IndependentDecoder.output()
    for block in try VectorFile("refused").blocks {
      let (bytes, author) = (try block.bytes("bytes"), try block.author())
      let error = try #require(throws: ChangesetError.self) {
        try Changeset(decoding: bytes, author: author)
      }
      let name = try block.one("name")
      #expect(output["refused: \(name)"] == ["refused: \(error.kind) at \(error.place)"], "\(name)")
    }
  }

  @Test func `a program in another language finds the same hashes and the same position keys`()
    throws
  {
    let output = try IndependentDecoder.output()
    for block in try VectorFile("chain").blocks {
      let (author, bytes) = (try block.author(), block.all("bytes"))
      var hash = ChainHash.origin(of: author)
      var lines = ["origin: \(hash)"]
      for text in bytes {
        hash = hash.following(try #require(Hexadecimal.bytes(text)))
        lines.append("hash: \(hash)")
      }
      #expect(output["chain: \(author)"] == lines)
    }
    for block in try VectorFile("positions").blocks {
      let (name, key) = (try block.one("name"), Hexadecimal.text(bytes: try block.bytes("key")))
      #expect(output["positions: \(name)"] == ["key: \(key)"])
    }
  }
}
