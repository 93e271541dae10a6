/// The digest of a replica's state, in 128 bits: the sum of one hash for each part of it.
///
/// A sum, so that a change costs what it changes: the old hash off, the new one on. Two lanes of 64
/// bits, each modulo 2^64; `protocol/digest.md` says what is hashed and how. Made to find faults, not
/// forgers: any writer can make any sum.
package struct StateDigest: Hashable, Sendable {
  package var high: UInt64
  package var low: UInt64

  /// Of nothing.
  package static let zero = StateDigest(high: 0, low: 0)

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package static func + (a: StateDigest, b: StateDigest) -> StateDigest {
    StateDigest(high: a.high &+ b.high, low: a.low &+ b.low)
  }

  package static func - (a: StateDigest, b: StateDigest) -> StateDigest {
    StateDigest(high: a.high &- b.high, low: a.low &- b.low)
  }

  package static func += (a: inout StateDigest, b: StateDigest) { a = a + b }
  package static func -= (a: inout StateDigest, b: StateDigest) { a = a - b }
}

extension StateDigest: CustomStringConvertible {
  /// Thirty-two hexadecimal digits.
  package var description: String {
    [high, low].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
