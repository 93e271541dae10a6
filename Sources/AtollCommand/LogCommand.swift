import ArgumentParser
import AtollChanges
import AtollStorage
import AtollVocabulary

/// `atoll log`: the changesets a store holds, in the order in which it got them.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Shows the changesets a store holds, in local order.",
    discussion: """
      A line each: place in the log, author, sequence, hybrid time, operations, bytes, and the \
      first digits of the chain hash.
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
    let file = try argument.read()
    defer { file.close() }
    try file.beginRead()
    var position = LogPosition(after)
    var remaining = limit ?? .max
    while remaining > 0 {
      let batch = try file.entries(
        lackedBy: VersionVector(), after: position, limitBytes: Limits.batchBytes)
      for entry in batch.entries.prefix(remaining) { print(try line(entry)) }
      remaining -= min(remaining, batch.entries.count)
      if batch.isAtEnd { return }
      position = batch.next
    }
  }

  private func line(_ entry: LogEntry) throws -> String {
    let changeset = try ChangesetReader(entry.bytes, author: entry.id.author)
    guard json else {
      return [
        "\(entry.position.rawValue)", entry.id.author.shortDescription, "\(entry.id.sequence)",
        "\(changeset.time)", "\(changeset.operationCount) operations",
        "\(entry.bytes.count) bytes", String("\(entry.id.hash)".prefix(16)),
      ].joined(separator: "\t")
    }
    return JSONText.line(
      .object([
        ("position", .optional(entry.position.rawValue)),
        ("author", .string("\(entry.id.author)")),
        ("sequence", .optional(entry.id.sequence.rawValue)),
        ("time", .string("\(changeset.time)")),
        ("operations", .optional(changeset.operationCount)),
        ("dependencies", .optional(changeset.dependencies.count)),
        ("bytes", .optional(entry.bytes.count)),
        ("hash", .string("\(entry.id.hash)")),
      ]))
  }
}
