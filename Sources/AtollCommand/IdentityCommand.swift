import ArgumentParser
import AtollEdit
import AtollNode
import AtollTransport

/// `atoll identity`: the keys of a node and of its replica.
struct IdentityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "identity",
    abstract: "Shows by which key other nodes know this one; gives its replica another key.",
    subcommands: [Show.self, Rotate.self], defaultSubcommand: Show.self)

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows by which key other nodes know this one.",
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

  struct Rotate: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Gives the replica of a store file another key, and thus another id.",
      discussion: """
        A replica's key is in its file, and signs what is written there. Change it where others may have a copy \
        of the file. All that was written stays, and whoever has the file open goes on. The replica with the former \
        key is retired.

        Where the store has owners, an owner is one under the new id, too. For any other replica owners are asked: \
        what it writes from now on counts once an owner has run `atoll admit` with the new id. Whoever has a copy with \
        the former key can write until an owner runs `atoll remove` with the former id. An owner cannot be removed.

        Nodes know each other by another key. To change that, stop the daemon, move the key's file away, and pair \
        anew (`atoll pair`).
        """)

    @OptionGroup var argument: StoreArgument

    func run() throws {
      let editor = try argument.edit()
      defer { editor.close() }
      let (former, replica, waits) = try editor.rotateKey()
      print("replica  \(replica)")
      print("former   \(former), retired")
      if waits {
        print(
          "member   not yet: owners are asked; they run `atoll admit` with the new id, and `atoll remove` "
            + "with the former one if others may have its key")
      }
    }
  }
}
