import Foundation

/// Rows that need rooms below the client library, measured by `atoll-cluster measure`.
///
/// That command does the work with release code of the product and prints one JSON object with
/// milliseconds; the peers' sides run here.
struct ReplicationRows {
  let cluster: URL
  let workload: Workload
  let rounds: Int

  var apply: Benchmark {
    let creates = 1000
    let clubs = Array(workload.clubs.prefix(100 * creates))
    let session = Result { try SessionExtension(clubs, creates: creates) }
    return Benchmark(
      name: "apply 100 changesets of 1,000 creates", peer: "SQLite session extension",
      target: 1.5,
      ours: {
        try measure("apply", "--changesets", "\(clubs.count / creates)", "--creates", "\(creates)")[
          "apply"] ?? .nan
      },
      theirs: { try session.get().apply() })
  }

  /// The first walk of a process, of which every round starts another.
  var discovery: Benchmark {
    Benchmark(
      name: "model classes found, first time in a process", peer: "target, ms", target: 1,
      ours: { try measure("discovery")["discovery"] ?? .nan }, theirs: { 2 })
  }

  /// Two daemons on loopback, both durable, against the targets in milliseconds.
  func measureLinks() throws -> [Figures] {
    let targets: [(key: String, name: String, target: Double)] = [
      ("bulk", "100,000 objects in one transaction, until visible at B", 900),
      ("stream", "5,000 single-object transactions, until visible at B", 1000),
      ("update", "one update, from commit at A to visible at B", 1.0),
    ]
    var samples: [String: [Double]] = [:]
    for _ in 0..<rounds {
      for (key, value) in try measure("links") { samples[key, default: []].append(value) }
    }
    return targets.map { row in
      Figures(
        name: row.name, peer: "target, ms", target: 1, ours: median(samples[row.key] ?? [.nan]),
        theirs: row.target)
    }
  }

  private func measure(_ arguments: String...) throws -> [String: Double] {
    let process = Process()
    process.executableURL = cluster
    process.arguments = ["measure"] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw RawSQLiteError(
        description: "\(cluster.path) measure \(arguments): status \(process.terminationStatus)")
    }
    return try JSONDecoder().decode([String: Double].self, from: data)
  }
}
