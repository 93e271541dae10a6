import ArgumentParser
import AtollNode
import AtollPresence
import AtollStorage
import AtollVocabulary

/// `atoll peers`: which replicas exist, and what each is known to have.
struct PeersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peers", abstract: "Lists the replicas of the store, and what each has.",
    discussion: """
      What a replica has, it has said itself, perhaps to others between. It lacks what it has not said \
      to have. A retired replica is listed, and nobody waits for it.
      """)

  @OptionGroup var argument: StoreArgument

  @Flag(help: "One JSON object a replica instead of text.")
  var json = false

  func run() throws {
    let file = try argument.read()
    defer { file.close() }
    let names = try file.replicaNames()
    let here = try file.appliedVector()
    let served = StoreStatus.current(ofStoreAt: file.path)
    for known in try file.knownHoldings() {
      let row = PeerRow(known, names, here, served?.peers ?? [], own: file.author.replica)
      print(json ? try JSONLine.text(row) : row.line)
    }
  }
}

/// One replica, as `atoll peers` tells it.
private struct PeerRow: Encodable {
  let replica: String
  let name: String?
  let role: String
  /// Hexadecimal digits; nil if it has said none.
  let identity: String?
  let isThis: Bool
  let isRetired: Bool
  let isConnected: Bool
  /// Changesets here that it is not known to have applied.
  let behind: UInt64
  /// Changesets that it has said to hold and that are not here.
  let ahead: UInt64
  /// When there last was news of it, milliseconds since 1970; nil if there never was.
  let heard: Int64?

  init(
    _ known: KnownHoldings, _ names: ReplicaNames, _ here: VersionVector,
    _ links: [StoreStatus.Peer], own: ReplicaID
  ) {
    replica = "\(known.member.replica)"
    name = names[known.member.replica]
    role = known.member.role.rawValue
    identity = known.member.identity.map { Hexadecimal.text(bytes: $0) }
    isThis = known.member.replica == own
    isRetired = known.member.isRetired
    isConnected = links.contains { link in
      link.isConnected && link.replica.flatMap(Author.init)?.replica == known.member.replica
    }
    behind = here.count(beyond: known.applied)
    ahead = known.ahead
    heard = known.heard?.milliseconds
  }

  var line: String {
    let called = name.map { "  \($0)" } ?? ""
    if isThis { return "\(replica)\(called)  this one" }
    let state = isRetired ? "retired" : isConnected ? "connected" : "not connected"
    let has = heard == nil ? "never heard of" : behind == 0 ? "has everything" : "lacks \(behind)"
    let more = ahead > 0 ? ", has \(ahead) more" : ""
    return "\(replica)\(called)  \(state), \(has)\(more)"
  }
}
