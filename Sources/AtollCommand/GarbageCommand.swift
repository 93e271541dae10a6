import ArgumentParser
import AtollInspect
import AtollStorage
import AtollVocabulary

/// `atoll gc`: shortens the log as far as nobody needs it.
struct GarbageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc", abstract: "Removes from the log what every replica has applied.",
    discussion: """
      What is older than some days, and what every replica that is not retired is known to have applied, goes \
      from the log; all objects stay as they are, and which were deleted stays known. A replica that comes \
      late is given the objects instead, and what it wrote meanwhile is kept. The objects of that time are \
      made again in a temporary file, which takes as long as `atoll verify`; the daemon may run. The space is \
      used again; `atoll compact` gives it back. With --explain nothing is removed. A daemon does the same \
      every now and then (`truncate-after`).
      """)

  @OptionGroup var argument: StoreArgument

  @Flag(help: "Only say what would go, and for whom the rest is kept.")
  var explain = false

  @Option(help: ArgumentHelp("How old what goes has to be, in days.", valueName: "days"))
  var olderThan = Int(Limits.truncationAge / .seconds(86_400))

  @Flag(help: "One JSON object instead of text.")
  var json = false

  func validate() throws {
    guard (0...36_500).contains(olderThan) else {
      throw ValidationError("--older-than is a number of days from 0 to 36500.")
    }
  }

  func run() throws {
    let age = Duration.seconds(olderThan * 86_400)
    if explain { return try explain(age) }
    let file = try argument.write()
    defer { file.close() }
    let isAlone = try Inspection(file).isAlone()
    let removed = try file.truncateLog(olderThan: age)
    let report = ["changesets": removed.changesets, "bytes": removed.bytes]
    print(
      json
        ? try JSONLine.text(report)
        : "removed  \(removed.changesets) changesets, \(removed.bytes) bytes"
          + (isAlone ? "\n\(TruncationReport.alone)" : ""))
  }

  private func explain(_ age: Duration) throws {
    let store = try argument.inspect()
    defer { store.close() }
    let isAlone = try store.isAlone()
    let report = try store.truncation(olderThan: age)
    print(
      lines: json
        ? [try JSONLine.text(report)] : report.lines(days: olderThan, isAlone: isAlone))
  }
}

extension TruncationReport {
  fileprivate static let alone =
    "alone    no other replica was ever met: the whole log is kept, for the first that comes"

  fileprivate func lines(days: Int, isAlone: Bool) -> [String] {
    let holder = members.max { $0.alone < $1.alone }.flatMap { $0.alone > 0 ? $0 : nil }
    return [
      "log      \(log) bytes",
      "removed  would be \(removable) bytes, which everybody has and are older than \(days) days",
      "young    \(young) bytes that everybody has",
      "deleted  \(deletions) objects, of which the keys stay known, in about \(deletionBytes) bytes",
    ] + (isAlone ? [Self.alone] : []) + members.map(\.line)
      + (holder.map {
        [
          "held     back by \($0.name ?? String($0.replica.prefix(8))); if it is gone for good, "
            + "`atoll peer retire` has nobody wait for it"
        ]
      } ?? [])
  }
}

extension TruncationReport.Holder {
  fileprivate var line: String {
    let state =
      heard == nil ? "never said what it has" : behind == 0 ? "has everything" : "lacks \(behind)"
    let cost = alone == 0 ? "" : ", \(alone) bytes are kept for it alone"
    return "member   \(name ?? String(replica.prefix(8))) \(state)\(cost)"
  }
}
