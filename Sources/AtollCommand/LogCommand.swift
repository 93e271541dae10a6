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
      first digits of the chain hash. A changeset whose transaction goes on in its author's next is \
      continued. Where the history of an author divides, because its disk was \
      put back, each first changeset names those beside it.
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
    let forks = try file.forks()
    var position = LogPosition(after)
    var remaining = limit ?? .max
    while remaining > 0 {
      let batch = try file.entries(
        lackedBy: VersionVector(), after: position, limitBytes: Limits.batchBytes)
      for entry in batch.entries.prefix(remaining) { print(try line(entry, forks)) }
      remaining -= min(remaining, batch.entries.count)
      if batch.isAtEnd { return }
      position = batch.next
    }
  }

  private func line(_ entry: LogEntry, _ forks: [HistoryFork]) throws -> String {
    let changeset = try LogLine(entry, forks)
    return json ? try JSONLine.text(changeset) : changeset.columns
  }
}

/// What `atoll log` tells of a changeset.
private struct LogLine: Encodable {
  let position: Int64
  let author: String
  let sequence: UInt64
  let time: String
  let operations: Int
  let dependencies: Int
  let bytes: Int
  let hash: String
  /// The hashes of the other changesets that its author's history goes on with; nil mostly.
  let beside: [String]?
  /// Whether the transaction goes on in the author's next changeset; nil if not.
  let isContinued: Bool?

  enum CodingKeys: String, CodingKey {
    case position, author, sequence, time, operations, dependencies, bytes, hash, beside
    case isContinued = "continued"
  }

  init(_ entry: LogEntry, _ forks: [HistoryFork]) throws {
    let changeset = try ChangesetReader(entry.bytes, author: entry.id.author)
    position = entry.position.rawValue
    author = "\(entry.id.author)"
    sequence = entry.id.sequence.rawValue
    time = "\(changeset.time)"
    operations = changeset.operationCount
    dependencies = changeset.dependencies.count
    bytes = entry.bytes.count
    hash = "\(entry.id.hash)"
    beside = forks.first { $0.firsts.contains(entry.id) }?.firsts.filter { $0 != entry.id }
      .map { "\($0.hash)" }
    isContinued = changeset.isContinued ? true : nil
  }

  /// The columns of text, apart by tabs.
  var columns: String {
    let columns = [
      "\(position)", author, "\(sequence)", time, "\(operations) operations", "\(bytes) bytes",
      String(hash.prefix(16)),
    ]
    let others = beside.map { "beside " + $0.map { $0.prefix(16) }.joined(separator: " ") }
    let rest = isContinued.map { _ in "continued" }
    return (columns + [rest, others].compactMap(\.self)).joined(separator: "\t")
  }
}
