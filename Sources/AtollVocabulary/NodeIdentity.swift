/// The identity of a node, whatever its address: the SHA-256 of its public key.
///
/// Of the key's SubjectPublicKeyInfo in DER, so that other tools can compute it too. As text 56
/// letters and digits in eight groups, of which four check the others ("N3V7…-…").
package struct NodeIdentity: Hashable, Sendable {
  package static let byteCount = 32
  private static let form = CheckedText(byteCount: 32, blockDigits: 13, groupCharacters: 7)

  package let bytes: [UInt8]

  /// Takes a hash of 32 bytes; nil for any other number.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = Array(bytes)
  }

  /// Reads an identity as people write it; nil if a character is wrong, missing or misplaced.
  package init?(_ text: String) {
    guard let bytes = Self.form.bytes(text) else { return nil }
    self.bytes = bytes
  }

  /// The first group: enough to tell the nodes of a list apart, not to trust one.
  package var shortDescription: String { String(description.prefix(Self.form.groupCharacters)) }
}

extension NodeIdentity: Comparable {
  package static func < (a: NodeIdentity, b: NodeIdentity) -> Bool {
    a.bytes.lexicographicallyPrecedes(b.bytes)
  }
}

extension NodeIdentity: CustomStringConvertible {
  package var description: String { Self.form.text(bytes) }
}
