import ArgumentParser
import AtollNode
import AtollTransport

/// `atoll identity`: by which key others know this node.
struct IdentityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity", abstract: "Shows by which key other nodes know this one.",
    discussion: """
      The identity is the SHA-256 of the node's public key, with check digits: a wrong character, or \
      two that changed places, are noticed where it is typed in. The key is made if there is none yet.
      """)

  @OptionGroup var argument: StoreArgument

  @OptionGroup var key: IdentityArgument

  func run() throws {
    print(try key.credentials(servingStoreAt: argument.store).identity)
  }
}
