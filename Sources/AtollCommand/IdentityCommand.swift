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
        The key that signs what is written in the file, such as after it was in a backup that others have. The \
        file keeps all that it has. Its former replica is retired. Where the store has owners, an owner's new \
        replica is an owner at once; else owners are asked to admit it, and what is written meanwhile counts \
        once they have. A key that others may have is of use to them until an owner runs `atoll remove` with the \
        former id; an owner's own is for ever, since owners stay.

        The key by which other nodes know this one is another file: to change it, move that file away, and pair \
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
        print("member   not yet: owners are asked; they run `atoll admit` with the new id")
      }
    }
  }
}
