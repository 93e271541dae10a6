internal import AtollChanges
package import AtollVocabulary

/// Shows that a node was given a pairing code, to the one that made it, over one connection only.
///
/// The SHA-256 over "atoll pair", 32 bytes that only the two ends of the connection know
/// (``exporterLabel``), and the secret: whoever else hears it can do nothing with it, here or
/// elsewhere.
package struct PairingProof: Hashable, Sendable {
  /// The label of the exported bytes of the connection (RFC 8446, 7.5).
  package static let exporterLabel = "EXPORTER-atoll-pair"

  package let hash: ChainHash

  init(hash: ChainHash) { self.hash = hash }

  /// - Parameters:
  ///   - secret: ``PairingCode/secret``.
  ///   - connection: the 32 bytes that the connection exports.
  package init(of secret: [UInt8], over connection: [UInt8]) {
    var digest = ContentDigest()
    digest.update("atoll pair".utf8)
    digest.update(connection)
    digest.update(secret)
    hash = digest.finish()
  }
}
