import ArgumentParser
import AtollSimulation
import Foundation

/// `atoll-cluster simulate`: whole clusters in this process, each decided by a seed.
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Runs clusters with invented time, network and accidents.",
    discussion: """
      Each seed decides a cluster: its nodes and links, what is lost, repeated or late, who dies \
      and when, and what the applications write. Afterwards all files must be equal and whole. The \
      same seed gives the same run. Exit code 0 if every promise was kept, 1 otherwise.
      """)

  @Option(help: "How many seeds, one after the other.")
  var seeds = 20

  @Option(help: "The first seed; drawn if none is given.")
  var seed: UInt64?

  @Option(help: "Write transactions of all nodes together.")
  var transactions = 40

  @Flag(
    inversion: .prefixedNo, help: "Let nodes come late, begin with snapshots, and cut their logs.")
  var snapshots = true

  @Flag(help: "Roll disks back as they had been, under files that cannot tell.")
  var disks = false

  @Flag(help: "Let one of the nodes be malicious, and pass on something else than what came.")
  var forger = false

  @Flag(help: "Give the store owners, who admit the replicas one after the other.")
  var owners = false

  @Flag(help: "With --owners, give replicas other keys on the way.")
  var keys = false

  @Option(
    help: "Bytes after which a transaction goes on in another changeset; few in every third seed.")
  var partBytes: Int?

  @Flag(help: "Print a line for every seed.")
  var verbose = false

  private static let fewBytes = 60

  func validate() throws {
    if let partBytes, partBytes < 1 { throw ValidationError("--part-bytes must be at least 1.") }
    if keys, !owners { throw ValidationError("--keys needs --owners.") }
    if seeds < 1 { throw ValidationError("--seeds must be at least 1.") }
    if transactions < 1 { throw ValidationError("--transactions must be at least 1.") }
  }

  func run() async throws {
    let first = seed ?? UInt64.random(in: 1...UInt64(UInt32.max))
    report("simulating \(seeds) seeds from \(first)")
    let start = ContinuousClock.now
    var tally = Tally()
    try await withThrowingTaskGroup(of: SimulationReport.self) { group in
      for index in 0..<seeds {
        if index >= ProcessInfo.processInfo.activeProcessorCount, let done = try await group.next()
        {
          record(done, &tally)
        }
        var simulation = Simulation(seed: first &+ UInt64(index), transactions: transactions)
        simulation.takesSnapshots = snapshots
        simulation.rollsDisksBack = disks
        simulation.cutsWhileRollingBack = disks
        simulation.hasForger = forger
        simulation.hasOwners = owners
        simulation.rotatesKeys = keys
        if let partBytes {
          simulation.partBytes = partBytes
        } else if simulation.seed.isMultiple(of: 3) {
          simulation.partBytes = Self.fewBytes
        }
        group.addTask { [simulation] in try simulation.run() }
      }
      for try await done in group { record(done, &tally) }
    }
    report("\(tally), in \(start.duration(to: .now))")
    if tally.failures > 0 { throw ExitCode.failure }
  }

  private func record(_ done: SimulationReport, _ tally: inout Tally) {
    tally.add(done)
    if verbose || !done.violations.isEmpty { report("\(done)") }
  }
}

/// The sums of many runs.
private struct Tally: CustomStringConvertible {
  var runs = 0
  var failures = 0
  var transactions = 0
  var frames = 0
  var crashes = 0
  var powerCuts = 0
  var restorations = 0
  var snapshots = 0
  var rescues = 0
  var truncated = 0
  var repairs = 0
  var faultPoints: Set<FaultPoint> = []
  var virtualTime = Duration.zero

  mutating func add(_ report: SimulationReport) {
    runs += 1
    failures += report.violations.isEmpty ? 0 : 1
    transactions += report.transactions
    frames += report.framesSent
    crashes += report.crashes
    powerCuts += report.powerCuts
    restorations += report.restorations
    snapshots += report.snapshots
    rescues += report.rescues
    truncated += report.truncated
    repairs += report.repairs
    faultPoints.formUnion(report.faultPoints)
    virtualTime += report.duration
  }

  var description: String {
    "\(runs) seeds, \(failures) with broken promises: \(transactions) transactions, "
      + "\(frames) frames, \(crashes) crashes (\(powerCuts) with the power) at \(faultPoints.count) "
      + "of \(FaultPoint.allCases.count) named points, \(restorations) files restored, \(snapshots) snapshots "
      + "installed and \(rescues) times objects made again, \(truncated) changesets cut off logs, "
      + "\(repairs) clocks repaired, \(virtualTime) of virtual time"
  }
}
