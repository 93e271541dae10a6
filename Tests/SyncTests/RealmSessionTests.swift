import AtollRealm
import Testing

/// The session that code written for Realm finds.
@MainActor @Suite(.serialized) struct RealmSessionTests {
  @Test(.timeLimit(.minutes(1)))
  func `a session is active and connected, and its waits end when all have all`() async throws {
    let places = Places()
    let alone = try places.open("c", isServed: false)
    let idle = try #require(alone.store.syncSession)
    #expect(idle.state == .inactive && idle.connectionState == .disconnected)
    let a = try places.open("a", listens: true)
    let b = try places.open("b", peers: [try await places.port(of: a)])
    let session = try #require(a.store.syncSession)
    try await a.sync.wait(for: .peers(atLeast: 1), timeout: .seconds(20))
    #expect(session.state == .active && session.connectionState == .connected)
    try b.store.write { _ = b.store.create(Note.self, value: ["text": "first"]) }
    let (stream, continuation) = AsyncStream.makeStream(of: Double.self)
    let token = session.addProgressNotification(
      for: .download, mode: .forCurrentlyOutstandingWork
    ) { progress in
      continuation.yield(progress.progressEstimate)
      if progress.isTransferComplete { continuation.finish() }
    }
    var last = 0.0
    for await estimate in stream { last = estimate }
    #expect(last == 1)
    token.invalidate()
    try await session.wait(for: .download)
    try await session.wait(for: .upload)
    try session.suspend()
    #expect(session.state == .inactive)
    try session.resume()
    #expect(session.state == .active)
    try await session.wait(for: .upload)
  }
}
