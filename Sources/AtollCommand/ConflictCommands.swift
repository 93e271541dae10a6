import ArgumentParser
import AtollStorage
import AtollVocabulary

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
    let file = try argument.read()
    defer { file.close() }
    try file.beginRead()
    let subject = try className.map { try SubjectClass($0, in: file, at: argument.store) }
    let key = try key.map { try subject?.key($0) ?? .null }
    let names = try file.replicaNames()
    for conflict in try file.conflicts(of: subject?.stored.id, key: key) {
      let text =
        json
        ? try JSONLine.text(ConflictLine(conflict, names)) : ConflictText(conflict, names).lines
      print(lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }
  }
}

/// A conflict for people: what it is about, what was lost, what holds.
struct ConflictText {
  let lines: String

  init(_ conflict: Conflict, _ names: ReplicaNames) {
    lines = """
      \(conflict.number)\t\(conflict.className) \(conflict.key) \(Self.place(conflict))
        lost   \(Self.side(conflict.losing, names))
        to     \(Self.side(conflict.winning, names))
        since  \(conflict.rule)
      """
  }

  /// The way to the cell; words for the object itself.
  static func place(_ conflict: Conflict) -> String {
    conflict.path.isEmpty ? "as a whole" : conflict.path
  }

  static func side(_ side: ConflictSide, _ names: ReplicaNames) -> String {
    let author = side.author.map { " by \(names.shortText($0))" } ?? ""
    let time = side.time.map { " at \(ReadableTime($0).text)" } ?? ""
    return "\(side.value)\(author)\(time)"
  }
}

/// What `--json` tells of a conflict.
private struct ConflictLine: Encodable {
  struct Side: Encodable {
    let value: String
    let author: String?
    /// What the author's replica is called; nil if nobody said.
    let name: String?
    let time: String?

    init(_ side: ConflictSide, _ names: ReplicaNames) {
      value = "\(side.value)"
      author = side.author.map { "\($0)" }
      name = side.author.flatMap { names[$0.replica] }
      time = side.time.map { "\($0)" }
    }
  }

  let number: Int64
  let `class`: String
  let key: String
  let path: String
  let rule: Int64
  let losing: Side
  let winning: Side

  init(_ conflict: Conflict, _ names: ReplicaNames) {
    number = conflict.number
    `class` = conflict.className
    key = "\(conflict.key)"
    path = conflict.path
    rule = conflict.rule.rawValue
    losing = Side(conflict.losing, names)
    winning = Side(conflict.winning, names)
  }
}
