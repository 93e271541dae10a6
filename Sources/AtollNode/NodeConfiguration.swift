package import AtollSQLite
import AtollStorage
package import AtollTransport
package import AtollVocabulary

/// The stores that a node serves, and the peers that it exchanges with.
package struct NodeConfiguration: Sendable {
  /// Paths of store files; each is served on its own.
  package var stores: [String]
  /// The id that new files get and existing ones must have; nil takes the file's own.
  package var storeID: StoreID?
  /// True if a store file that does not exist is made.
  package var mayCreate: Bool
  /// The address to which other nodes connect; nil if none can.
  package var listen: Endpoint?
  /// A socket that another process has bound to ``listen``, instead of which it is used.
  package var inheritedListener: Int32?
  /// Nodes to stay connected to.
  package var peers: [Endpoint]
  /// The links that are secured.
  package var protection: LinkProtection
  /// The file of the node's key, made if it is missing; without one no link can be secured.
  package var identityFile: String?
  /// Certificates that those of peers have to lead to; nil takes any, and the roster decides.
  package var authorityFile: String?
  /// Bytes of changesets that may be kept in memory for the peers of all stores together, and for one
  /// of them.
  package var memoryBytes = Limits.exchangeBytes
  package var peerMemoryBytes = Limits.peerExchangeBytes
  /// A disk that fails on purpose, under all stores; nil for the system's own.
  package var disk: FaultDisk?
  /// The clock for stamps, which peers are told as well.
  package var wallClock: @Sendable () -> WallTime = SystemClock.wallTime
  /// Changesets from which on a peer that has next to nothing is offered a snapshot; nil for never.
  package var snapshotChangesets: UInt64? = Limits.snapshotChangesets
  /// The age at which changesets that every member has applied are cut off the log; nil for never.
  package var truncationAge: Duration? = Limits.truncationAge
  /// Program and release, as peers and waiting writers read it.
  package var agent: String

  package init(
    stores: [String], storeID: StoreID? = nil, mayCreate: Bool = true, listen: Endpoint? = nil,
    peers: [Endpoint] = [], protection: LinkProtection = .automatic,
    identityFile: String? = nil, authorityFile: String? = nil, agent: String = "atolld"
  ) {
    self.stores = stores
    self.storeID = storeID
    self.mayCreate = mayCreate
    self.listen = listen
    self.peers = peers
    self.protection = protection
    self.identityFile = identityFile
    self.authorityFile = authorityFile
    self.agent = agent
  }
}
