import ArgumentParser
import Foundation

/// Times Atoll against raw SQLite and GRDB, in turns in one process, and prints the ratios.
@main
struct AtollBenchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "atoll-benchmarks",
    abstract: "Times Atoll against raw SQLite and GRDB in one run.")

  @Option(help: "Objects in the files.") var objects = 100_000
  @Option(help: "Counted rounds of each row; the median is printed.") var rounds = 5
  @Option(help: "Only rows whose name contains this.") var only: String?
  @Option(help: "The release build of atoll-cluster, for the rows of apply and replication.")
  var cluster: String?
  @Flag(help: "Prints a Markdown table.") var markdown = false
  @Flag(help: "Counts this process's processor time, for machines that are busy with more.")
  var processorTime = false

  @Option(help: .hidden) var writesTo: String?

  func validate() throws {
    guard objects >= 10_000 else {
      throw ValidationError("--objects is \(objects); the rows need at least 10,000")
    }
    guard rounds >= 1 else { throw ValidationError("--rounds is \(rounds); expected 1 or more") }
  }

  func run() throws {
    if let writesTo { return try Writer.run(writesTo) }
    Stopwatch.countsProcessorTime = processorTime
    let workload = Workload(objects: objects)
    let table = Table(isMarkdown: markdown)
    table.printHeader()
    for row in InsertRows(workload: workload).rows where isWanted(row.name) {
      table.print(try row.run(rounds: rounds))
    }
    for row in ListRows(workload: workload).rows where isWanted(row.name) {
      table.print(try row.run(rounds: rounds))
    }
    for row in SearchRows(workload: workload).rows where isWanted(row.name) {
      table.print(try row.run(rounds: rounds))
    }
    let objects = try ObjectRows()
    defer { objects.removeFiles() }
    for row in objects.rows where isWanted(row.name) {
      table.print(try row.run(rounds: rounds))
    }
    for row in try QueryRows().rows where isWanted(row.name) {
      table.print(try row.run(rounds: rounds))
    }
    let reads = try ReadRows(workload: workload)
    for row in reads.rows where isWanted(row.name) {
      table.print(try row.run(rounds: rounds))
    }
    let observation = try ObservationRows(workload: workload)
    for row in observation.rows where isWanted(row.name) {
      table.print(try row.run(rounds: rounds))
    }
    guard let cluster else { return }
    let replication = ReplicationRows(
      cluster: URL(fileURLWithPath: cluster), workload: workload, rounds: rounds)
    let discovery = replication.discovery
    if isWanted(discovery.name) { table.print(try discovery.run(rounds: rounds)) }
    if isWanted(replication.apply.name) { table.print(try replication.apply.run(rounds: rounds)) }
    let measures = [
      replication.measureLinks, replication.measureSecuredLinks, replication.measureCatchingUp,
      replication.measureMerges, replication.measureReceiving, { [try replication.measureWire()] },
    ]
    for measure in measures {
      for figures in try measure() where isWanted(figures.name) { table.print(figures) }
    }
  }

  private func isWanted(_ name: String) -> Bool { only.map { name.contains($0) } ?? true }
}
