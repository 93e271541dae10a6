#if Replication
import AtollNode
import AtollTransport
import Foundation

/// The node in this program.
struct StoreNode {
  let embedded: EmbeddedNode
  func stop() { embedded.stop() }
}

extension Store.Configuration {
  /// Begins to exchange, if this program is to.
  func startNode() throws(Store.Error) -> StoreNode? {
    switch node {
    case .none: return nil
    case .embedded(let peers, let listen, _, let security):
      do throws(NodeError) {
        let embedded = try EmbeddedNode(
          store: path, listen: listen, peers: peers,
          protection: security == .always ? .always : .automatic, identity: identityFile)
        return StoreNode(embedded: embedded)
      } catch {
        throw Store.Error(.system, "\(error)")
      }
    }
  }

  /// The place of the key of a node in this program.
  var identityFile: IdentityFile {
    if case .embedded(_, _, let key?, _) = node { return IdentityFile(key.path) }
    return IdentityFile(besideStore: path)
  }
}

#else

/// There is none: this build does not replicate.
enum StoreNode: Sendable {
  func stop() {}
}

extension Store.Configuration {
  func startNode() throws(Store.Error) -> StoreNode? { nil }
}
#endif
