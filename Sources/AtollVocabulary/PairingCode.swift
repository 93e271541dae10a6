/// The pairing code that one node shows and the other is given: valid once, within five minutes.
///
/// The beginning of the identity of the node that shows it, by which the other recognises it
/// before it says anything, and a secret that proves the other was given the code.
package struct PairingCode: Hashable, Sendable {
  /// 80 bits: to find another key with the same costs 2^80 tries.
  package static let fingerprintBytes = 10
  /// 40 bits: a few tries a minute and address, and 2^16 in all, do not find them.
  package static let secretBytes = 5
  private static let form = CheckedText(byteCount: 15, blockDigits: 24, groupCharacters: 5)

  package let fingerprint: [UInt8]
  package let secret: [UInt8]

  /// Makes the code that a node shows; nil for a secret of the wrong size.
  package init?(of identity: NodeIdentity, secret: [UInt8]) {
    guard secret.count == Self.secretBytes else { return nil }
    fingerprint = Array(identity.bytes.prefix(Self.fingerprintBytes))
    self.secret = secret
  }

  /// Reads a code as people write it; nil if a character is wrong, missing or misplaced.
  package init?(_ text: String) {
    guard let bytes = Self.form.bytes(text) else { return nil }
    fingerprint = Array(bytes.prefix(Self.fingerprintBytes))
    secret = Array(bytes.dropFirst(Self.fingerprintBytes))
  }

  /// Tells whether the code was shown by the node with that identity.
  package func isOf(_ identity: NodeIdentity) -> Bool {
    identity.bytes.starts(with: fingerprint)
  }
}

extension PairingCode: CustomStringConvertible {
  package var description: String { Self.form.text(fingerprint + secret) }
}
