import AtollVocabulary
import Testing

@Suite struct NodeIdentityTests {
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

  private static func identity(_ seed: UInt64) throws -> NodeIdentity {
    var random = SeededGenerator(seed: seed)
    return try #require(
      NodeIdentity(bytes: (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }))
  }

  @Test func `an identity is read back as it was written, however it is spaced`() throws {
    for seed in 0..<200 {
      let identity = try Self.identity(UInt64(seed))
      let text = identity.description
      #expect(NodeIdentity(text) == identity)
      #expect(NodeIdentity(text.lowercased().replacing("-", with: " ")) == identity)
      #expect(NodeIdentity(text.replacing("0", with: "o").replacing("1", with: "l")) == identity)
    }
  }

  @Test func `the text of an identity is the one that the protocol's page shows`() throws {
    let identity = try #require(NodeIdentity(bytes: (0..<32).map { UInt8($0) }))
    #expect(
      identity.description
        == "000G40R-40M30EX-209185G-R38E1WJ-8124GK2-GAHC5RK-R34D1P7-0X3RFG7")
  }

  @Test func `every wrong character is found, and every two that changed places`() throws {
    for seed in 0..<20 {
      let text = Array(try Self.identity(UInt64(seed)).description)
      for index in text.indices where text[index] != "-" {
        for wrong in Self.alphabet where wrong != text[index] {
          var typed = text
          typed[index] = wrong
          #expect(NodeIdentity(String(typed)) == nil, "seed \(seed), character \(index)")
        }
        for other in (index + 1)..<text.count
        where text[other] != "-" && text[other] != text[index] {
          var typed = text
          typed.swapAt(index, other)
          #expect(NodeIdentity(String(typed)) == nil, "seed \(seed), \(index) and \(other)")
        }
      }
    }
  }

  @Test func `groups that changed places, or are missing, or too many, are found`() throws {
    for seed in 0..<20 {
      let groups = try Self.identity(UInt64(seed)).description.split(separator: "-")
      var swapped = groups
      swapped.swapAt(0, 2)
      swapped.swapAt(1, 3)
      #expect(NodeIdentity(swapped.joined()) == nil)
      #expect(NodeIdentity(groups.dropLast().joined()) == nil)
      #expect(NodeIdentity((groups + groups.prefix(1)).joined()) == nil)
    }
    #expect(NodeIdentity("") == nil)
    #expect(NodeIdentity("é") == nil)
  }

  @Test func `a pairing code is read back, and one with any wrong character is not`() throws {
    let identity = try Self.identity(7)
    let code = try #require(PairingCode(of: identity, secret: [1, 2, 3, 4, 255]))
    #expect(PairingCode(code.description) == code)
    #expect(code.isOf(identity))
    #expect(!code.isOf(try Self.identity(8)))
    let text = Array(code.description)
    for index in text.indices where text[index] != "-" {
      for wrong in Self.alphabet where wrong != text[index] {
        var typed = text
        typed[index] = wrong
        #expect(PairingCode(String(typed)) == nil)
      }
      for other in (index + 1)..<text.count
      where text[other] != "-" && text[other] != text[index] {
        var typed = text
        typed.swapAt(index, other)
        #expect(PairingCode(String(typed)) == nil)
      }
    }
  }
}
