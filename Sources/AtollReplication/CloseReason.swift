package import AtollWire

/// Why a link ended.
package enum CloseReason: Hashable, Sendable {
  /// This side gave it up; the peer was told the same.
  case byUs(Goodbye)
  /// The peer gave it up and said why.
  case byPeer(Goodbye)
  /// The stream ended without a word, as the one who runs it describes it.
  case lost(String)
}

extension CloseReason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .byUs(let goodbye): "closed here: \(goodbye)"
    case .byPeer(let goodbye): "closed by the peer: \(goodbye)"
    case .lost(let text): "lost: \(text)"
    }
  }
}
