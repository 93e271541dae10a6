import ArgumentParser
import AtollStorage
import AtollVocabulary
import Foundation

/// `atoll init`: makes an empty store.
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Makes an empty store.",
    discussion: """
      Stores exchange only with stores of the same id. Without --id a new one is drawn; give it to \
      the other nodes, or let them `atoll join`.

      With --owned the store has owners, who say which replicas may write (`atoll admit`); this one is the \
      first, and the id of the store proves it.
      """)

  @OptionGroup var argument: StoreArgument

  @Option(help: "The store's id: 32 hexadecimal digits, or a UUID.")
  var id: StoreID?

  @Flag(help: "Let owners say who may write; this replica is the first.")
  var owned = false

  @Option(help: "What people call this replica; all replicas of the store learn it.")
  var name: String?

  func validate() throws {
    guard owned, id != nil else { return }
    throw ValidationError(
      "--id and --owned: the id of a store with owners is made of the first one's key; leave one out"
    )
  }

  func run() throws {
    guard !FileManager.default.fileExists(atPath: argument.store) else {
      throw CommandError.alreadyThere(path: argument.store)
    }
    let file = try StoreFile.open(
      argument.store, options: StoreOptions(storeID: id, isOwned: owned))
    defer { file.close() }
    print("store    \(file.storeID)")
    print("replica  \(file.author)")
    if let name {
      try file.setReplicaName(name)
      if let shown = try file.replicaNames()[file.author.replica] { print("name     \(shown)") }
    }
  }
}
