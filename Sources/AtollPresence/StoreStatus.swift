/// The last words of a node about a store it serves, as JSON beside the file: `<store>-status`.
///
/// Written when something changes, at most a few times a second. ``ServiceState`` tells
/// whether the node that wrote it still runs.
package struct StoreStatus: Codable, Hashable, Sendable {
  /// One peer, connected or configured.
  package struct Peer: Codable, Hashable, Sendable {
    /// As configured, or where it connected from.
    package var address: String
    package var isConnected: Bool
    /// True if the configuration names it, false if it connected by itself.
    package var isConfigured: Bool
    /// The peer's author, once it was heard of.
    package var replica: String?
    package var agent: String?
    /// Its key's identity, where the link is secured, and its name in the roster.
    package var identity: String?
    package var name: String?
    /// Changesets here that the peer has not applied, as far as it said; nil if it never said.
    package var behind: UInt64?
    /// Changesets that it has come to apply a second, lately; nil if it has applied none, or is
    /// not connected.
    package var applyingPerSecond: Double?
    /// The reason why the last link or attempt ended; nil while nothing went wrong.
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
    /// Its name in its own words.
    package var name: String
    /// The address that it came from, or answered at.
    package var address: String
    /// The time of its last visit, milliseconds since 1970.
    package var time: Int64

    package init(identity: String, name: String, address: String, time: Int64) {
      self.identity = identity
      self.name = name
      self.address = address
      self.time = time
    }
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

    package init(from: String, bytes: Int, of: Int, objects: UInt64, isInstalling: Bool) {
      self.from = from
      self.bytes = bytes
      self.of = of
      self.objects = objects
      self.isInstalling = isInstalling
    }
  }

  /// A part of the log that was removed because every replica has it.
  package struct Truncation: Codable, Hashable, Sendable {
    package var changesets: Int
    package var bytes: Int
    /// Milliseconds since 1970.
    package var time: Int64

    package init(changesets: Int, bytes: Int, time: Int64) {
      self.changesets = changesets
      self.bytes = bytes
      self.time = time
    }
  }

  package var processID: Int32
  package var agent: String
  /// The address at which the node listens, with the port it got; nil if it does not.
  package var listening: String?
  package var store: String
  package var replica: String
  /// Each author with its last applied changeset, ascending by author.
  package var applied: [String: UInt64]
  /// Configured peers first.
  package var peers: [Peer]
  /// The identity of the key by which others know the node; nil if it has none.
  package var identity: String?
  /// The file that the key is in.
  package var identityFile: String?
  /// Nodes that wait to be let in, the last one last; nil if there are none.
  package var pending: [Pending]?
  /// True if nothing is exchanged until somebody resumes it; nil if it is not so.
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
  /// The last cut of the log; nil if there was none since the node was started.
  package var truncation: Truncation?
  /// Conditions that keep the node from its work, or that a person should look at; nil if all is well.
  package var conditions: [HealthCondition]?
  /// The time at which it was written, milliseconds since 1970.
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
