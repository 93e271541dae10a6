import AtollNode
import AtollStorage
import AtollVocabulary

/// What `atoll status` tells, as text and, encoded, as JSON.
struct StatusReport: Encodable {
  let store: String
  let replica: String
  /// Live objects by class name; classes of one name are counted together.
  let objects: [String: Int]
  /// The last applied changeset of each author.
  let applied: [String: UInt64]
  let digest: String?
  /// The node that serves the store; nil if nobody does.
  let servedBy: StoreStatus?
  private let vector: VersionVector

  private enum CodingKeys: String, CodingKey {
    case store, replica, objects, applied, digest, servedBy
  }

  /// Reads what there is to tell, on one snapshot.
  init(_ file: StoreFile, withDigest: Bool) throws {
    try file.beginRead()
    store = "\(file.storeID)"
    replica = "\(file.author)"
    objects = Dictionary(
      try file.counts().map { ($0.class.name, $0.objects) }, uniquingKeysWith: +)
    vector = try file.appliedVector()
    applied = Dictionary(
      vector.entries.map { ("\($0.author)", $0.sequence.rawValue) }, uniquingKeysWith: max)
    digest = withDigest ? "\(try file.digest())" : nil
    servedBy = StoreStatus.current(ofStoreAt: file.path)
  }

  /// The lines for people.
  var lines: [String] {
    ["store    \(store)", "replica  \(replica)"]
      + objects.sorted { $0.key < $1.key }.map { "objects  \($0.value) \($0.key)" }
      + ["applied  \(vector)"] + (digest.map { ["digest   \($0)"] } ?? [])
      + (servedBy.map(StatusReport.lines) ?? ["served   by nobody"])
  }

  private static func lines(_ service: StoreStatus) -> [String] {
    let address = service.listening.map { ", listening at \($0)" } ?? ""
    return ["served   by \(service.agent), process \(service.processID)\(address)"]
      + (service.forced.map { ["FORCED   rows of \($0.joined(separator: ", "))"] } ?? [])
      + service.peers.map { "peer     \(line($0))" }
  }

  private static func line(_ peer: StoreStatus.Peer) -> String {
    let state = peer.isConnected ? "connected" : "not connected"
    let behind = peer.behind.map { $0 == 0 ? ", has everything" : ", lacks \($0) changesets" }
    let error = peer.isConnected ? nil : peer.lastError.map { ": \($0)" }
    let divergence = peer.divergence.map { ", DIVERGED: \($0)" } ?? ""
    return "\(peer.address) \(state)\(behind ?? "")\(divergence)\(error ?? "")"
  }
}
