package import AtollVocabulary

/// The fixed settings of an engine.
package struct EngineConfiguration: Hashable, Sendable {
  package var storeID: StoreID
  /// The file's own author, until ``Event/incarnationStarted(_:)`` tells of another.
  package var author: Author
  /// Program and release, for the peers' people.
  package var agent: String
  /// Peers to stay connected to; others may connect to us.
  package var peers: [PeerID]
  /// Spreads reconnections of many nodes apart; the same seed gives the same actions.
  package var seed: UInt64
  /// The memory for peers.
  package var memory: ExchangeMemory

  /// Changesets from which on a peer that has next to nothing is offered a snapshot instead; nil for never.
  ///
  /// A peer that lacks changesets which were cut off the log is offered one in any case.
  package var snapshotChangesets: UInt64?

  package init(
    storeID: StoreID, author: Author, agent: String, peers: [PeerID] = [], seed: UInt64,
    memory: ExchangeMemory = ExchangeMemory(), snapshotChangesets: UInt64? = nil
  ) {
    self.storeID = storeID
    self.author = author
    self.agent = agent
    self.peers = peers
    self.seed = seed
    self.memory = memory
    self.snapshotChangesets = snapshotChangesets
  }
}
