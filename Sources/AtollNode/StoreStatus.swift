/// What a node last wrote about a store it serves, as JSON beside the file: `<store>-status`.
///
/// Written when something changes, at most a few times a second; ``isCurrent`` tells whether the
/// node that wrote it still runs.
package struct StoreStatus: Codable, Hashable, Sendable {
  /// One peer, connected or configured.
  package struct Peer: Codable, Hashable, Sendable {
    /// As configured, or where it connected from.
    package var address: String
    package var isConnected: Bool
    /// Whether the configuration names it; false for one that connected by itself.
    package var isConfigured: Bool
    /// The peer's author, once it was heard of.
    package var replica: String?
    package var agent: String?
    /// Whose key it has, where the link is secured, and what the roster calls it.
    package var identity: String?
    package var name: String?
    /// Changesets here that the peer has not applied, as far as it said; nil if it never said.
    package var behind: UInt64?
    /// Changesets that it has come to apply a second, lately; nil if it has applied none, or is
    /// not connected.
    package var applyingPerSecond: Double?
    /// Why the last link or attempt ended; nil while nothing went wrong.
    package var lastError: String?
    /// An author of whom the peer takes nothing, and why; the last one it named on this link.
    package var declined: String?
    /// An author of whom nothing is taken that this peer brings, and why; the last one on this link.
    package var leftOut: String?
    /// The reason why the peer takes nothing; nil unless its disk is full.
    package var diskFull: String?
    /// Milliseconds by which its clock is ahead of the one here, negative if it is behind; nil while it
    /// is not connected, or has not told yet.
    package var clockAhead: Int64?
    /// The two digests, once both sides had applied the same and held something else.
    package var divergence: String?

    package init(
      address: String, isConnected: Bool = false, isConfigured: Bool = false,
      replica: String? = nil, agent: String? = nil, behind: UInt64? = nil, lastError: String? = nil
    ) {
      self.address = address
      self.isConnected = isConnected
      self.isConfigured = isConfigured
      self.replica = replica
      self.agent = agent
      self.behind = behind
      self.lastError = lastError
    }
  }

  /// A node that came and is in no roster.
  package struct Pending: Codable, Hashable, Sendable {
    package var identity: String
    /// What it calls itself.
    package var name: String
    /// Where it came from, or where it answered.
    package var address: String
    /// When it last came, milliseconds since 1970.
    package var time: Int64
  }

  /// A snapshot of a peer's objects that is being taken, or the history below it.
  package struct Bootstrap: Codable, Hashable, Sendable {
    /// The peer's address.
    package var from: String
    /// Bytes that are here, of how many at most.
    package var bytes: Int
    package var of: Int
    /// Live objects that it has, of which as large a part is here as of the bytes.
    package var objects: UInt64
    /// Everything is here, and takes the place of what the file had.
    package var isInstalling: Bool
  }

  /// What went from the log because every replica has it.
  package struct Truncation: Codable, Hashable, Sendable {
    package var changesets: Int
    package var bytes: Int
    /// When, milliseconds since 1970.
    package var time: Int64
  }

  package var processID: Int32
  package var agent: String
  /// Where the node listens, with the port it got; nil if it does not.
  package var listening: String?
  package var store: String
  package var replica: String
  /// Each author with its last applied changeset, ascending by author.
  package var applied: [String: UInt64]
  /// Configured peers first.
  package var peers: [Peer]
  /// By which key others know the node; nil if it has none.
  package var identity: String?
  /// The file that the key is in.
  package var identityFile: String?
  /// Nodes that wait to be let in, the last one last; nil if there are none.
  package var pending: [Pending]?
  /// Whether nothing is exchanged until somebody resumes it; nil if it is not so.
  package var isPaused: Bool?
  /// Classes whose rows were modified externally; nil if none were found.
  package var modifiedExternally: [String]?
  /// The reason why nothing that peers send is applied; nil unless the disk is full.
  package var diskFull: String?
  /// Bytes of changesets that may be on their way to each peer, and as many from it, once that was
  /// less than usual.
  package var window: Int?
  /// The snapshot that is being taken; nil if none is.
  package var bootstrap: Bootstrap?
  /// Backfill that has still to come, in changesets below the snapshot taken; nil if none has.
  package var backfill: UInt64?
  /// Changesets of peers that were applied a second, lately; nil if none were.
  package var applyingPerSecond: Double?
  /// When the log was last cut; nil if it was not since the node was started.
  package var truncation: Truncation?
  /// What keeps the node from its work, or a person should look at; nil if all is well.
  package var conditions: [HealthCondition]?
  /// When it was written, milliseconds since 1970.
  package var time: Int64

  package init(
    processID: Int32, agent: String, listening: String?, store: String, replica: String,
    applied: [String: UInt64], peers: [Peer], time: Int64
  ) {
    self.processID = processID
    self.agent = agent
    self.listening = listening
    self.store = store
    self.replica = replica
    self.applied = applied
    self.peers = peers
    self.time = time
  }
}
