/// Whether a node does its work, as of one moment.
package struct NodeHealth: Codable, Hashable, Sendable {
  /// One store that is served.
  package struct Store: Codable, Hashable, Sendable {
    package var path: String
    package var peersKnown: Int
    package var peersConnected: Int
    /// Bytes of changesets kept in memory for peers, and of frames that their sockets have not taken.
    package var waitingBytes: Int
    /// What a person should look at; empty if all is well.
    package var problems: [String]

    /// Whether what peers send could not be written the last time it was tried.
    package var isStuck: Bool
  }

  package var stores: [Store]

  /// Whether every store takes what peers send.
  package var isWorking: Bool { stores.allSatisfy { !$0.isStuck } }
  package var hasProblems: Bool { stores.contains { !$0.problems.isEmpty } }

  package init(stores: [Store]) { self.stores = stores }
}
