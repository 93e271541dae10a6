import AtollVocabulary
import Testing

@testable import AtollNode

/// The bounds on guesses of a pairing code.
@Suite struct PairingBoundsTests {
  /// The state that an expectation may change.
  private final class Visitors {
    private var visitors = PairingVisitors()
    func admit(_ host: String, at now: Instant) -> Bool { visitors.admit(host, at: now) }
  }

  private final class Guesses {
    private var guesses = PairingGuesses()
    func isLast(of secret: [UInt8]) -> Bool { guesses.isLast(of: secret) }
  }

  private func at(_ seconds: UInt64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  @Test func `issue 28.18: an address has its attempts a minute, and takes none from others`() {
    let visitors = Visitors()
    for _ in 0..<Limits.pairingAttempts { #expect(visitors.admit("10.0.0.1", at: at(5))) }
    #expect(!visitors.admit("10.0.0.1", at: at(60)))
    #expect(visitors.admit("10.0.0.2", at: at(60)))
    #expect(visitors.admit("10.0.0.1", at: at(65)))
  }

  @Test func `a network of IPv6 counts as one address`() {
    let visitors = Visitors()
    for number in 0..<Limits.pairingAttempts {
      #expect(visitors.admit("2001:db8:1:2::\(number)", at: at(1)))
    }
    #expect(!visitors.admit("2001:db8:1:2:3:4:5:6", at: at(1)))
    #expect(visitors.admit("2001:db8:1:3::1", at: at(1)))
    #expect(visitors.admit("2001:db8::1", at: at(1)))
  }

  @Test func `addresses that are known are bounded, and forgotten with time`() {
    let visitors = Visitors()
    for number in 0..<Limits.pairingAddresses {
      #expect(visitors.admit("10.1.\(number / 256).\(number % 256)", at: at(1)))
    }
    #expect(!visitors.admit("10.9.9.9", at: at(2)))
    #expect(visitors.admit("10.9.9.9", at: at(61)))
  }

  @Test func `issue 28.18: a code ends with the last guess of all addresses`() {
    let guesses = Guesses()
    for _ in 1..<Limits.pairingGuesses { #expect(!guesses.isLast(of: [1])) }
    #expect(guesses.isLast(of: [1]))
    #expect(!guesses.isLast(of: [2]))
  }
}
