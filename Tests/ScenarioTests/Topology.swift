import AtollStorage
import Testing

/// The links between peers.
enum Topology: CaseIterable {
  case line
  case star
  case ring
  case mesh

  /// Pairs of places in a row of `count` peers; the star's middle is place 1.
  func links(_ count: Int) -> [(Int, Int)] {
    switch self {
    case .line: (1..<count).map { ($0 - 1, $0) }
    case .star: (0..<count).filter { $0 != 1 }.map { (1, $0) }
    case .ring: (0..<count).map { ($0, ($0 + 1) % count) }
    case .mesh: (0..<count).flatMap { a in (a + 1..<count).map { (a, $0) } }
    }
  }
}

/// Lets peers exchange over their links, each link in both directions and in turn, until nobody has
/// anything new.
func exchange(_ peers: [Peer], _ topology: Topology = .mesh) throws {
  for _ in 0...peers.count {
    var isQuiet = true
    for (a, b) in topology.links(peers.count) {
      if try peers[b].receive(from: peers[a]) { isQuiet = false }
      if try peers[a].receive(from: peers[b]) { isQuiet = false }
    }
    if isQuiet { return }
  }
  Issue.record("after \(peers.count + 1) rounds there is still something new")
}

/// Equal vectors, equal digests, equal exports, and a file that is sound.
func expectEqual(_ peers: [Peer], _ comment: Comment) throws {
  let first = try #require(peers.first)
  let (vector, digest, export) = (
    try first.store.appliedVector(), try first.store.digest(), try first.export()
  )
  for peer in peers.dropFirst() {
    #expect(try peer.store.appliedVector() == vector, comment)
    #expect(try peer.store.digest() == digest, comment)
    #expect(try peer.export() == export, comment)
  }
  #expect(try first.store.verify() == [], comment)
}
