import ArgumentParser
import AtollEdit
import AtollInspect
import AtollPresence
import AtollStorage
import AtollTransport
import AtollVocabulary

/// `atoll peer`: which nodes may connect for a store.
struct PeerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peer",
    abstract: "Says which nodes may connect for a store, and which replicas count.",
    discussion: """
      The roster is this store's own and is not replicated: each side has to let the other in. A daemon \
      that serves the store hears of changes at once. Which replicas there are is replicated \
      (`atoll peers`): one that is gone for good is retired, on all of them.
      """,
    subcommands: [
      PeerListCommand.self, PeerAddCommand.self, PeerAcceptCommand.self, PeerRemoveCommand.self,
      PeerRetireCommand.self, PeerReadmitCommand.self,
    ])
}

/// The role and the addresses of a node.
struct PeerOptions: ParsableArguments {
  @Option(help: "What it may do: \(PeerRole.allCases.map(\.rawValue).joined(separator: ", ")).")
  var role = PeerRole.write

  @Option(
    help: ArgumentHelp("Where to connect to it. Repeatable.", valueName: "host:port"))
  var address: [String] = []

  /// The addresses, in the form the daemon compares.
  func addresses() throws -> [String] { try address.map { "\(try Endpoint($0))" } }
}

extension PeerRole: ExpressibleByArgument {}

/// `atoll peer list`.
struct PeerListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Shows the roster, and who waits to be let in.")

  @OptionGroup var argument: StoreArgument

  func run() throws {
    let store = try argument.inspect()
    defer { store.close() }
    let roster = try store.roster()
    for node in roster.nodes {
      let places = node.addresses.isEmpty ? "" : " at \(node.addresses.joined(separator: ", "))"
      print("\(node.role)  \(node.identity)  \(node.name)\(places)")
    }
    for waiting in roster.pending {
      print("pending  \(waiting.identity)  calls itself \(waiting.name), from \(waiting.address)")
    }
  }
}

/// `atoll peer add`.
struct PeerAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Lets a node connect, by its identity.",
    discussion: "A node that is in the roster already gets the name, role and addresses given.")

  @OptionGroup var argument: StoreArgument

  @Argument(help: "What to call it.")
  var name: String

  @Argument(help: "Its identity, as `atoll identity` prints it there.")
  var identity: String

  @OptionGroup var options: PeerOptions

  func run() throws {
    guard let identity = NodeIdentity(identity) else {
      throw CommandError.notAnIdentity(identity)
    }
    let editor = try argument.edit()
    defer { editor.close() }
    try editor.admit(
      RosterEntry(
        identity: identity, name: name, role: options.role, addresses: options.addresses()))
    print("\(options.role.rawValue)  \(identity)  \(name)")
  }
}

/// `atoll peer accept`.
struct PeerAcceptCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Lets a node connect that came and was turned away.",
    discussion: """
      Prints its identity, which has to be what `atoll identity` prints there: a node can call itself \
      anything.
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(help: "What it calls itself, or its identity, or the first letters of that.")
  var name: String

  @Option(help: "What to call it instead.")
  var `as`: String?

  @OptionGroup var options: PeerOptions

  func run() throws {
    let editor = try argument.edit()
    defer { editor.close() }
    let entry = try editor.accept(
      name, as: self.as, role: options.role, addresses: try options.addresses())
    print("\(entry.role.rawValue)  \(entry.identity)  \(entry.name)")
  }
}

/// `atoll peer remove`.
struct PeerRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Lets a node connect no more, and cuts it off.")

  @OptionGroup var argument: StoreArgument

  @Argument(help: "What the roster calls it, or its identity, or the first letters of that.")
  var name: String

  func run() throws {
    let editor = try argument.edit()
    defer { editor.close() }
    let entry = try editor.remove(name)
    print("removed  \(entry.identity)  \(entry.name)")
  }
}
