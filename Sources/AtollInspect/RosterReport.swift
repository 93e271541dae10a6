package import AtollPresence
import AtollStorage
import AtollVocabulary

/// The nodes that may connect for the store, and those that wait to be let in.
package struct RosterReport: Codable, Hashable, Sendable {
  /// A node that may connect.
  package struct Node: Codable, Hashable, Sendable {
    package let identity: String
    /// Its name here; nobody else hears of it.
    package let name: String
    package let role: String
    /// Addresses to connect to it at, as HOST:PORT; empty if it connects itself.
    package let addresses: [String]
  }

  package let nodes: [Node]
  /// Nodes that the daemon turned away, and that nobody has let in since.
  package let pending: [StoreStatus.Pending]
}

extension Inspection {
  /// The roster of this file, in its order, and who waits.
  package func roster() throws -> RosterReport {
    let nodes = try file.roster().map {
      RosterReport.Node(
        identity: "\($0.identity)", name: $0.name, role: $0.role.rawValue, addresses: $0.addresses)
    }
    // A daemon names those that it turned away until they come again, which may be let in by now.
    let admitted = Set(nodes.map(\.identity))
    let pending = StoreStatus.current(ofStoreAt: file.path)?.pending ?? []
    return RosterReport(
      nodes: nodes, pending: pending.filter { !admitted.contains($0.identity) })
  }
}
