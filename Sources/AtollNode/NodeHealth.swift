package import AtollPresence

/// The state of a node's work, as of one moment.
package struct NodeHealth: Codable, Hashable, Sendable {
  /// One store that is served.
  package struct Store: Codable, Hashable, Sendable {
    package var path: String
    package var peersKnown: Int
    package var peersConnected: Int
    /// Bytes of changesets kept in memory for peers, and of frames that their sockets have not taken.
    package var waitingBytes: Int
    /// The conditions that hold; empty if all is well.
    package var conditions: [HealthCondition]
  }

  package var stores: [Store]
  /// Conditions of the node as a whole.
  package var conditions: [HealthCondition]

  /// The conditions of the node and of all stores.
  package var all: [HealthCondition] { conditions + stores.flatMap(\.conditions) }

  /// Tells whether everything is done that the node is there for.
  package var isWorking: Bool { all.severity != .failing }

  package init(stores: [Store], conditions: [HealthCondition] = []) {
    self.stores = stores
    self.conditions = conditions
  }
}
