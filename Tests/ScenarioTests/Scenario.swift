import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// Peers that start with the same document, write what the scenario says, and exchange.
///
/// A scenario runs in each topology, with two relays that write nothing between and beside the
/// writers, and whose models are older: one knows part of the document, the other nothing. Where the
/// peers stand, and so who exchanges with whom and when, is permuted. Then everything that
/// was written is delivered to new replicas, changeset by changeset, in every causal order, and
/// in orders in which some have to wait.
struct Scenario {
  /// Orders tried for one scenario; 24 is all orders of four concurrent changesets.
  private static let orders = 24
  /// Of them, those that respect no causality.
  private static let wildOrders = 2
  /// Arrangements of the peers in each topology; `ATOLL_ORDERS=24` tries all there are of four.
  static let places =
    ProcessInfo.processInfo.environment["ATOLL_ORDERS"].flatMap { Int($0) } ?? 1

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
    for topology in Topology.allCases {
      for order in Self.arrangements(of: names.count + 2, in: topology) {
        let (writers, relays, start) = try Self.start(names)
        try write(writers)
        for peer in writers + relays { peer.clock.set(secondsAfterStart: 3600) }
        let places = zip(writers, relays).flatMap { [$0, $1] } + writers.dropFirst(relays.count)
        let peers = order.map { places[$0] }
        try exchange(peers, topology)
        let comment: Comment = "\(topology) of \(peers.map(\.name))"
        try expectEqual(peers, comment)
        for relay in relays { _ = try relay.store.adopt(Model.schema) }
        try expectEqual(peers, "\(comment), the relays upgraded")
        for peer in peers { try expectation(peer) }
        if topology == .line, order == Array(order.indices) {
          try Self.deliverInEveryOrder(writers, after: start, expectation)
        }
      }
    }
  }

  /// Returns the places of the peers: in a line as they come, and then at random, another way each
  /// time.
  private static func arrangements(of count: Int, in topology: Topology) -> [[Int]] {
    let all = permutations(of: Array(0..<count))
    guard all.count > places else { return all }
    var random = SeededRandom(seed: UInt64(count))
    let mixed = all.dropFirst().shuffled(using: &random)
    let number = Topology.allCases.firstIndex(of: topology) ?? 0
    return topology == .line
      ? [all[0]] + mixed.prefix(places - 1) : Array(mixed.dropFirst(number).prefix(places))
  }

  private static func permutations(of places: [Int]) -> [[Int]] {
    guard places.count > 1 else { return [places] }
    return places.flatMap { first in
      permutations(of: places.filter { $0 != first }).map { [first] + $0 }
    }
  }

  private static func start(
    _ names: [String]
  ) throws -> (writers: [Peer], relays: [Peer], start: Peer) {
    let folder = TemporaryFolder(isInMemory: true)
    let start = try Peer("0", in: folder)
    try start.write(at: 0, Model.fill)
    let writers = try names.map { try Peer($0, in: folder) }
    let relays = [
      try Peer("X", in: folder, schema: Model.older), try Peer("Y", in: folder, schema: []),
    ]
    for peer in writers + relays { try peer.receive(from: start) }
    return (writers, relays, start)
  }

  private static func deliverInEveryOrder(
    _ writers: [Peer], after start: Peer, _ expectation: (Peer) throws -> Void
  ) throws {
    let contexts = writers.reduce(into: [:]) { $0.merge($1.contexts) { one, _ in one } }
    let first = try #require(writers.first)
    let known = try start.store.appliedVector()
    let written = try first.changesets(lackedBy: known).map {
      WrittenChangeset(entry: $0, context: try #require(contexts[$0.id]))
    }
    for order in causalOrders(of: written, after: known, limit: orders) {
      try deliver(order, after: start, like: first, isCausal: true, expectation)
    }
    guard written.count > 1 else { return }
    var random = SeededRandom(seed: UInt64(written.count))
    for _ in 0..<wildOrders {
      let order = written.map(\.entry).shuffled(using: &random)
      try deliver(order, after: start, like: first, isCausal: false, expectation)
    }
  }

  /// Hands a new replica one changeset at a time; what has to wait is offered again.
  private static func deliver(
    _ order: [LogEntry], after start: Peer, like first: Peer, isCausal: Bool,
    _ expectation: (Peer) throws -> Void
  ) throws {
    let comment: Comment = "in the order \(order.map(\.id.author.shortDescription))"
    let peer = try Peer("Z", in: nil)
    peer.clock.set(secondsAfterStart: 3600)
    try peer.receive(from: start)
    var waiting = order
    for _ in order {
      waiting = try waiting.filter { entry in
        let outcome = try #require(try peer.store.apply([entry.incoming]).first)
        if case .missing = outcome, !isCausal { return true }
        guard case .applied = outcome else {
          Issue.record("\(comment): \(outcome)")
          return false
        }
        return false
      }
    }
    #expect(waiting.isEmpty, comment)
    #expect(try peer.export() == first.export(), comment)
    #expect(try peer.store.digest() == first.store.digest(), comment)
    try expectation(peer)
  }
}
