// Real daemons on loopback, and real applications beside them.
//
// The tests run the phases of the demonstration itself (`Sources/AtollCluster/Demo.swift`) with the
// `atolld`, `atoll` and `atoll-cluster` that were built next to the test bundle. Fewer airports than
// in the demonstration are enough: what is tested is what happens between processes.

import AtollVocabulary
import Foundation
import Synchronization
import Testing

@testable import AtollCluster

@Suite(.serialized) struct ClusterTests {
  /// A clone of the repository has the table next to the tests.
  private let airports = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Data/airports.csv").path

  @Test(.timeLimit(.minutes(3)))
  func `three daemons in a line end equal, and stop when asked`() throws {
    let lines = Mutex<[String]>([])
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let cluster = try Cluster(in: Cluster.temporaryFolder(), cleanUp: cleanUp)
    let demo = Demo(
      cluster: cluster, table: try AirportTable(path: airports, limit: 3_000),
      airportsPath: airports, say: { line in lines.withLock { $0.append(line) } })
    try demo.run()
    try demo.stop()
    let told = lines.withLock { $0 }
    #expect(told.contains { $0.hasPrefix("equal ") })
    #expect(told.contains { $0.contains("sees 3000 of 3000") })
    #expect(told.contains { $0.contains("(3000 Airport + ") || $0.contains(" + 3000 Airport") })
  }

  @Test(.timeLimit(.minutes(1)), arguments: [SIGINT, SIGTERM])
  func `an interrupted demonstration leaves no process and no file`(signal: Int32) throws {
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let demo = try Program(
      Program.sibling("atoll-cluster"), ["demo", "--airports", airports], name: "demo",
      cleanUp: cleanUp)
    let daemons = try (0..<3).map { _ in
      try demo.line(within: Demo.timeout) { $0.contains("  process ") }
    }
    _ = try demo.line(within: Demo.timeout) { $0.contains("C sees ") }
    kill(demo.processID, signal)
    #expect(try demo.end(within: Demo.timeout).code == 128 + signal)
    for line in daemons {
      let daemon = try #require(line.firstMatch(of: /process (\d+), port \d+, (.+)$/))
      let process = try #require(Int32(daemon.1))
      #expect(Bounded.wait(Demo.timeout) { kill(process, 0) == 0 ? nil : true } ?? false)
      #expect(!FileManager.default.fileExists(atPath: String(daemon.2)))
    }
  }

  @Test(.timeLimit(.minutes(1)), arguments: [SIGINT, SIGTERM])
  func `a signal ends the studio of a demonstration, and then its daemons`(signal: Int32) throws {
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let demo = try Program(
      Program.sibling("atoll-cluster"),
      ["demo", "--studio", "--limit", "100", "--airports", airports], name: "demo",
      cleanUp: cleanUp)
    _ = try demo.line(within: Demo.timeout) { $0.contains("/?token=") }
    kill(demo.processID, signal)
    let (code, lines) = try demo.end(within: Demo.timeout)
    #expect(code == 0)
    #expect(lines.contains { $0.contains("stopped    all three daemons") })
  }

  @Test(.timeLimit(.minutes(1)))
  func `a demonstration that is kept leaves its daemons running, and says how to end them`() throws
  {
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let demo = try Program(
      Program.sibling("atoll-cluster"),
      ["demo", "--keep", "--limit", "100", "--airports", airports], name: "demo", cleanUp: cleanUp)
    let (code, lines) = try demo.end(within: Demo.timeout)
    #expect(code == 0)
    let ending = try #require(lines.last?.firstMatch(of: /kill ([0-9 ]+); rm -rf (.+)$/))
    let daemons = ending.1.split(separator: " ").compactMap { Int32($0) }
    cleanUp.add(URL(fileURLWithPath: String(ending.2)))
    for daemon in daemons { cleanUp.add(daemon) }
    #expect(daemons.filter { kill($0, 0) == 0 }.count == 3)
    for daemon in daemons { kill(daemon, SIGTERM) }
    for daemon in daemons {
      #expect(Bounded.wait(Demo.timeout) { kill(daemon, 0) == 0 ? nil : true } ?? false)
      cleanUp.remove(daemon)
    }
  }

  @Test func `a demonstration without airports says why, and ends with code 1`() throws {
    let demo = try Program(
      Program.sibling("atoll-cluster"), ["demo", "--airports", "/nowhere.csv"], name: "demo",
      cleanUp: CleanUp())
    let (code, lines) = try demo.end(within: Demo.timeout)
    #expect(code == 1)
    #expect(
      lines == ["Error: reading airports from /nowhere.csv: the file cannot be read"])
  }

  /// The daemon that dies, the time and the length, as parts of the time that an undisturbed run
  /// takes.
  struct Accident: CustomTestStringConvertible {
    let number: Int
    let victim: Int
    let moment: Double
    let absence: Double

    var testDescription: String { "accident \(number)" }

    /// Twenty accidents from a seed: `ATOLL_SEED`, or one that is drawn and printed.
    static let all: [Accident] = {
      let given = ProcessInfo.processInfo.environment["ATOLL_SEED"].flatMap { UInt64($0) }
      let seed = given ?? .random(in: 0 ... .max)
      print("ClusterTests: ATOLL_SEED=\(seed)")
      var generator = SeededGenerator(seed: seed)
      return (1...20).map { number in
        Accident(
          number: number, victim: .random(in: 0..<3, using: &generator),
          moment: .random(in: 0..<1, using: &generator),
          absence: .random(in: 0..<0.3, using: &generator))
      }
    }()
  }

  @Test(.timeLimit(.minutes(3)))
  func `a daemon killed at any of 20 random moments and restarted still ends equal`() throws {
    let undisturbed = try duration(of: nil, lasting: .zero)
    for accident in Accident.all {
      #expect(throws: Never.self, "\(accident)") {
        _ = try duration(of: accident, lasting: undisturbed)
      }
    }
  }

  @Test func `a daemon that never ran is not started by a restart`() throws {
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let cluster = try Cluster(in: Cluster.temporaryFolder(), cleanUp: cleanUp)
    try cluster.b.restart()
    #expect(cluster.b.processID == nil)
  }

  /// Runs the demonstration on few airports, with an accident on the way, and says how long it took.
  private func duration(of accident: Accident?, lasting usual: Duration) throws -> Duration {
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let cluster = try Cluster(in: Cluster.temporaryFolder(), cleanUp: cleanUp)
    let demo = Demo(
      cluster: cluster, table: try AirportTable(path: airports, limit: 300),
      airportsPath: airports, say: { _ in })
    let start = ContinuousClock.now
    let killer = accident.map { Killer(cluster.nodes[$0.victim], $0, after: usual) }
    try demo.run()
    try killer?.wait()
    cluster.terminate()
    return ContinuousClock.now - start
  }
}

/// Kills a daemon when its moment has come, or as soon as it runs after that, and brings it back.
private final class Killer: Sendable {
  private let done = DispatchSemaphore(value: 0)
  private let failure = Mutex<(any Error)?>(nil)

  init(_ victim: DaemonNode, _ accident: ClusterTests.Accident, after usual: Duration) {
    let moment = DispatchTime.now() + usual.seconds * accident.moment
    DispatchQueue.global().asyncAfter(deadline: moment) { [self] in
      _ = Bounded.wait(Demo.timeout) { victim.processID }
      victim.kill()
      DispatchQueue.global().asyncAfter(deadline: .now() + usual.seconds * accident.absence) {
        do { try victim.restart() } catch { self.failure.withLock { $0 = error } }
        self.done.signal()
      }
    }
  }

  /// Until the victim is back.
  ///
  /// - Throws: why it could not be brought back.
  func wait() throws {
    #expect(done.wait(timeout: .now() + 60) == .success)
    if let error = failure.withLock({ $0 }) { throw error }
  }
}
