import ArgumentParser
import AtollInspect

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
    let store = try argument.inspect()
    defer { store.close() }
    for row in try store.members() { print(json ? try JSONLine.text(row) : row.line) }
  }
}

extension MemberRow {
  fileprivate var line: String {
    let called = name.map { "  \($0)" } ?? ""
    if isThis { return "\(replica)\(called)  this one" }
    let state =
      admittedAs == "removed"
      ? "removed" : isRetired ? "retired" : isConnected ? "connected" : "not connected"
    if admittedAs == "requested" { return "\(replica)\(called)  \(state), waits for its admission" }
    let has = heard == nil ? "never heard of" : behind == 0 ? "has everything" : "lacks \(behind)"
    let more = ahead > 0 ? ", has \(ahead) more" : ""
    return "\(replica)\(called)  \(state), \(has)\(more)"
  }
}
