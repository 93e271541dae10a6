package import AtollVocabulary

/// The name of an author in position keys: the first 8 bytes of the SHA-256 of its 24 bytes.
///
/// Made once by a writer that inserts many elements, since the hash costs more than the key.
package struct PositionName: Hashable, Sendable {
  /// The eight bytes, big-endian.
  let rawValue: UInt64

  package init(_ author: Author) {
    var hash = SHA256()
    hash.update(author.bytes)
    rawValue = hash.finish().bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  init(rawValue: UInt64) { self.rawValue = rawValue }
}
