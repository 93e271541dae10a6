import AtollChanges
import AtollVocabulary
import Foundation
import Testing

/// The files in `protocol/vectors/changesets`: blocks of `key: text` lines, divided by empty lines.
struct VectorFile {
  struct Block: CustomTestStringConvertible {
    var lines: [(key: String, text: String)]

    func all(_ key: String) -> [String] { lines.filter { $0.key == key }.map(\.text) }

    func one(_ key: String) throws -> String { try #require(all(key).first, "\(key) is missing") }

    func bytes(_ key: String) throws -> [UInt8] {
      try #require(Hexadecimal.bytes(all(key).joined().filter { $0 != " " }))
    }

    func author(_ key: String = "author") throws -> Author {
      try #require(Author(try one(key)))
    }

    var testDescription: String { all("name").first ?? "" }
  }

  let blocks: [Block]

  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../protocol/vectors/changesets").standardizedFileURL

  init(_ name: String) throws {
    let file = Self.folder.appending(path: "\(name).txt")
    blocks = try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n\n").map { block in
        Block(
          lines: block.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            guard let colon = line.firstRange(of: ": ") else { return nil }
            return (String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
          })
      }.filter { !$0.lines.isEmpty }
  }
}

@Suite struct VectorTests {
  @Test func `every changeset vector decodes to its meaning and encodes to its bytes`() throws {
    let blocks = try VectorFile("changesets").blocks
    #expect(blocks.count >= 69)
    for block in blocks {
      let bytes = try block.bytes("bytes")
      let changeset = try Changeset(decoding: bytes, author: block.author())
      #expect(changeset.lines == block.all("means"), "\(block.testDescription)")
      #expect(changeset.encoded() == bytes, "\(block.testDescription)")
    }
  }

  @Test func `every refused vector is refused for its reason, at its byte`() throws {
    let blocks = try VectorFile("refused").blocks
    #expect(blocks.count >= 45)
    for block in blocks {
      let author = try block.author()
      let bytes = try block.bytes("bytes")
      let error = try #require(throws: ChangesetError.self, "\(block.testDescription)") {
        try Changeset(decoding: bytes, author: author)
      }
      #expect(
        try "\(error.kind) at \(error.place)" == block.one("refused"), "\(block.testDescription)")
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
      #expect(try key.bytes == block.bytes("key"), "\(block.testDescription)")
    }
  }
}
