import AtollChanges
import AtollStorage
import AtollVocabulary
import AtollWire

/// A node that says it was given this store's pairing code.
struct PairingAttempt: Sendable {
  /// By which the answer is told from others.
  var number: Int
  var proof: PairingProof
  /// What only the two ends of its connection know.
  var connection: [UInt8]
  var identity: NodeIdentity
  /// What it calls itself.
  var name: String

  /// Whether it was; the code is used with that, also by one who was not.
  ///
  /// A node that was is in the roster then, under a name that no other has.
  func redeem(in file: StoreFile) throws(StorageError) -> Bool {
    guard let secret = try file.redeemPairing(),
      PairingProof(of: secret, over: connection) == proof
    else { return false }
    let others = try file.roster().filter { $0.identity != identity }
    let isTaken = others.contains { $0.name == name }
    let known = try file.roster().first { $0.identity == identity }
    try file.admit(
      known
        ?? RosterEntry(
          identity: identity, name: isTaken ? "\(name)-\(identity.shortDescription)" : name))
    return true
  }
}
