import ArgumentParser
import AtollInspect

/// `atoll conflicts`: the writes that were lost to concurrent ones.
struct ConflictsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts", abstract: "Shows writes that were lost to concurrent ones.",
    discussion: """
      A write is here if another held instead and neither had seen the other. The ledger is this \
      file's own; the oldest entries go first. An application lists, restores and dismisses them \
      with `store.conflicts`.
      """)

  @OptionGroup var argument: StoreArgument

  @Argument(help: "Only of this class.")
  var className: String?

  @Argument(help: "Only of the object with this primary key.")
  var key: String?

  @Flag(help: "One JSON object a line instead of text.")
  var json = false

  func run() throws {
    let store = try argument.inspect()
    defer { store.close() }
    for row in try store.conflicts(of: className, key: key) {
      let text = json ? try JSONLine.text(row) : row.lines
      print(lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }
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
