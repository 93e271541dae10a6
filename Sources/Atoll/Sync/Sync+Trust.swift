#if Replication
import AtollNode
import AtollPresence
import AtollStorage
import AtollTransport
import AtollVocabulary
public import Foundation

// The roster of the node that serves the file: the nodes that it lets connect, which is this
// machine's own and is not replicated. Both sides have to trust each other.
extension Sync {
  /// The role of a trusted node, beside receiving everything.
  public enum Role: String, Hashable, Sendable {
    /// Its own changesets and those that it delivers are taken.
    case write
    /// Nothing that it wrote or brings is taken.
    case read
    /// Changesets of others are taken from it; none of its own.
    case relay
  }

  /// A node that may connect.
  public struct TrustedNode: Hashable, Sendable {
    /// The name that it has here.
    public let name: String
    /// The SHA-256 of its public key, as 56 letters and digits with check digits among them.
    public let identity: String
    /// The role.
    public let role: Role
    /// The addresses to which this node connects, `host:port`; empty if it comes itself.
    public let addresses: [String]
  }

  /// A node that came and was turned away, since it is not trusted.
  public struct WaitingNode: Hashable, Sendable {
    /// Proven, unlike its name.
    public let identity: String
    /// The name that it gives itself.
    public let name: String
    /// The address from which it came.
    public let address: String
    /// The time at which it came last.
    public let time: Date
  }

  /// By which key other nodes know the one that serves the file; the key is made if there is none yet.
  ///
  /// - Throws: ``Store/Error`` if the key's file cannot be read or written, or others can read it.
  public func identity() throws(Store.Error) -> String { "\(try credentials().identity)" }

  /// The nodes that may connect, ascending by name.
  ///
  /// - Throws: ``Store/Error`` if the file cannot be read.
  public func trustedNodes() throws(Store.Error) -> [TrustedNode] {
    try configuration.opening(toWrite: false) { file throws(StorageError) in
      try file.roster().map(TrustedNode.init)
    }
  }

  /// Lets a node connect, or changes what it may do and where it is.
  ///
  /// - Parameters:
  ///   - identity: As ``identity()`` or `atoll identity` gives it there; a mistyped one is noticed.
  ///   - name: What to call it here.
  ///   - role: What it may do.
  ///   - addresses: Where to stay connected to it, as `host:port`; none if it comes itself.
  /// - Throws: ``Store/Error`` for what is no identity or address, for more than a roster holds, or if the
  ///   file cannot be written.
  public func trust(
    _ identity: String, as name: String, role: Role = .write, addresses: [String] = []
  ) throws(Store.Error) {
    let entry = RosterEntry(
      identity: try Self.parsed(identity), name: name, role: PeerRole(role),
      addresses: try Self.parsed(addresses))
    try configuration.opening(toWrite: true) { file throws(StorageError) in try file.admit(entry) }
  }

  /// Lets a node connect no more, and cuts it off at once; nothing happens if it could not.
  ///
  /// - Throws: As ``trust(_:as:role:addresses:)``.
  public func distrust(_ identity: String) throws(Store.Error) {
    let identity = try Self.parsed(identity)
    try configuration.opening(toWrite: true) { file throws(StorageError) in
      try file.revoke(identity)
    }
  }

  // MARK: Pairing

  /// A code with which one other node, within five minutes, comes to be trusted and trusts this one.
  ///
  /// For people to carry over, or a QR code. Others have to reach this node; a code that was tried, also
  /// wrongly, is used, and so is it when another is made.
  ///
  /// - Throws: ``Store/Error`` if the key or the file cannot be read or written.
  public func makePairingCode() throws(Store.Error) -> String {
    var random = SystemRandomNumberGenerator()
    let secret = (0..<PairingCode.secretBytes).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    guard let code = PairingCode(of: try credentials().identity, secret: secret) else {
      throw Store.Error(.system, "making a pairing code: the secret has a wrong size")
    }
    try configuration.opening(toWrite: true) { file throws(StorageError) in
      try file.offerPairing(secret)
    }
    return "\(code)"
  }

  /// Uses the code that another node made; both trust each other then, and stay connected.
  ///
  /// It makes sure that the node there made the code before it shows that it was given it.
  ///
  /// - Parameters:
  ///   - code: As it was shown there; a mistyped one is noticed before it is used.
  ///   - address: Where that node listens, `host:port`.
  /// - Returns: That node, as it is trusted here now.
  /// - Throws: ``Store/Error`` if the code is none, was used, or is another node's, if nobody answers in
  ///   time, or with ``Store/Error/Code/otherStore`` if they trust each other and have different stores.
  @discardableResult
  public func pair(with code: String, at address: String) async throws -> TrustedNode {
    guard let parsed = PairingCode(code) else {
      throw Store.Error(
        .invalidValue,
        "pairing: \"\(code)\" is no pairing code: a character is wrong, missing or misplaced; a code has "
          + "25 letters and digits, as it was shown there")
    }
    let outcome = try await outcome(of: try call(parsed, at: address))
    let own = try configuration.opening(toWrite: true) { file throws(StorageError) in
      try file.admit(outcome.entry)
      return file.storeID
    }
    guard own == outcome.storeID else {
      throw Store.Error(
        .otherStore,
        "pairing: the node at \(address) is trusted now, but its store is \(outcome.storeID), this one "
          + "\(own), and these never exchange: open a store with that `storeID`, or use `atoll join`"
      )
    }
    return TrustedNode(outcome.entry)
  }

  private func call(_ code: PairingCode, at address: String) throws(Store.Error) -> PairingCall {
    let credentials = try credentials()
    do {
      return try PairingCall(code, at: address, as: credentials)
    } catch {
      throw Store.Error(.system, "pairing: \(error)")
    }
  }

  private func outcome(of call: PairingCall) async throws -> PairingCall.Outcome {
    try await withCheckedThrowingContinuation { continuation in
      // It waits for the answer, which no thread of tasks should.
      Thread.detachNewThread {
        do throws(PairingCall.Failure) {
          continuation.resume(returning: try call.make())
        } catch {
          continuation.resume(throwing: Store.Error(.system, "\(error)"))
        }
      }
    }
  }

  // MARK: Parts

  /// The key of the node that serves the file, or would.
  private func credentials() throws(Store.Error) -> Credentials {
    let served = StoreStatus.current(ofStoreAt: configuration.path)?.identityFile
    do throws(NodeError) {
      return try (served.map { IdentityFile($0) } ?? configuration.identityFile).open()
    } catch {
      throw Store.Error(.system, "\(error)")
    }
  }

  private static func parsed(_ identity: String) throws(Store.Error) -> NodeIdentity {
    guard let parsed = NodeIdentity(identity) else {
      throw Store.Error(
        .invalidValue,
        "trusting a node: \"\(identity)\" is no identity: a character is wrong, missing or misplaced; an "
          + "identity has 56 letters and digits, as that node shows them")
    }
    return parsed
  }

  /// The addresses in the form in which they are compared.
  private static func parsed(_ addresses: [String]) throws(Store.Error) -> [String] {
    do throws(TransportError) {
      var parsed: [String] = []
      for address in addresses { parsed.append("\(try Endpoint(address))") }
      return parsed
    } catch {
      throw Store.Error(.invalidValue, "trusting a node: \(error)")
    }
  }
}

extension PeerRole {
  fileprivate init(_ role: Sync.Role) {
    switch role {
    case .write: self = .write
    case .read: self = .read
    case .relay: self = .relay
    }
  }
}

extension Sync.TrustedNode {
  init(_ entry: RosterEntry) {
    name = entry.name
    identity = "\(entry.identity)"
    role =
      switch entry.role {
      case .write: .write
      case .read: .read
      case .relay: .relay
      }
    addresses = entry.addresses
  }
}

extension Sync.WaitingNode {
  init(_ pending: StoreStatus.Pending) {
    identity = pending.identity
    name = pending.name
    address = pending.address
    time = Date(timeIntervalSince1970: Double(pending.time) / 1000)
  }
}
#endif
