import Foundation

/// The phases of the demonstration, each with its time.
struct Demo {
  let cluster: Cluster
  let table: AirportTable
  let airportsPath: String
  /// Takes the lines that tell what happens.
  let say: @Sendable (String) -> Void

  /// The timeout of every step, far more than any takes.
  static let timeout = Duration.seconds(60)

  /// Everything up to the comparison; the daemons run on.
  ///
  /// - Throws: ``ClusterError``, `different` if the files are not equal at the end.
  func run() throws {
    let times = [
      try timed("start", start), try timed("import", importAirports),
      try timed("edit while B is dead", edit), try timed("B is back", bringBack),
      try timed("compare", compare),
    ]
    say("")
    say("time       " + times.joined(separator: ", "))
  }

  /// Ends the daemons, and says so.
  func stop() throws {
    let killed = cluster.terminate()
    guard killed.isEmpty else {
      throw ClusterError.timeOut(
        "atolld \(killed.joined(separator: ", "))", waited: .seconds(5), lines: [])
    }
    say("stopped    all three daemons")
  }

  func sayHowToTalk() {
    say("")
    say("The daemons go on. To look at them, and to end them:")
    let atoll = (try? Program.sibling("atoll").path) ?? "atoll"
    for node in cluster.nodes { say("  \(atoll) status \(node.storePath)") }
    say("  \(atoll) objects \(cluster.c.storePath) Airport --where 'country.code == \"CH\"'")
    say("  \(atoll) log \(cluster.b.storePath)")
    let ids = cluster.nodes.compactMap { $0.processID.map(String.init) }.joined(separator: " ")
    say("  kill \(ids); rm -rf \(cluster.a.folder.deletingLastPathComponent().path)")
  }

  private func timed(_ phase: String, _ body: () throws -> Void) rethrows -> String {
    let start = ContinuousClock.now
    try body()
    return "\(phase) \((ContinuousClock.now - start).text)"
  }

  // MARK: The phases

  private func start() throws {
    say("A – B – C  three daemons in a line, each with a store of its own:")
    try cluster.start()
    for node in cluster.nodes {
      let id = node.processID.map(String.init) ?? "none"
      say("  \(node.name)  process \(id), port \(node.port), \(node.storePath)")
    }
  }

  private func importAirports() throws {
    say("")
    say("import     \(table.records.count) airports on A; an application on C observes")
    let watcher = try application("watch", cluster.c, ["--until", "\(table.records.count)"])
    _ = try watcher.line(within: Demo.timeout) { $0.hasPrefix("sees ") }
    let begin = ContinuousClock.now
    let importer = try application(
      "import", cluster.a,
      ["--airports", airportsPath, "--limit", "\(table.records.count)"])
    var progress = Progress(total: table.records.count)
    try watcher.waitForExit(within: Demo.timeout) { line in
      if let step = progress.step(line) {
        say("  C \(step), \((ContinuousClock.now - begin).text) after the import began")
      }
    }
    try importer.waitForExit(within: Demo.timeout)
  }

  /// The airport that both sides edit: the one in the middle of the file.
  private var edited: AirportRecord { table.records[table.records.count / 2] }

  private func edit() throws {
    say("")
    say("edit       B is killed; A and C edit \(edited.icao), \(edited.name), and cannot know")
    cluster.b.kill()
    let onA = try application(
      "edit", cluster.a,
      [edited.icao, "--name", "\(edited.name) (as A has it)", "--website", "https://a.example/"])
    let onC = try application(
      "edit", cluster.c,
      [
        edited.icao, "--name", "\(edited.name) (as C has it)", "--elevation", "1000", "--north",
        "0.5",
      ])
    try onA.waitForExit(within: Demo.timeout) { say("  A  \($0)") }
    try onC.waitForExit(within: Demo.timeout) { say("  C  \($0)") }
  }

  private func bringBack() throws {
    say("")
    say("B is back  and brings each side what it missed:")
    try cluster.b.restart()
    try cluster.waitUntilEqual(within: Demo.timeout)
    for node in cluster.nodes {
      let shown = try application("show", node, [edited.icao])
      try shown.waitForExit(within: Demo.timeout) { say("  \(node.name)  \($0)") }
    }
  }

  private func compare() throws {
    say("")
    say("compare    the three files:")
    let reports = try cluster.nodes.map { try NodeReport($0) }
    for report in reports {
      let counts = report.objects.map { "\($0.count) \($0.class)" }.joined(separator: " + ")
      say("  \(report.name)  \(report.objectCount) objects (\(counts))")
      say("     applied \(report.applied)")
      say("     digest  \(report.digest)")
    }
    if let difference = NodeReport.difference(reports) {
      throw ClusterError.different(reason: difference)
    }
    say("")
    say(
      "equal      A, B and C hold the same \(reports[0].objectCount) objects: same version vector, "
        + "same digest, exports byte-identical (\(reports[0].export.count) bytes)")
  }

  private func application(
    _ command: String, _ node: DaemonNode, _ arguments: [String]
  ) throws -> Program {
    try Program(
      Program.sibling("atoll-cluster"), ["application", command, node.storePath] + arguments,
      name: "application \(command) on \(node.name)", cleanUp: cluster.cleanUp)
  }
}

/// The observer's lines that are worth showing: about ten, and the last.
private struct Progress {
  let total: Int
  private var told = 0

  init(total: Int) { self.total = total }

  mutating func step(_ line: String) -> String? {
    guard let count = line.split(separator: " ").last.flatMap({ Int($0) }) else { return line }
    guard count >= total || count - told >= max(1, total / 10) else { return nil }
    told = count
    return "sees \(count) of \(total)"
  }
}

extension Duration {
  /// Seconds, to a hundredth.
  var text: String { String(format: "%.2f s", seconds) }
}
