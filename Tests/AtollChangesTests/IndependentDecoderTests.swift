import AtollChanges
import AtollVocabulary
import Foundation
import Testing

/// `protocol/tools/decode.py` was written from the pages alone and shares no code with this room.
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

/// The program in `protocol/tools`, run as anybody would run it.
enum IndependentDecoder {
  static let isInstalled = FileManager.default.isExecutableFile(atPath: python)

  private static let python =
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) } ?? ""

  /// What it prints of every vector: the lines below each name.
  static func output() throws -> [String: [String]] {
    let script = VectorFile.folder.appending(path: "../../tools/decode.py").standardizedFileURL
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: python)
    process.arguments = ["-B", script.path]
    process.standardOutput = pipe
    try process.run()
    let data = try #require(try pipe.fileHandleForReading.readToEnd())
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let blocks = String(decoding: data, as: UTF8.self).components(separatedBy: "\n\n")
    return blocks.reduce(into: [:]) { found, block in
      let lines = block.split(separator: "\n").map(String.init)
      if let name = lines.first { found[name] = Array(lines.dropFirst()) }
    }
  }
}
