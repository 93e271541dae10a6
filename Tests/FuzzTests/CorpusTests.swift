import AtollVocabulary
import Foundation
import FuzzKit
import TestKit
import Testing

/// The inputs that a fuzzer found worth keeping, and damaged ones, in every run of the tests.
@Suite struct CorpusTests {
  private static let rounds = 20_000

  @Test func `no input of the corpus of changesets breaks a promise, nor any like it`() throws {
    try check("changesets") { ChangesetInput.run($0) != nil }
  }

  @Test func `no input of the corpus of frames breaks a promise, nor any like it`() throws {
    try check("frames") { FrameInput.run($0) != nil }
  }

  @Test func `no input of the corpus of snapshots breaks a promise, nor any like it`() throws {
    try check("snapshots") { SnapshotInput.run($0) != nil }
  }

  private func check(_ name: String, _ isAccepted: ([UInt8]) -> Bool) throws {
    let corpus = try Corpus.inputs(name)
    let accepted = corpus.count { isAccepted($0) }
    // Otherwise the corpus shows the first bytes of the decoder, and no more.
    #expect(accepted > corpus.count / 10, "\(accepted) of \(corpus.count) inputs are accepted")
    var random = SeededRandom.announced("\(name) like those of the corpus")
    for _ in 0..<Self.rounds {
      var input = corpus[random.below(corpus.count)]
      for _ in 0...random.below(3) where !input.isEmpty {
        input[random.below(input.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      _ = isAccepted(input)
    }
  }
}

/// `Corpus`: a file of hexadecimal lines for each target.
enum Corpus {
  static func inputs(_ name: String) throws -> [[UInt8]] {
    let file = URL(filePath: #filePath)
      .appending(path: "../Corpus/\(name).txt").standardizedFileURL
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
      try #require(Hexadecimal.bytes(line), "\(line)")
    }
  }
}
