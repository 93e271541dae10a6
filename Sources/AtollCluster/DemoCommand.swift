import ArgumentParser
import Foundation

/// `atoll-cluster demo`: the whole way once, told as it happens.
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Three daemons hold the same airports.",
    discussion: """
      Starts three daemons in a line A–B–C, imports airports on A, watches them arrive on C, edits \
      one airport on A and C while B is dead, and compares the three files at the end. Exit code 0 \
      if they are equal, 1 otherwise. Everything started is stopped, and the folder is removed.
      """)

  @Option(help: "The airports to import, a CSV file.", completion: .file())
  var airports = "Tests/Data/airports.csv"

  @Option(help: "At most this many airports.")
  var limit: Int = .max

  @Flag(help: "Leave the daemons running, and say how to talk to them.")
  var keep = false

  @Flag(help: "Open the studio on the three stores; the daemons run until it is interrupted.")
  var studio = false

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit must be at least 1.") }
  }

  func run() throws {
    let table = try AirportTable(path: airports, limit: limit)
    let cleanUp = CleanUp()
    let signals = cleanUp.runOnSignals()
    defer {
      cleanUp.run()
      for signal in signals { signal.cancel() }
    }
    let cluster = try Cluster(in: Cluster.temporaryFolder(), cleanUp: cleanUp)
    let demo = Demo(cluster: cluster, table: table, airportsPath: airports, say: report)
    try demo.run()
    if studio {
      try DemoStudio(demo: demo, cleanUp: cleanUp).run()
      try demo.stop()
    } else if keep {
      demo.sayHowToTalk()
      cleanUp.keepEverything()
    } else {
      try demo.stop()
      report("")
      report("To look at three stores in the browser while they exchange: make demo STUDIO=1")
    }
  }
}
