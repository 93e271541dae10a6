import AtollChanges
import AtollVocabulary
import TestKit
import Testing

/// A fuzzer with a fixed number of runs: the vectors are the corpus, a seed draws the damage.
@Suite struct MutationTests {
  private static let rounds = 30_000

  @Test func `damaged vectors are refused, or are what an encoder writes`() throws {
    let blocks = try VectorFile("changesets").blocks + VectorFile("refused").blocks
    let corpus = try blocks.map { try $0.bytes("bytes") }
    var random = SeededRandom.announced("mutations")
    var accepted = 0
    for round in 0..<Self.rounds {
      let bytes = random.damaged(corpus[random.below(corpus.count)], with: corpus)
      guard let changeset = try? Changeset(decoding: bytes, author: Samples.author) else {
        continue
      }
      accepted += 1
      #expect(changeset.encoded() == bytes, "seed \(random.seed), round \(round)")
      #expect(!changeset.lines.isEmpty)
      var table = DeclarationTable(author: Samples.author)
      try? table.adopt(Samples.declarations)
      try? table.admit(changeset)
    }
    // Otherwise nothing was tested but the first bytes.
    #expect(accepted > Self.rounds / 100, "seed \(random.seed)")
  }
}

extension SeededRandom {
  /// One to four of a fuzzer's favourite mutations.
  fileprivate mutating func damaged(_ bytes: [UInt8], with corpus: [[UInt8]]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...below(4) where !bytes.isEmpty {
      let place = below(bytes.count)
      switch below(8) {
      case 0: bytes[place] ^= 1 << UInt8(below(8))
      case 1: bytes[place] = UInt8(truncatingIfNeeded: next())
      case 2: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF][below(5)]
      case 3: bytes[place] &+= chance(1, of: 2) ? 1 : 0xFF
      case 4: bytes.insert(UInt8(truncatingIfNeeded: next()), at: place)
      case 5: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(4)))
      case 6:
        let end = min(bytes.count, place + below(16))
        bytes.insert(contentsOf: bytes[place..<end], at: end)
      default:
        let other = corpus[below(corpus.count)]
        bytes = Array(bytes[..<place]) + other[min(place, other.count)...]
      }
    }
    return bytes
  }
}
