import ArgumentParser
import AtollEdit
import AtollInspect

/// `atoll conflicts`: the writes that were lost to concurrent ones.
struct ConflictsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts", abstract: "Shows writes that were lost to concurrent ones.",
    discussion: """
      A write is here if another held instead and neither had seen the other. The ledger is this \
      file's own; the oldest entries go first. --restore writes lost values once more, which \
      replicates as any write does; --dismiss only takes entries out of the ledger, as restoring does \
      too. Either is done for all the numbers or for none. An application does the same with \
      `store.conflicts`. Example: atoll conflicts airports.atoll --restore 3 4
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(help: "Only of this class.")
  var className: String?

  @Argument(help: "Only of the object with this primary key.")
  var key: String?

  @Flag(help: "One JSON object a line instead of text.")
  var json = false

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Write these lost values once more.", valueName: "number"))
  var restore: [Int64] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Take these entries out of the ledger.", valueName: "number"))
  var dismiss: [Int64] = []

  func validate() throws {
    guard restore.isEmpty || dismiss.isEmpty else {
      throw ValidationError("--restore and --dismiss are two commands; give one of them.")
    }
    guard restore.isEmpty && dismiss.isEmpty || className == nil && !json else {
      throw ValidationError(
        "--restore and --dismiss take numbers, as the list without them has them; leave out the class, "
          + "the key and --json.")
    }
  }

  func run() throws {
    guard restore.isEmpty && dismiss.isEmpty else { return try edit() }
    let store = try argument.inspect()
    defer { store.close() }
    for row in try store.conflicts(of: className, key: key) {
      let text = json ? try JSONLine.text(row) : row.lines
      print(lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }
  }

  private func edit() throws {
    let editor = try argument.edit()
    defer { editor.close() }
    let (outcome, verb) =
      restore.isEmpty
      ? (try editor.dismissConflicts(dismiss), "dismissed")
      : (try editor.restoreConflicts(restore), "restored")
    print("\(verb) \(outcome.edits) of the ledger")
  }
}

extension ConflictRow {
  /// A conflict for people: what it is about, what was lost, what holds.
  fileprivate var lines: String {
    """
    \(number)\t\(`class`) \(key) \(place)
      lost   \(losing.text)
      to     \(winning.text)
      since  \(reason)
    """
  }

  /// The way to the cell; words for the object itself.
  var place: String { path.isEmpty ? "as a whole" : path }
}

extension ConflictRow.Side {
  /// The value, its author and its time, as far as they are known.
  var text: String {
    let author = author.map { " by \(AuthorName.shortText($0, name))" } ?? ""
    let time = time.map { " at \(ReadableTime($0).text)" } ?? ""
    return "\(value)\(author)\(time)"
  }
}
