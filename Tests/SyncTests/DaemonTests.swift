import Atoll
import AtollStorage
import Foundation
import Testing

@testable import AtollCluster

/// An application beside a daemon that is not there, comes, is stopped or killed.
@MainActor @Suite(.serialized) struct DaemonTests {
  @Test(.timeLimit(.minutes(2)), arguments: [SIGTERM, SIGKILL])
  func `an application works on whatever becomes of the daemon, and waits end right`(
    signal: Int32
  ) async throws {
    let cleanUp = CleanUp()
    defer { cleanUp.run() }
    let places = Places()
    let here = try places.open("a", isServed: false)
    var written = 0
    func write(_ count: Int) throws {
      for _ in 0..<count {
        written += 1
        try here.store.write {
          _ = here.store.create(Note.self, value: ["text": "\(written)"])
        }
      }
    }
    // Absent.
    try write(100)
    #expect(try !here.sync.status().isServed)
    // Starting, while the application writes.
    let other = try places.open("b", listens: true)
    try places.name("b", "backup")
    let port = try await places.port(of: other)
    let daemon = try start(places.path("a"), port, cleanUp)
    try write(100)
    try await here.sync.wait(
      for: .peers(atLeast: 1), of: here.store.position, timeout: .seconds(30))
    try await here.sync.wait(for: .peer("backup"), timeout: .seconds(30))
    // Stopped or killed, in the middle of a wait.
    kill(daemon.processID, signal)
    _ = try daemon.end(within: .seconds(20))
    try write(100)
    let failure = await places.failure {
      try await here.sync.wait(for: .peer("backup"), timeout: .milliseconds(300))
    }
    #expect(failure?.missing.map(\.reason) == [.lacks(changesets: 100)])
    #expect(failure?.isServed == false)
    #expect(try !here.sync.status().isServed)
    // Back: what was waited for comes to be.
    let sync = here.sync
    async let safe: Void = sync.wait(for: .everyone, timeout: .seconds(60))
    let again = try start(places.path("a"), port, cleanUp)
    try await safe
    other.store.refresh()
    #expect(other.store.objects(Note.self).count == written)
    kill(again.processID, SIGTERM)
    _ = try again.end(within: .seconds(20))
  }

  private func start(_ path: String, _ peer: String, _ cleanUp: CleanUp) throws -> Program {
    try Program(
      Program.sibling("atolld"), ["--store", path, "--peer", peer], name: "atolld",
      cleanUp: cleanUp)
  }
}
