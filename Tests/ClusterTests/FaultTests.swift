import Atoll
import AtollSimulation
import AtollVocabulary
import Foundation
import FoundationXML
import TestKit
import Testing

@testable import AtollCluster

/// Real daemons and applications while faults happen, and the eyes that look for broken promises.
@Suite(.serialized) struct FaultTests {
  // MARK: The run

  /// `ATOLL_MINUTES` says for how long, two if nobody does; `ATOLL_SEED` repeats a run.
  @Test(.timeLimit(.minutes(60)))
  func `five daemons in a ring keep every promise while everything happens to them`() throws {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["ATOLL_SEED"] ?? "\(UInt32.random(in: 1 ... .max))"
    let minutes = environment["ATOLL_MINUTES"] ?? "2"
    print("a cluster among faults: seed \(seed), \(minutes) minutes")
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let drawing = folder.file("timeline.svg")
    let run = try Program(
      Program.sibling("atoll-cluster"),
      [
        "run", "--nodes", "5", "--topology", "ring", "--minutes", minutes, "--seed", seed,
        "--rate", "10", "--format", "json", "--timeline", drawing.path,
      ], name: "atoll-cluster run", cleanUp: cleanUp)
    let (code, lines) = try run.end(within: .seconds(3_500))
    let text = lines.joined(separator: "\n")
    try #require(code == 0 || code == 1, "seed \(seed): \(text.suffix(2_000))")
    let decoded = try? JSONDecoder().decode(FaultReport.self, from: Data(text.utf8))
    let report = try #require(decoded, "seed \(seed): \(text.suffix(2_000))")
    #expect(report.broken == [], "seed \(seed)")
    #expect(report.nodes.allSatisfy { $0.acknowledged > 0 })
    #expect(!report.faults.isEmpty)
    let drawn = try XMLDocument(contentsOf: drawing)
    #expect(try drawn.nodes(forXPath: "//*[local-name()='title']").count == report.faults.count)
  }

  @Test(arguments: [
    (["--topology", "knot"], "The value 'knot' is invalid for '--topology"),
    (["--faults", "kill,flood"], "There is no fault \"flood\"; there are kill, pause"),
    (["--nodes", "1"], "--nodes is from 2 to 30"), (["--minutes", "0"], "--minutes is above 0"),
  ])
  func `what cannot be run is refused with what can`(
    _ arguments: [String], _ expected: String
  ) throws {
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let run = try Program(
      Program.sibling("atoll-cluster"), ["run"] + arguments, name: "run", cleanUp: cleanUp)
    let (code, lines) = try run.end(within: .seconds(20))
    #expect(code == 64)
    #expect(lines.contains { $0.contains(expected) }, "\(lines)")
  }

  @Test func `a plan is decided by its seed, and no node suffers two faults at a time`() {
    for seed: UInt64 in 1...50 {
      var (one, two) = (SeededGenerator(seed: seed), SeededGenerator(seed: seed))
      let plan = FaultPlan(FaultKind.allCases, nodes: 3, seconds: 60, using: &one)
      let again = FaultPlan(FaultKind.allCases, nodes: 3, seconds: 60, using: &two)
      #expect(plan.faults.map(\.begin) == again.faults.map(\.begin))
      #expect(plan.faults.count > 10)
      for node in 0..<3 {
        let faults = plan.faults.filter { $0.node == node }
        for (first, next) in zip(faults, faults.dropFirst()) { #expect(first.end < next.begin) }
      }
      for fault in plan.faults { #expect(fault.begin < fault.end && fault.end <= 60) }
    }
  }

  // MARK: The checks, each with a broken promise of its own

  private static let settings = FaultRun.Settings(
    nodes: 2, topology: .line, seconds: 1, faults: [], writers: 1, rate: 1, seed: 1)

  /// Two nodes with the same three entries of A1, of which A1 has heard; `spoil` changes the second.
  private func check(
    acknowledged: Int = 3, tally: Int = 3, spoil: (Store, FaultyNode) throws -> Void = { _, _ in }
  ) throws -> [String] {
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let folder = try Cluster.temporaryFolder()
    cleanUp.add(folder)
    let a = try node(0, folder, cleanUp, acknowledged: acknowledged)
    let store = try open(a)
    try store.write {
      for number in 1...3 {
        let entry = WorkEntry()
        entry.id = WorkModel.entryID("A1", number)
        entry.writer = "A1"
        store.add(entry)
      }
      let count = WorkTally()
      count.writer = "A1"
      count.count = tally
      store.add(count)
    }
    store.close()
    let b = try node(1, folder, cleanUp, acknowledged: 0)
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: b.daemon.storePath + suffix)
    }
    let backup = try Program(
      Program.sibling("atoll"), ["backup", a.daemon.storePath, b.daemon.storePath],
      name: "atoll backup", cleanUp: cleanUp)
    try backup.waitForExit(within: .seconds(20))
    let copy = try open(b)
    try spoil(copy, a)
    copy.close()
    return try FaultCheck(nodes: [a, b], isEqual: true, cleanUp: cleanUp).broken()
  }

  private func node(
    _ number: Int, _ folder: URL, _ cleanUp: CleanUp, acknowledged: Int
  ) throws -> FaultyNode {
    try FaultyNode(
      number: number, in: folder, storeID: StoreID(high: 1, low: 1), settings: Self.settings,
      cleanUp: cleanUp, acknowledged: acknowledged)
  }

  private func open(_ node: FaultyNode) throws -> Store {
    try Store(
      configuration: Store.Configuration(
        fileURL: URL(fileURLWithPath: node.daemon.storePath), objectTypes: WorkModel.classes))
  }

  @Test func `nothing is found where every promise is kept`() throws {
    #expect(try check() == [])
  }

  @Test func `an acknowledged transaction that is lost is found, unless a backup explains it`()
    throws
  {
    let lost = try check(acknowledged: 5)
    #expect(
      lost == ["A", "B"].map { "\($0): 2 acknowledged transactions of A1 are lost, first 4, 5" })
    #expect(try check(acknowledged: 5) { $1.writers[0].excuse(after: 3) } == [])
    #expect(try check(acknowledged: 5) { $1.writers[0].excuse(after: 4) } != [])
  }

  /// Found by seed 3598047103: a peer had the entry that nobody had heard of, and it was made twice.
  @Test func `the entry in flight while a backup is put back is not made again`() {
    let writer = Writer(name: "A1", acknowledged: 5)
    writer.excuse(after: 3)
    #expect(writer.excused == [4...6])
    #expect(writer.first == 7)
  }

  @Test func `a transaction that is there in part is found`() throws {
    #expect(
      try check(tally: 2) == ["A", "B"].map { "\($0): writer A1 has 3 entries and a tally of 2" })
  }

  @Test func `stores that differ are found`() throws {
    let broken = try check { store, _ in
      try store.write { store.objects(WorkEntry.self).first?.text = "changed" }
    }
    #expect(broken == ["version vectors of A and B differ"])
  }

  @Test func `accounts that do not add up are found`() throws {
    let broken = try check { store, _ in
      try store.write {
        let account = WorkAccount()
        account.balance = 5
        store.add(account)
      }
    }
    #expect(broken.contains("B: all accounts together hold 5 instead of nothing"))
  }
}
