import AtollReplication
import AtollVocabulary
import AtollWire

/// Streams between nodes, and which of them cannot reach each other.
struct Network {
  /// One stream; its two ends know it by links of their own.
  struct Connection {
    var ends: [End]

    func end(at link: LinkID, of node: Int) -> Int? {
      ends.firstIndex { $0.node == node && $0.link == link }
    }
  }

  struct End {
    var node: Int
    var life: Int
    var link: LinkID
    var isOpen = true
    /// The arrival of the last frame towards this end; the next one of a stream comes later.
    var lastArrival = Instant(nanoseconds: 0)
    /// True if anything was sent towards this end, the preamble before it.
    var isGreeted = false
    /// The decoder of the bytes that come to this end of a stream.
    var decoder: FrameDecoder

    /// True if a part of a frame has come, and not the rest.
    var isHalfway: Bool { isOpen && decoder.isInFrame }
  }

  /// The unit that passes at a time: some bytes of a stream, which may end anywhere in a frame;
  /// else a whole frame.
  struct Piece {
    var bytes: ArraySlice<UInt8>
    /// The frame that these bytes end.
    var frame: Frame?
  }

  var connections: [Connection] = []
  /// The number of partitions that keep frames of one node from another.
  private var blocks: [[Int]]

  init(nodeCount: Int) {
    blocks = Array(repeating: Array(repeating: 0, count: nodeCount), count: nodeCount)
  }

  func isBlocked(from source: Int, to target: Int) -> Bool { blocks[source][target] > 0 }

  mutating func block(_ pairs: [(Int, Int)]) {
    for (source, target) in pairs { blocks[source][target] += 1 }
  }

  mutating func unblock(_ pairs: [(Int, Int)]) {
    for (source, target) in pairs { blocks[source][target] = max(0, blocks[source][target] - 1) }
  }

  mutating func unblockAll() {
    blocks = blocks.map { $0.map { _ in 0 } }
  }
}
