import ArgumentParser
import AtollNode
import AtollPresence
import AtollTransport

/// The key that a node, or a command in its place, shows to others.
struct IdentityArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file of this node's key; if not given that of the daemon that serves the store, or beside it.",
      valueName: "file"))
  var identity: String?

  /// The key of the node that serves `store`; made if there is none yet.
  func credentials(servingStoreAt store: String) throws -> Credentials {
    let path = identity ?? StoreStatus.current(ofStoreAt: store)?.identityFile
    return try (path.map { IdentityFile($0) } ?? IdentityFile(besideStore: store)).open()
  }
}
