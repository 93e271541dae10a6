package import AtollVocabulary

extension ChainHash {
  /// The hash before an author's first changeset.
  ///
  /// SHA-256 of the ASCII text `atoll author` and the author's 24 bytes; it binds the chain to the
  /// author, which the bytes of a changeset do not repeat.
  package static func origin(of author: Author) -> ChainHash {
    var hash = SHA256()
    hash.update(Array("atoll author".utf8))
    hash.update(author.commonHistory.bytes)
    return hash.finish()
  }

  /// The name of the history that begins with the changeset of this hash.
  package var branch: Branch {
    let word = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    return Branch(max(word, 1))
  }

  /// The hash after one more changeset: SHA-256 of this hash and the changeset's canonical bytes.
  package func following(_ canonicalBytes: [UInt8]) -> ChainHash {
    var hash = SHA256()
    hash.update(bytes)
    hash.update(canonicalBytes)
    return hash.finish()
  }
}

extension Author {
  /// Replica, then incarnation, big-endian: the 24 bytes that hashes and position names are made of;
  /// eight more of the branch where there is one.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(24)
    bytes.append(fixed: replica.high)
    bytes.append(fixed: replica.low)
    bytes.append(fixed: incarnation.rawValue)
    if branch != .none { bytes.append(fixed: branch.rawValue) }
    return bytes
  }
}
