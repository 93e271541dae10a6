import ArgumentParser
import AtollEdit
import AtollStorage
import AtollVocabulary

/// `atoll join`: takes over another store's id.
struct JoinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Lets a store exchange with the stores of another id.",
    discussion: """
      The store takes over the id and keeps its objects, which then merge with the others'. \
      Possible as long as it has exchanged with nobody. Where a store file is given, its replica admits this \
      one, if it is an owner, or else asks owners to.
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(
    help: "The id to take over, 32 hexadecimal digits or a UUID, or a store file that has it.")
  var target: String

  func run() throws {
    let id = try targetID()
    let file = try StoreFile.open(argument.store, options: StoreOptions(mayCreate: false))
    defer { file.close() }
    let former = file.storeID
    try file.joinStore(id)
    print(former == id ? "store \(id) already" : "store \(id), formerly \(former)")
    guard StoreID(argument: target) == nil, id.isOwned else { return }
    let replica = file.author.replica
    guard let other = try? StoreEditor(path: target) else {
      return print(Welcome.isUnheard.line(for: replica))
    }
    defer { other.close() }
    if let welcome = try other.welcome(replica) { print(welcome.line(for: replica)) }
  }

  private func targetID() throws -> StoreID {
    if let id = StoreID(argument: target) { return id }
    do {
      let other = try StoreFile.open(
        target, options: StoreOptions(isReadOnly: true, mayCreate: false))
      defer { other.close() }
      return other.storeID
    } catch {
      throw CommandError.notAnIDNorAStore(target, error)
    }
  }
}
