/// The secret of an owner that exists on paper alone, as people write it down.
///
/// 120 bits, which nobody finds by trying, and check digits: 25 letters and digits in groups of five.
package struct RecoveryCode: Hashable, Sendable {
  private static let form = CheckedText(byteCount: 15, blockDigits: 24, groupCharacters: 5)

  package let secret: [UInt8]

  /// Draws a code from a source of random numbers that nobody can foresee.
  package init(random: () -> UInt64) {
    var secret: [UInt8] = []
    while secret.count < Self.form.byteCount {
      secret.append(UInt8(truncatingIfNeeded: random()))
    }
    self.secret = secret
  }

  /// Reads a code as people write it; nil if a character is wrong, missing or misplaced.
  package init?(_ text: String) {
    guard let secret = Self.form.bytes(text) else { return nil }
    self.secret = secret
  }
}

extension RecoveryCode: CustomStringConvertible {
  package var description: String { Self.form.text(secret) }
}
