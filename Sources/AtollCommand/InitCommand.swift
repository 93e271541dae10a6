import ArgumentParser
import AtollStorage
import AtollVocabulary
import Foundation

/// `atoll init`: makes an empty store.
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Makes an empty store.",
    discussion: """
      Stores exchange only with stores of the same id. Without --id a new one is made; give it to \
      the other nodes, or let them `atoll join`.

      A new store has owners, who say which replicas may write (`atoll admit`); this one is the first, and \
      the id proves it. With --no-owners, or an id of your choice, whoever may connect may write.
      """)

  @OptionGroup var argument: StoreArgument

  @Option(help: "The store's id: 32 hexadecimal digits, or a UUID.")
  var id: StoreID?

  @Flag(help: "Let everybody write who may connect.")
  var noOwners = false

  @Option(help: "What people call this replica; all replicas of the store learn it.")
  var name: String?

  func run() throws {
    guard !FileManager.default.fileExists(atPath: argument.store) else {
      throw CommandError.alreadyThere(path: argument.store)
    }
    let file = try StoreFile.open(
      argument.store, options: StoreOptions(storeID: id, isOwned: !noOwners))
    defer { file.close() }
    print("store    \(file.storeID)")
    print("replica  \(file.author)")
    if let name {
      try file.setReplicaName(name)
      if let shown = try file.replicaNames()[file.author.replica] { print("name     \(shown)") }
    }
    guard try file.isOwner else { return }
    print("member   founder: `atoll recovery new` makes a code for the day when this file is lost")
  }
}
