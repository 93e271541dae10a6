import Atoll
import AtollSimulation
import AtollVocabulary
import Foundation
import Testing

@testable import AtollCluster

/// Two applications, a daemon and the command line on one file, any of them killed at any moment.
@Suite struct SharedFileTests {
  /// `ATOLL_TRANSACTIONS` says how many are to be acknowledged, `ATOLL_SEED` repeats the order of kills.
  @Test(.timeLimit(.minutes(30)))
  func `four processes on one file lose nothing, whichever of them are killed`() throws {
    let environment = ProcessInfo.processInfo.environment
    let seed =
      environment["ATOLL_SEED"].flatMap { UInt64($0) } ?? UInt64(UInt32.random(in: 1 ... .max))
    let wanted = environment["ATOLL_TRANSACTIONS"].flatMap { Int($0) } ?? 400
    print("four processes on one file: seed \(seed), \(wanted) transactions")
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    var file = try SharedFile(seed: seed, cleanUp: cleanUp)
    try file.suffer(wanted)
    #expect(file.kills.allSatisfy { $0.value > 0 }, "seed \(seed): \(file.kills)")
    #expect(try file.recover() == [], "seed \(seed)")
  }
}

/// The file, the processes that have it open, and another node whose changes its daemon applies.
private struct SharedFile {
  enum Victim: Hashable, CaseIterable { case firstApplication, secondApplication, daemon, command }

  let shared: FaultyNode
  let other: FaultyNode
  let cleanUp: CleanUp
  private var random: SeededGenerator
  private let folder: URL
  private var command: Program?
  private var commands = 0
  private(set) var kills: [Victim: Int] = [:]

  private static let timeout = Duration.seconds(60)
  /// At most so many transactions are acknowledged between two kills.
  private static let pause = 12

  init(seed: UInt64, cleanUp: CleanUp) throws {
    self.cleanUp = cleanUp
    random = SeededGenerator(seed: seed)
    folder = try Cluster.temporaryFolder()
    cleanUp.add(folder)
    let storeID = StoreID(high: seed, low: 1)
    func settings(writers: Int, rate: Double) -> FaultRun.Settings {
      FaultRun.Settings(
        nodes: 2, topology: .line, seconds: 0, faults: [], writers: writers, rate: rate, seed: seed
      )
    }
    shared = try FaultyNode(
      number: 0, in: folder, storeID: storeID, settings: settings(writers: 2, rate: 200),
      cleanUp: cleanUp)
    other = try FaultyNode(
      number: 1, in: folder, storeID: storeID, settings: settings(writers: 1, rate: 20),
      cleanUp: cleanUp)
    try other.daemon.start(peers: [])
    try shared.daemon.start(peers: [other.daemon.port])
    for victim in Victim.allCases { kills[victim] = 0 }
  }

  private var acknowledged: Int {
    for writer in shared.writers { writer.listen() }
    return shared.writers.reduce(0) { $0 + $1.acknowledged }
  }

  /// Kills one process after the other while all of them write, until enough is acknowledged and every
  /// one has been killed.
  mutating func suffer(_ transactions: Int) throws {
    try other.startWriters()
    while acknowledged < transactions || kills.contains(where: { $0.value == 0 }) {
      try bringUp()
      let next = acknowledged + Int.random(in: 1...Self.pause, using: &random)
      let isReached = Bounded.wait(Self.timeout) { acknowledged >= next ? true : nil }
      try #require(
        isReached == true, "nothing was written any more: \(shared.writers.map(\.broken))")
      if let victim = Victim.allCases.randomElement(using: &random) { kill(victim) }
    }
  }

  /// Starts whoever does not run, and the next command if the last one is done.
  private mutating func bringUp() throws {
    try shared.daemon.restart()
    try shared.startWriters()
    if let command {
      guard !command.isRunning else { return }
      let (code, lines) = try command.end(within: Self.timeout)
      try #require(code == 0, "\(lines)")
    }
    // An import changes objects of classes that the file has; the applications bring them.
    guard acknowledged > 0 else { return }
    commands += 1
    let input = folder.appendingPathComponent("import.jsonl")
    let lines = (0..<20).map {
      #"{"class":"WorkAccount","key":\#($0 % WorkModel.accounts),"note":"\#(commands)-\#($0)"}"#
    }
    try lines.joined(separator: "\n").write(to: input, atomically: true, encoding: .utf8)
    command = try Program(
      Program.sibling("atoll"), ["import", shared.daemon.storePath, input.path],
      name: "atoll import",
      cleanUp: cleanUp)
  }

  private mutating func kill(_ victim: Victim) {
    switch victim {
    case .firstApplication: shared.writers[0].kill()
    case .secondApplication: shared.writers[1].kill()
    case .daemon: shared.daemon.kill()
    case .command:
      guard let command, command.isRunning else { return }
      command.kill()
      self.command = nil
    }
    kills[victim, default: 0] += 1
  }

  /// Ends the writing, lets the two files become equal, and looks for broken promises.
  mutating func recover() throws -> [String] {
    for node in [shared, other] {
      node.stopWriters()
      try node.daemon.restart()
    }
    _ = try command?.end(within: Self.timeout)
    let paths = [shared, other].map(\.daemon.storePath)
    let isEqual = try Bounded.wait(Self.timeout) {
      Set(try paths.map { try LagWatch.vector(of: $0) }).count == 1 ? true : nil
    }
    return try FaultCheck(nodes: [shared, other], isEqual: isEqual == true, cleanUp: cleanUp)
      .broken()
  }
}
