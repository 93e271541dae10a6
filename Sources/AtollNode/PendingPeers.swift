import AtollPresence
import AtollVocabulary
private import Foundation

/// Nodes that came, proved who they are, and are in no roster: for people to decide about.
struct PendingPeers {
  /// The one heard of last is last.
  private(set) var entries: [StoreStatus.Pending] = []

  /// Remembers a node; whether it is new here.
  mutating func record(_ identity: NodeIdentity, name: String, address: String) -> Bool {
    let text = identity.description
    let known = entries.firstIndex { $0.identity == text }
    if let known { entries.remove(at: known) }
    if entries.count >= Limits.pendingPeers { entries.removeFirst() }
    entries.append(
      StoreStatus.Pending(
        identity: text, name: name, address: address,
        time: Int64(Date().timeIntervalSince1970 * 1000)))
    return known == nil
  }

  /// Forgets those that were let in.
  mutating func forget(_ identities: [NodeIdentity]) {
    let known = Set(identities.map(\.description))
    entries.removeAll { known.contains($0.identity) }
  }
}
