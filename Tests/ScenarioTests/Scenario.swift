import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// Peers that start with the same document, write what the scenario says, and exchange.
///
/// A scenario runs once for each topology, with two relays that write nothing between and beside the
/// writers; then everything that was written is delivered to new replicas, changeset by
/// changeset, in every causal order.
struct Scenario {
  /// Orders tried for one scenario; 24 is all orders of four concurrent changesets.
  private static let orders = 24

  /// Runs `write` and checks `expectation` on every peer.
  ///
  /// - Parameters:
  ///   - names: Of the peers that write: A, B, or also C.
  ///   - write: What they do after they all have the start; may exchange in between.
  ///   - expectation: What each peer must show in the end.
  /// - Throws: What a store throws; differences are recorded as issues.
  @discardableResult
  init(
    _ names: [String] = ["A", "B"], write: ([Peer]) throws -> Void,
    expect expectation: (Peer) throws -> Void
  ) throws {
    var expected: String?
    for topology in Topology.allCases {
      let (writers, relays, start) = try Self.start(names)
      try write(writers)
      for peer in writers + relays { peer.clock.set(secondsAfterStart: 3600) }
      let peers = zip(writers, relays).flatMap { [$0, $1] } + writers.dropFirst(relays.count)
      try exchange(peers, topology)
      try expectEqual(peers, "\(topology)")
      for peer in peers { try expectation(peer) }
      if topology == .mesh {
        expected = try writers.first?.export()
        try Self.deliverInEveryOrder(writers, after: start, expected, expectation)
      }
    }
  }

  private static func start(
    _ names: [String]
  ) throws -> (writers: [Peer], relays: [Peer], start: Peer) {
    let folder = try Folder()
    let start = try Peer("0", in: folder)
    try start.write(at: 0, Model.fill)
    let writers = try names.map { try Peer($0, in: folder) }
    let relays = try ["X", "Y"].map { try Peer($0, in: folder) }
    for peer in writers + relays { try peer.receive(from: start) }
    return (writers, relays, start)
  }

  private static func deliverInEveryOrder(
    _ writers: [Peer], after start: Peer, _ expected: String?, _ expectation: (Peer) throws -> Void
  ) throws {
    let contexts = writers.reduce(into: [:]) { $0.merge($1.contexts) { one, _ in one } }
    let first = try #require(writers.first)
    let known = try start.store.appliedVector()
    let written = try first.changesets(lackedBy: known).map {
      WrittenChangeset(entry: $0, context: try #require(contexts[$0.id]))
    }
    for order in causalOrders(of: written, after: known, limit: orders) {
      let peer = try Peer("Z", in: nil)
      peer.clock.set(secondsAfterStart: 3600)
      try peer.receive(from: start)
      for entry in order {
        let outcome = try #require(try peer.store.apply([entry.incoming]).first)
        guard case .applied(_) = outcome else {
          Issue.record("in the order \(order.map(\.id.author.shortDescription)): \(outcome)")
          return
        }
      }
      let comment: Comment = "in the order \(order.map(\.id.author.shortDescription))"
      #expect(try peer.export() == expected, comment)
      #expect(try peer.store.digest() == first.store.digest(), comment)
      try expectation(peer)
    }
  }
}
