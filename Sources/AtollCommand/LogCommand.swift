import ArgumentParser
import AtollInspect

/// `atoll log`: the changesets a store holds, in the order in which it got them.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Shows the changesets a store holds, in local order.",
    discussion: """
      A line each: place in the log, author, sequence, hybrid time, operations, bytes, and the \
      first digits of the chain hash. A changeset whose transaction goes on in its author's next is \
      continued. Where the history of an author divides, because its disk was \
      rolled back, each first changeset names those beside it.
      """)

  @OptionGroup var argument: StoreArgument

  @Option(help: "Begin after this place.")
  var after: Int64 = 0

  @Option(help: "At most this many changesets.")
  var limit: Int?

  @Flag(help: "One JSON object a line instead of columns.")
  var json = false

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit must not be negative.") }
    if after < 0 { throw ValidationError("--after must not be negative.") }
  }

  func run() throws {
    let store = try argument.inspect()
    defer { store.close() }
    try store.forEachLogRow(after: after, limit: limit) { row in
      print(json ? try JSONLine.text(row) : row.columns)
    }
  }
}

extension LogRow {
  /// The columns of text, apart by tabs.
  fileprivate var columns: String {
    let columns = [
      "\(position)", author, "\(sequence)", time, "\(operations) operations", "\(bytes) bytes",
      String(hash.prefix(16)),
    ]
    let others = beside.map { "beside " + $0.map { $0.prefix(16) }.joined(separator: " ") }
    let rest = isContinued.map { _ in "continued" }
    return (columns + [rest, others].compactMap(\.self)).joined(separator: "\t")
  }
}
