package import AtollVocabulary

/// The links that are configured between nodes.
package enum Topology: String, CaseIterable, Codable, Sendable {
  case line
  case ring
  case star
  case tree
  case mesh
  /// Two full meshes with a single link between them.
  case islands

  /// Pairs of node numbers, the one that dials first; connected whatever the number of nodes.
  package func edges(among count: Int, using random: inout SeededGenerator) -> [(Int, Int)] {
    let pairs: [(Int, Int)] =
      switch self {
      case .line: (1..<count).map { ($0 - 1, $0) }
      case .ring: (0..<count).map { ($0, ($0 + 1) % count) }
      case .star: (1..<count).map { (0, $0) }
      case .tree: (1..<count).map { (($0 - 1) / 2, $0) }
      case .mesh: Self.mesh(0..<count)
      case .islands: Self.islands(count)
      }
    return pairs.map { Bool.random(using: &random) ? $0 : ($0.1, $0.0) }
  }

  private static func mesh(_ nodes: Range<Int>) -> [(Int, Int)] {
    nodes.flatMap { node in nodes.filter { $0 > node }.map { (node, $0) } }
  }

  private static func islands(_ count: Int) -> [(Int, Int)] {
    let middle = count / 2
    return mesh(0..<middle) + mesh(middle..<count) + [(middle - 1, middle)]
  }
}
