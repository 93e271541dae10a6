import ArgumentParser
import AtollEdit
import AtollStorage
import AtollVocabulary

/// `atoll backup`: a copy to keep.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copies a store into a new file, while others write.",
    discussion: """
      The copy holds what the store held at one moment, is readable by its owner only, checked, and \
      on the disk when the command ends. Restore it with `atoll restore`.
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(help: "The file to make; nothing may be there.", completion: .file())
  var file: String

  @OptionGroup var checking: CopyChecking

  func run() throws {
    let store = try argument.read()
    defer { store.close() }
    try store.backUp(to: file, isQuick: checking.quick)
    print("backup   \(file)")
  }
}

/// `atoll clone`: another replica.
struct CloneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clone", abstract: "Makes a new replica of a store, with all it holds.",
    discussion: """
      Quicker than an empty store that fetches everything from a peer. Both exchange with each other \
      and with all others of the store's id from then on. Whom the original lets connect (`atoll peer \
      list`) is not taken along: the new node has a key of its own, and is paired (`atoll pair`).
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(help: "The file to make; nothing may be there.", completion: .file())
  var file: String

  @OptionGroup var checking: CopyChecking

  @Flag(help: "Let the same nodes connect as the original does.")
  var withRoster = false

  func run() throws {
    let store = try argument.read()
    defer { store.close() }
    let author = try store.clone(to: file, isQuick: checking.quick, withRoster: withRoster)
    print("store    \(store.storeID)")
    print("replica  \(author)")
    try admit(author.replica, of: store)
    let count = try store.roster().count
    guard count > 0 else { return }
    print(
      withRoster
        ? "roster   \(count) nodes are taken along: `atoll peer list \(file)`"
        : "roster   empty: the \(count) nodes of the original are not taken along; pair the new one "
          + "with them (`atoll pair`)")
  }
}

extension CloneCommand {
  /// Has the new replica admitted, if owners say who may write.
  private func admit(_ replica: ReplicaID, of store: StoreFile) throws {
    guard store.storeID.isOwned else { return }
    // Nobody but an owner needs to write to the file that is copied.
    guard let editor = try store.isOwner ? argument.edit() : try? argument.edit() else {
      return print(Welcome.isUnheard.line(for: replica))
    }
    defer { editor.close() }
    guard let welcome = try editor.welcome(replica) else { return }
    if welcome == .isAdmitted { try editor.admitCopy(at: file) }
    print(welcome.line(for: replica))
  }
}

extension Welcome {
  func line(for replica: ReplicaID) -> String {
    switch self {
    case .isAdmitted: "member   writer"
    case .isAsked: "member   not yet: owners are asked; let one run `atoll admit` with \(replica)"
    case .isUnheard: "member   not yet: let an owner run `atoll admit` with \(replica)"
    }
  }
}

/// `atoll restore`: a backup in a store's place.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Puts a copy of a backup in a store's place.",
    discussion: """
      Refuses while anybody has the store open; the file that is replaced is kept beside it. What \
      was written after the backup and had reached a peer comes back from there. The roster stays that \
      of the file which is replaced: who was removed since the backup may not connect again. Where there \
      is none, nobody is let in until somebody says so (`atoll peer`, `atoll pair`).
      """)

  @Argument(help: "The backup; it is kept.", completion: .file())
  var backup: String

  @Argument(help: "The store file to replace or to make.", completion: .file())
  var store: String

  @OptionGroup var checking: CopyChecking

  @Flag(
    help: "Where no roster is there to be kept, take the backup's, with all who were removed since."
  )
  var withRoster = false

  func run() throws {
    let done = try StoreFile.restore(
      backup, to: store, isQuick: checking.quick, withRoster: withRoster)
    print("replica  \(done.author)")
    if let replaced = done.replaced { print("replaced \(replaced)") }
    switch done.roster {
    case .kept(0), .leftOut(0): break
    case .kept(let count): print("roster   \(count) nodes, as in the file that is replaced")
    case .taken(let count):
      print(
        "roster   \(count) nodes, as in the backup: look who was removed since (`atoll peer list`)")
    case .leftOut(let count):
      print(
        "roster   empty: the \(count) nodes of the backup are left out, since some may have been removed "
          + "since; let them in again (`atoll peer add`, `atoll pair`), or restore with --with-roster"
      )
    }
  }
}

/// The thoroughness with which a copy is checked before it gets its name.
struct CopyChecking: ParsableArguments {
  @Flag(help: "Check the file only, not that its objects follow from its log.")
  var quick = false
}
