import ArgumentParser
import AtollSimulation
import Foundation

/// `atoll-cluster run`: real daemons, real applications, and everything that can happen to them.
struct RunCommand: AsyncParsableCommand {
  /// The format of the report.
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
  }

  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs real daemons on loopback while faults happen, and checks every promise.",
    discussion: """
      Applications, several processes beside each daemon, write through the client library; the \
      daemons reach each other through a network that fails on purpose. At the end \
      nothing that was acknowledged may be missing, no transaction may be there in part, and all \
      files must be equal. What happens when is decided by the seed; what the machine makes of it \
      is not. Exit code 0 if every promise was kept, 1 otherwise.

      Faults: kill (a daemon or its applications), pause (SIGSTOP), partition (links silent or \
      broken), slow (late and narrow links), clock (applications up to 45 s ahead or behind), \
      disk-full (the daemon's files cannot grow), restore (the store is restored from a backup).
      """)

  @Option(help: "How many daemons.") var nodes = 5
  @Option(help: "How they are linked.") var topology = Topology.ring
  @Option(help: "For how long applications write.") var minutes = 2.0
  @Option(help: "What may happen, separated by commas; \"none\" for nothing.")
  var faults = FaultKind.allCases.map(\.rawValue).joined(separator: ",")
  @Option(help: "Applications beside each daemon.") var writers = 2
  @Option(help: "Transactions of each application in a second, at most.") var rate = 20.0
  @Option(help: "Decides what happens when; drawn if none is given.") var seed: UInt64?
  @Option(help: "How the report is printed: text or json.") var format = Format.text
  @Option(help: "Draws faults and lag of each node into this file, as SVG.", completion: .file())
  var timeline: String?

  func validate() throws {
    if !(2...30).contains(nodes) { throw ValidationError("--nodes is from 2 to 30.") }
    if !(minutes > 0 && minutes <= 10_000) { throw ValidationError("--minutes is above 0.") }
    if !(1...16).contains(writers) { throw ValidationError("--writers is from 1 to 16.") }
    if !(rate > 0 && rate <= 10_000) { throw ValidationError("--rate is above 0.") }
    _ = try kinds
  }

  /// The faults that may happen.
  private var kinds: [FaultKind] {
    get throws {
      guard faults != "none" else { return [] }
      return try faults.split(separator: ",").map { name in
        guard let kind = FaultKind(rawValue: String(name)) else {
          let names = FaultKind.allCases.map(\.rawValue).joined(separator: ", ")
          throw ValidationError("There is no fault \"\(name)\"; there are \(names).")
        }
        return kind
      }
    }
  }

  func run() async throws {
    let cleanUp = CleanUp()
    let signals = cleanUp.runOnSignals()
    // Daemons inherit it: a file that cannot grow is an error for them, and not their end.
    signal(SIGXFSZ, SIG_IGN)
    defer {
      cleanUp.run()
      for signal in signals { signal.cancel() }
    }
    let settings = FaultRun.Settings(
      nodes: nodes, topology: topology, seconds: minutes * 60, faults: try kinds,
      writers: writers, rate: rate, seed: seed ?? .random(in: 1...UInt64(UInt32.max)))
    let outcome = try await run(settings, cleanUp)
    try output(outcome)
    if !outcome.broken.isEmpty { throw ExitCode.failure }
  }

  private func run(_ settings: FaultRun.Settings, _ cleanUp: CleanUp) async throws -> FaultReport {
    let isJSON = format == .json
    let say: @Sendable (String) -> Void = { if !isJSON { report($0) } }
    say("run        seed \(settings.seed)")
    let run = FaultRun(settings: settings, cleanUp: cleanUp, say: say)
    return try await run.run(in: Cluster.temporaryFolder())
  }

  private func output(_ report: FaultReport) throws {
    switch format {
    case .text: print(report)
    case .json: print(try report.json)
    }
    if let timeline {
      try Timeline(report: report).svg.write(
        toFile: timeline, atomically: true, encoding: .utf8)
    }
  }
}

extension Topology: ExpressibleByArgument {}
