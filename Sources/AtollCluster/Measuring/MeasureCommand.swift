import ArgumentParser
import Atoll
import AtollVocabulary
import Foundation

/// `atoll-cluster measure`: one round of a benchmark that needs more than the client library.
///
/// The benchmarks package runs these, in turns with the peers they are compared with, and takes
/// the medians. Each prints one JSON object: names and milliseconds.
struct MeasureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "measure",
    abstract: "Times one round of what the benchmarks cannot reach, for them.",
    subcommands: [
      MeasureApplyCommand.self, MeasureLinksCommand.self, MeasureCatchingUpCommand.self,
      MeasureDiscoveryCommand.self, MeasureMergeCommand.self, MeasureWireCommand.self,
      MeasureBootstrapCommand.self, MeasureNewcomerCommand.self, MeasureIdleCommand.self,
      MeasureLargeCommand.self, MeasureLiveCommand.self, MeasureConflictsCommand.self,
      MeasureAuthorsCommand.self, MeasureSealsCommand.self,
    ])
}

struct MeasureDiscoveryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "discovery",
    abstract: "Finds the model classes of a process that has just started.")

  func run() throws {
    var classes = 0
    let time = ContinuousClock().measure { classes = ClassDiscovery.classes.count }
    guard classes > 0 else { throw ClusterError.noClasses }
    try printMilliseconds(["discovery": time])
  }
}

/// The data that is recorded before the measurement.
struct RecordingOptions: ParsableArguments {
  @Option(help: "Changesets to record.") var changesets = 100
  @Option(help: "Objects each of them creates.") var creates = 1000

  func validate() throws {
    guard changesets > 0, creates > 0 else {
      throw ValidationError("--changesets and --creates must be at least 1.")
    }
  }
}

struct MeasureApplyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Applies recorded changesets of creates to a fresh store, durably.")

  @OptionGroup var recording: RecordingOptions

  @Flag(help: "Give the store an owner, who has admitted the author.")
  var owners = false

  func run() throws {
    let folder = try Cluster.temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let measure = ApplyMeasure(
      folder: folder, changesets: recording.changesets, creates: recording.creates,
      hasOwners: owners)
    try printMilliseconds(["apply": measure.run()])
  }
}

struct MeasureSealsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "seals",
    abstract:
      "Brings sealed single changesets to a store that comes late, and the same without seals.")

  @Option(help: "Changesets, of one create each.") var changesets = 100_000

  func run() throws {
    let folder = try Cluster.temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try printMilliseconds(SealMeasure(folder: folder, changesets: changesets).run())
  }
}

struct MeasureBootstrapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bootstrap",
    abstract: "Begins a store with another's objects, beside one that applies the log.")

  @OptionGroup var recording: RecordingOptions

  func run() throws {
    let folder = try Cluster.temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let measure = BootstrapMeasure(
      folder: folder, changesets: recording.changesets, creates: recording.creates)
    try printMilliseconds(measure.run())
  }
}

struct MeasureLinksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "links",
    abstract: "Times objects on their way from one daemon's store to another's.")

  @Option(help: "Objects of the one large transaction.") var objects = 100_000
  @Option(help: "Transactions of the stream.") var transactions = 5000
  @Option(help: "Single updates; the median is printed.") var updates = 101
  @Flag(help: "Secures the link.") var tls = false

  func validate() throws {
    guard objects > 0, transactions > 0, updates > 0 else {
      throw ValidationError("--objects, --transactions and --updates must be at least 1.")
    }
  }

  func run() throws {
    try withLink(isSecured: tls) { link in
      try printMilliseconds([
        "bulk": link.bulk(objects: objects),
        "stream": link.stream(transactions: transactions),
        "update": link.update(times: updates),
      ])
    }
  }
}

/// The changesets that one daemon has and another lacks.
struct FillingOptions: ParsableArguments {
  @Option(help: "Objects of the daemon that has some.") var objects = 1_000_000
  @Option(help: "How many of them were written in one transaction.") var perTransaction = 1000

  func validate() throws {
    guard objects > 0, perTransaction > 0 else {
      throw ValidationError("--objects and --per-transaction must be at least 1.")
    }
  }
}

struct MeasureCatchingUpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catching-up",
    abstract: "Has a daemon apply what it was not there for, and an application write meanwhile.",
    discussion: "Then the daemon is started again, with nothing to exchange.")

  @OptionGroup var filling: FillingOptions

  func run() throws {
    try withLink(isSecured: false) { link in
      let write = try link.localWrites(
        whileApplying: filling.objects, perTransaction: filling.perTransaction)
      let memory = try link.peakMemory()
      try printFigures([
        "write": write.seconds * 1000, "memory": memory,
        "reconnection": link.reconnection().seconds * 1000,
      ])
    }
  }
}

struct MeasureNewcomerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "newcomer",
    abstract: "Has a daemon that has nothing begin with the objects of another.")

  @OptionGroup var filling: FillingOptions
  @Flag(inversion: .prefixedNo, help: "Lets it begin with a snapshot.") var snapshot = true

  func run() throws {
    let flags = ["--snapshot-after", snapshot ? "100" : "never"]
    try withLink(isSecured: false, flags: flags) { link in
      try printMilliseconds([
        "newcomer": link.newcomer(
          objects: filling.objects, perTransaction: filling.perTransaction)
      ])
    }
  }
}

struct MeasureLargeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "large",
    abstract: "Has one large transaction go from one daemon's store to another's.",
    discussion: """
      Prints milliseconds, and the most memory of its own that each daemon had, in MiB: without the pages \
      of files that it reads, which the system takes back when it needs them.
      """)

  @Option(help: "Values of a mebibyte each in the transaction.") var mebibytes = 400

  func validate() throws {
    let most = Limits.transactionBytes >> 20
    guard (1..<most).contains(mebibytes) else {
      throw ValidationError(
        "--mebibytes is \(mebibytes); expected 1 or more, and less than \(most), what a transaction holds."
      )
    }
  }

  func run() throws {
    try withLink(isSecured: false) { link in
      let large = try link.large(mebibytes: mebibytes)
      try printFigures([
        "large": large.time.seconds * 1000, "sender": large.sender, "receiver": large.receiver,
      ])
    }
  }
}

struct MeasureLiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "live",
    abstract: "Has single writes of one replica pass the long catch-up of another on its link.",
    discussion: "Prints milliseconds until they are visible: the median, the 99th of 100, and all.")

  @Option(help: "Mebibytes to catch up with, each a transaction of a third replica.")
  var mebibytes = 1000

  func validate() throws {
    guard mebibytes > 0 else { throw ValidationError("--mebibytes must be at least 1.") }
  }

  func run() throws {
    try withLink(isSecured: false, flags: ["--snapshot-after", "never"]) { link in
      let times = try link.liveWrites(behind: mebibytes).map { $0.seconds * 1000 }
      guard !times.isEmpty else { throw ClusterError.different(reason: "it caught up at once") }
      try printFigures([
        "median": times[times.count / 2], "late": times[times.count * 99 / 100],
        "writes": Double(times.count),
      ])
    }
  }
}

struct MeasureIdleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "idle",
    abstract: "Has many peers that have nothing to say stay linked to one daemon.",
    discussion: "Prints the daemon's memory in MiB, and what it takes of a core in percent.")

  @Option(help: "Stores that the daemon serves.") var stores = 5
  @Option(help: "Peers of each store.") var peers = 1000

  func validate() throws {
    guard (1...100).contains(stores), (1...Limits.peers).contains(peers) else {
      throw ValidationError(
        "--stores must be 1 to 100, and --peers 1 to \(Limits.peers), the most a store takes.")
    }
  }

  func run() throws {
    try withFolder { folder, cleanUp in
      let measure = IdleMeasure(
        folder: folder, stores: stores, peersOfEach: peers, cleanUp: cleanUp)
      try printFigures(measure.run())
    }
  }
}

/// Lends two daemons that are linked, and ends them.
private func withLink(
  isSecured: Bool, flags: [String] = [], _ body: (LinkMeasure) throws -> Void
) throws {
  try withFolder { folder, cleanUp in
    let link = try LinkMeasure(
      folder: folder, isSecured: isSecured, flags: flags, cleanUp: cleanUp)
    try body(link)
    link.stop()
  }
}

/// Lends a folder, and leaves no process and no file behind.
private func withFolder(_ body: (URL, CleanUp) throws -> Void) throws {
  let cleanUp = CleanUp()
  let signals = cleanUp.runOnSignals()
  defer {
    cleanUp.run()
    for signal in signals { signal.cancel() }
  }
  let folder = try Cluster.temporaryFolder()
  cleanUp.add(folder)
  try body(folder, cleanUp)
}

struct MeasureMergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merges edits of one thing that two replicas made apart, durably.")

  @Option(help: "Edits of each replica.") var edits = 10_000
  @Option(help: "Edits in one transaction.") var perTransaction = 10_000
  @Option(help: "Only this: list, counter, set or links.") var only: String?

  func validate() throws {
    guard edits > 0, perTransaction > 0 else {
      throw ValidationError("--edits and --per-transaction must be at least 1.")
    }
  }

  func run() throws {
    try printMilliseconds(of: MergeMeasure.Subject.self, only: only) { subject, folder in
      try MergeMeasure(
        folder: folder, subject: subject, edits: edits, editsPerTransaction: perTransaction
      ).run()
    }
  }
}

struct MeasureConflictsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts",
    abstract: "Receives transactions of one change that conflict with as many here, durably.")

  @Option(help: "Transactions of each replica.") var transactions = 1000
  @Option(help: "Only this: \(Self.names).") var only: String?
  @Flag(help: "Has each received transaction depend on one more of those here.")
  var interleaved = false

  private static let names = ConflictMeasure.Subject.allCases.map(\.rawValue)
    .joined(separator: ", ")

  func validate() throws {
    guard transactions > 0 else { throw ValidationError("--transactions must be at least 1.") }
    guard only.map({ ConflictMeasure.Subject(rawValue: $0) != nil }) ?? true else {
      throw ValidationError("--only is none of \(Self.names).")
    }
  }

  func run() throws {
    try printMilliseconds(of: ConflictMeasure.Subject.self, only: only) { subject, folder in
      try ConflictMeasure(
        folder: folder, subject: subject, transactions: transactions, isInterleaved: interleaved
      ).run()
    }
  }
}

struct MeasureAuthorsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "authors",
    abstract: "Receives what many replicas wrote, durably.")

  @Option(help: "Replicas that wrote.") var authors = 100
  @Option(help: "Transactions of each.") var transactions = 1
  @Flag(help: "Has each replica receive what those before it wrote, before it writes.")
  var knowing = false
  @Flag(help: "Has all of them make the same objects.") var conflicting = false

  func validate() throws {
    guard authors > 0, transactions > 0 else {
      throw ValidationError("--authors and --transactions must be at least 1.")
    }
  }

  func run() throws {
    let folder = try Cluster.temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let measure = AuthorMeasure(
      folder: folder, authors: authors, transactions: transactions, isKnowing: knowing,
      isConflicting: conflicting)
    try printMilliseconds(["authors": measure.run()])
  }
}

struct MeasureWireCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wire",
    abstract: "Counts the bytes on the wire for one small edit within a batch.")

  @Option(help: "Edits, each a transaction of its own, in one frame.") var edits = 1000

  func validate() throws {
    guard (1...4000).contains(edits) else {
      throw ValidationError("--edits is \(edits); expected 1 to 4000, which fit one frame")
    }
  }

  func run() throws {
    let folder = try Cluster.temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try printFigures(["bytes": WireMeasure(folder: folder, edits: edits).run()])
  }
}

/// Measures each subject, or only the one of that name, in a folder that is gone afterwards.
private func printMilliseconds<Subject: CaseIterable & RawRepresentable<String>>(
  of subjects: Subject.Type, only: String?, _ measure: (Subject, URL) throws -> Duration
) throws {
  let folder = try Cluster.temporaryFolder()
  defer { try? FileManager.default.removeItem(at: folder) }
  var figures: [String: Duration] = [:]
  for subject in Subject.allCases where only ?? subject.rawValue == subject.rawValue {
    figures[subject.rawValue] = try measure(subject, folder)
  }
  try printMilliseconds(figures)
}

/// The answer of every `measure` command.
private func printMilliseconds(_ figures: [String: Duration]) throws {
  try printFigures(figures.mapValues { $0.seconds * 1000 })
}

private func printFigures(_ figures: [String: Double]) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  let data = try encoder.encode(figures)
  report(String(decoding: data, as: UTF8.self))
}
