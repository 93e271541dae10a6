import AtollChanges
import AtollStorage
import AtollVocabulary
import AtollWire
private import Foundation

/// A node that says it was given this store's pairing code.
struct PairingAttempt: Sendable {
  /// By which the answer is told from others.
  var number: Int
  var proof: PairingProof
  /// The secret that only the two ends of its connection know.
  var connection: [UInt8]
  var identity: NodeIdentity
  /// The name that it gives itself.
  var name: String

  /// Lets the node in if it was, which uses the code; a wrong guess leaves the code to whom it was given.
  ///
  /// A node that was is in the roster then, under a name that no other has. Guesses are bounded by `guesses`.
  func redeem(in file: StoreFile, _ guesses: inout PairingGuesses) throws(StorageError) -> Bool {
    guard let secret = try file.offeredPairing() else { return false }
    guard PairingProof(of: secret, over: connection) == proof else {
      if guesses.isLast(of: secret) { try file.endPairing() }
      return false
    }
    try file.endPairing()
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

/// The count of wrong guesses of one code, over all links.
///
/// A secret has 40 bits, so that all guesses of one code together find it once in 16 million codes; what a
/// stranger can try from one address is bounded far below that (``PairingVisitors``).
struct PairingGuesses {
  private var secret: [UInt8] = []
  private var count = 0

  /// Counts a wrong guess; whether the code may be guessed no more.
  mutating func isLast(of secret: [UInt8]) -> Bool {
    if self.secret != secret { (self.secret, count) = (secret, 0) }
    count += 1
    return count >= Limits.pairingGuesses
  }
}

/// The count of recent attempts to pair from one address.
///
/// So a stranger can neither use up a code that others were given nor guess it.
struct PairingVisitors {
  private var visits: [String: (count: Int, since: Instant)] = [:]

  /// Counts an attempt; false if it is one too many, which is not looked at.
  mutating func admit(_ host: String, at now: Instant) -> Bool {
    let place = Self.place(of: host)
    if let known = visits[place],
      now.duration(since: known.since) < Limits.pairingAttemptInterval
    {
      guard known.count < Limits.pairingAttempts else { return false }
      visits[place] = (known.count + 1, known.since)
      return true
    }
    if visits.count >= Limits.pairingAddresses {
      visits = visits.filter { now.duration(since: $0.value.since) < Limits.pairingAttemptInterval }
      guard visits.count < Limits.pairingAddresses else { return false }
    }
    visits[place] = (1, now)
    return true
  }

  /// An IPv4 address, or the network of an IPv6 address: its first 64 bits, all of which one machine may have.
  private static func place(of host: String) -> String {
    guard host.contains(":"), !host.contains(".") else { return host }
    let start = host.range(of: "::").map { host[..<$0.lowerBound] } ?? host[...]
    let groups = start.split(separator: ":").prefix(4)
    return (groups + Array(repeating: "0", count: 4 - groups.count)).joined(separator: ":")
  }
}
