import ArgumentParser
import AtollStorage

/// `atoll backup`: a copy to keep.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copies a store into a new file, while others write.",
    discussion: """
      The copy holds what the store held at one moment, is readable by its owner only, checked, and \
      on the disk when the command ends. Put it back with `atoll restore`.
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
      and with all others of the store's id from then on.
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(help: "The file to make; nothing may be there.", completion: .file())
  var file: String

  @OptionGroup var checking: CopyChecking

  func run() throws {
    let store = try argument.read()
    defer { store.close() }
    let author = try store.clone(to: file, isQuick: checking.quick)
    print("store    \(store.storeID)")
    print("replica  \(author)")
  }
}

/// `atoll restore`: a backup in a store's place.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Puts a copy of a backup in a store's place.",
    discussion: """
      Refuses while anybody has the store open; the file that is replaced is kept beside it. What \
      was written after the backup and had reached a peer comes back from there.
      """)

  @Argument(help: "The backup; it is kept.", completion: .file())
  var backup: String

  @Argument(help: "The store file to replace or to make.", completion: .file())
  var store: String

  @OptionGroup var checking: CopyChecking

  func run() throws {
    let done = try StoreFile.restore(backup, to: store, isQuick: checking.quick)
    print("replica  \(done.author)")
    if let replaced = done.replaced { print("replaced \(replaced)") }
  }
}

/// How thoroughly a copy is looked at before it gets its name.
struct CopyChecking: ParsableArguments {
  @Flag(help: "Check the file only, not that its objects follow from its log.")
  var quick = false
}
