package import AtollVocabulary

// Seals: the proof of who wrote a changeset.
//
//     replica  =  first 16 bytes of SHA-256("atoll replica" ‖ public key)
//     seal     =  Ed25519("atoll seal" ‖ store ‖ author ‖ sequence ‖ chain hash)
//
// A replica is named by the key with which it signs, so whoever has a seal can check it with nothing else:
// no list of keys, no server, nobody to ask. The chain hash covers all changesets of the author up to its
// own, so one seal vouches for all of them; a run on a link ends with a sealed changeset, and costs one
// signature however long it is. Whoever relays passes seals on as they came. It can keep changesets back;
// it cannot make, change, reorder or leave out any.
//
// The key is in the file of its replica, and never leaves it. An application that writes does not sign:
// whoever sends signs what it sends of its own, at that moment. Ed25519 gives the same signature each time, so
// nothing is stored, and a commit costs what it did. Of others the log keeps the seals that came.

/// A replica's signature under the chain of one of its authors.
package struct Seal: Hashable, Sendable {
  /// The replica's public key, 32 bytes, then the signature, 64.
  package let bytes: [UInt8]

  package static let byteCount = Ed25519.keyBytes + Ed25519.signatureBytes

  /// Takes 96 bytes; nil for any other number.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = Array(bytes)
  }

  package var publicKey: [UInt8] { Array(bytes[..<Ed25519.keyBytes]) }
  package var signature: [UInt8] { Array(bytes[Ed25519.keyBytes...]) }

  /// The replica that the key names.
  package var replica: ReplicaID { ReplicaID(publicKey: publicKey) }

  /// Tells whether the changeset's author signed it, and all before it in its chain.
  package func vouches(for id: ChangesetID, in store: StoreID) -> Bool {
    replica == id.author.replica
      && Ed25519.isValid(signature, of: Self.message(id, store), by: publicKey)
  }

  /// The bytes that are signed.
  static func message(_ id: ChangesetID, _ store: StoreID) -> [UInt8] {
    var message = Array("atoll seal".utf8)
    message.reserveCapacity(10 + 16 + 24 + 8 + ChainHash.byteCount)
    message.append(fixed: store.high)
    message.append(fixed: store.low)
    message.append(fixed: id.author.replica.high)
    message.append(fixed: id.author.replica.low)
    message.append(fixed: id.author.incarnation.rawValue)
    message.append(fixed: id.sequence.rawValue)
    message += id.hash.bytes
    return message
  }
}

/// The private key of a replica, which names it.
package struct ReplicaKey: Sendable {
  /// As the file keeps it: 32 bytes that nobody else may have.
  package let secret: [UInt8]
  /// The replica that the key names.
  package let replica: ReplicaID
  private let key: Ed25519.PrivateKey
  private let publicBytes: [UInt8]

  /// Takes the 32 bytes of a key; nil for any other number.
  package init?(secret: [UInt8]) {
    guard secret.count == Ed25519.keyBytes else { return nil }
    self.init(seed: secret)
  }

  /// Draws a key from a source of random numbers that nobody can foresee.
  package init(random: () -> UInt64) {
    var secret: [UInt8] = []
    for _ in 0..<4 { secret.append(fixed: random()) }
    self.init(seed: secret)
  }

  private init(seed: [UInt8]) {
    secret = seed
    key = Ed25519.PrivateKey(seed: seed)
    publicBytes = key.publicBytes
    replica = ReplicaID(publicKey: publicBytes)
  }

  /// The key of the owner that a code on paper stands for (`protocol/owners.md`).
  package init(recovery code: RecoveryCode) {
    var hasher = SHA256()
    hasher.update(Array("atoll recovery".utf8))
    hasher.update(code.secret)
    self.init(seed: hasher.finish().bytes)
  }

  /// Signs for a changeset of the replica and all before it.
  package func seal(_ id: ChangesetID, in store: StoreID) -> Seal {
    guard let seal = Seal(publicBytes + key.sign(Seal.message(id, store))) else {
      fatalError("sealing \(id): the signature has another length than Ed25519's")
    }
    return seal
  }
}

extension ReplicaID {
  /// The replica that a public key names.
  init(publicKey: [UInt8]) {
    var hasher = SHA256()
    hasher.update(Array("atoll replica".utf8))
    hasher.update(publicKey)
    let (high, low) = hasher.finish().words
    self.init(high: high, low: low)
  }
}
