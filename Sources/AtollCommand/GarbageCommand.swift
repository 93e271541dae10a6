import ArgumentParser
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
    let file = explain ? try argument.read() : try argument.write()
    defer { file.close() }
    let isAlone = try file.members().allSatisfy { $0.replica == file.author.replica }
    if explain {
      let report = TruncationReport(
        try file.truncationPlan(olderThan: age), try file.replicaNames(), try file.appliedVector(),
        days: olderThan, isAlone: isAlone)
      return print(lines: json ? [try JSONLine.text(report)] : report.lines)
    }
    let removed = try file.truncateLog(olderThan: age)
    let report = ["changesets": removed.changesets, "bytes": removed.bytes]
    print(
      json
        ? try JSONLine.text(report)
        : "removed  \(removed.changesets) changesets, \(removed.bytes) bytes"
          + (isAlone ? "\n\(TruncationReport.alone)" : ""))
  }
}

/// The members that hold the truncation point back, and what that costs.
private struct TruncationReport: Encodable {
  /// Of the log, in bytes: all of it, what would go, and what everybody has and is too young.
  let log: Int
  let removable: Int
  let young: Int
  /// Deleted objects, whose keys stay, and their bytes.
  let deletions: Int
  let deletionBytes: Int
  let members: [Holder]
  private let days: Int
  private let isAlone: Bool
  static let alone =
    "alone    no other replica was ever met: the whole log is kept, for the first that comes"

  private enum CodingKeys: String, CodingKey {
    case log, removable, young, deletions, deletionBytes, members
  }

  /// A replica that is waited for.
  struct Holder: Encodable {
    let replica: String
    let name: String?
    /// Changesets here that it is not known to have applied.
    let behind: UInt64
    /// Bytes that would go if it were not waited for.
    let alone: Int
    /// When there last was news of it, milliseconds since 1970; nil if there never was.
    let heard: Int64?

    var line: String {
      let state =
        heard == nil ? "never said what it has" : behind == 0 ? "has everything" : "lacks \(behind)"
      let cost = alone == 0 ? "" : ", \(alone) bytes are kept for it alone"
      return "member   \(name ?? String(replica.prefix(8))) \(state)\(cost)"
    }
  }

  init(
    _ plan: TruncationPlan, _ names: ReplicaNames, _ here: VersionVector, days: Int, isAlone: Bool
  ) {
    (log, removable, young) = (plan.bytes, plan.removable, plan.young)
    (deletions, deletionBytes) = (plan.deletions, plan.deletionBytes)
    self.days = days
    self.isAlone = isAlone
    members = plan.holders.map { holder in
      Holder(
        replica: "\(holder.known.member.replica)", name: names[holder.known.member.replica],
        behind: here.count(beyond: holder.known.applied), alone: holder.alone,
        heard: holder.known.heard?.milliseconds)
    }
  }

  var lines: [String] {
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
