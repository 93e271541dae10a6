import AtollStorage
import Foundation
import Testing

@testable import Atoll

/// The other replicas that an application can know and wait for, with nodes embedded in this
/// process.
@MainActor @Suite(.serialized) struct SyncTests {
  @Test(.timeLimit(.minutes(1)))
  func `in a line whose ends never meet everyone means the other end too`() async throws {
    let places = Places()
    let a = try places.open("a", listens: true)
    let port = try await places.port(of: a)
    let b = try places.open("b", peers: [port], listens: true)
    let c = try places.open("c", peers: [try await places.port(of: b)])
    try places.name("c", "cellar")
    try a.store.write { _ = a.store.create(Note.self, value: ["text": "first"]) }
    let position = a.store.position
    try await a.sync.wait(for: .peers(atLeast: 2), of: position, timeout: .seconds(20))
    #expect(c.store.refresh() || !c.store.objects(Note.self).isEmpty)
    #expect(c.store.objects(Note.self).map(\.text) == ["first"])
    try a.store.write { _ = a.store.create(Note.self, value: ["text": "second"]) }
    try await a.sync.wait(for: .everyone, timeout: .seconds(20))
    try await a.sync.wait(for: .peer("cellar"), of: a.store.position, timeout: .seconds(20))
    c.store.refresh()
    #expect(c.store.objects(Note.self).count == 2)
    let status = try a.sync.status()
    let cellar = try #require(status.peers.first { $0.name == "cellar" })
    #expect(!cellar.isConnected && cellar.behindBy == 0 && cellar.address == nil)
    #expect(status.peers.count { $0.isConnected } == 1)
    let clock = try #require(status.peers.first { $0.isConnected }?.clockAhead)
    #expect(clock > .seconds(-1) && clock < .seconds(1) && cellar.clockAhead == nil)
    let progress = try a.sync.progress()
    #expect(progress.isDone && progress.estimate == .zero)
    try await c.sync.waitForDownload(timeout: .seconds(20))
  }

  @Test func `what is left takes as long as the slower of both directions`() {
    let estimate = Sync.Progress.estimate
    #expect(estimate([(0, nil), (0, nil)]) == .zero)
    #expect(estimate([(100, 50), (0, nil)]) == .seconds(2))
    #expect(estimate([(100, 50), (7, 2)]) == .seconds(4))
    #expect(estimate([(100, 50), (1, nil)]) == nil)
    #expect(estimate([(.max, 1e-9), (0, nil)]) == nil)
  }

  @Test(.timeLimit(.minutes(1)))
  func `without any node writes go on, and waiting ends in time and says why`() async throws {
    let places = Places()
    let a = try places.open("a", isServed: false)
    for number in 0..<50 {
      try a.store.write { _ = a.store.create(Note.self, value: ["text": "\(number)"]) }
    }
    try await a.sync.wait(for: .localDurable, of: a.store.position, timeout: .zero)
    let everyone = await places.failure { try await a.sync.wait(for: .everyone, timeout: .zero) }
    #expect(everyone?.missing.map(\.reason) == [.nobodyKnown])
    #expect(everyone?.isServed == false)
    #expect("\(String(describing: everyone))".contains("start atolld"))
    let start = ContinuousClock.now
    let named = await places.failure {
      try await a.sync.wait(for: .peer("backup"), timeout: .milliseconds(200))
    }
    #expect(ContinuousClock.now.duration(to: .now) < .seconds(5))
    #expect(start.duration(to: .now) >= .milliseconds(200))
    #expect(named?.missing.map(\.reason) == [.unknown])
    let some = await places.failure {
      try await a.sync.wait(for: .peers(atLeast: 2), timeout: .zero)
    }
    #expect(some?.missing.map(\.reason) == [.tooFew(known: 0)])
    let download = await places.failure { try await a.sync.waitForDownload(timeout: .zero) }
    #expect(download?.missing.map(\.reason) == [.notConnected])
    let status = try a.sync.status()
    #expect(!status.isServed && status.peers.isEmpty)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a replica that is away is missed by its name, and had as soon as it is back`() async throws
  {
    let places = Places()
    let a = try places.open("a", listens: true)
    let port = try await places.port(of: a)
    var b: Place? = try places.open("b", peers: [port])
    try places.name("b", "backup")
    try a.store.write { _ = a.store.create(Note.self, value: ["text": "first"]) }
    try await a.sync.wait(for: .peers(atLeast: 1), of: a.store.position, timeout: .seconds(20))
    try await a.sync.wait(for: .peer("backup"), timeout: .seconds(20))
    b?.store.close()
    b = nil
    // Its node ends a moment later, and would still take what is written now.
    for try await status in a.sync.statuses
    where status.peers.allSatisfy({ !$0.isConnected }) { break }
    try a.store.write { _ = a.store.create(Note.self, value: ["text": "second"]) }
    let missed = await places.failure {
      try await a.sync.wait(for: .everyone, timeout: .milliseconds(300))
    }
    let reason = try #require(missed?.missing.first)
    #expect(reason.name == "backup")
    #expect(reason.reason == .lacks(changesets: 1))
    #expect(reason.heard != nil)
    let progress = try a.sync.progress()
    #expect(progress.toSend == 1 && progress.bytesToSend > 0 && progress.estimate == nil)
    let sync = a.sync
    async let safe: Void = sync.wait(for: .peer("backup"), timeout: .seconds(20))
    let back = try places.open("b", peers: [port])
    try await safe
    back.store.refresh()
    #expect(back.store.objects(Note.self).count == 2)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a retired replica is not waited for, and waiting for it by name says so`() async throws {
    let places = Places()
    let a = try places.open("a", listens: true)
    let port = try await places.port(of: a)
    let b = try places.open("b", peers: [port])
    try places.name("b", "backup")
    try await a.sync.wait(for: .peer("backup"), timeout: .seconds(20))
    b.store.close()
    try a.store.write { _ = a.store.create(Note.self, value: ["text": "alone"]) }
    let other = try #require(try a.sync.status().peers.first { $0.name == "backup" })
    try places.retire(try #require(other.id), in: "a")
    let named = await places.failure { try await a.sync.wait(for: .peer("backup"), timeout: .zero) }
    #expect(named?.missing.map(\.reason) == [.retired])
    // Nobody else is left: that is not everyone.
    let all = await places.failure { try await a.sync.wait(for: .everyone, timeout: .zero) }
    #expect(all?.missing.map(\.reason) == [.nobodyKnown])
  }

  @Test(.timeLimit(.minutes(1)))
  func `statuses come when something changes, and end with their loop`() async throws {
    let places = Places()
    let a = try places.open("a", listens: true)
    let port = try await places.port(of: a)
    let sync = a.sync
    let seen = Task {
      for try await status in sync.statuses where status.peers.contains(where: \.isConnected) {
        return true
      }
      return false
    }
    let b = try places.open("b", peers: [port])
    #expect(try await seen.value)
    _ = b
  }

  @Test(.timeLimit(.minutes(1)))
  func `what is paused exchanges nothing, whoever dials, until it is resumed`() async throws {
    let places = Places()
    let a = try places.open("a", listens: true)
    let b = try places.open("b", peers: [try await places.port(of: a)])
    try a.store.write { _ = a.store.create(Note.self, value: ["text": "before"]) }
    try await a.sync.wait(for: .everyone, timeout: .seconds(20))
    try a.sync.pause()
    for try await status in b.sync.statuses where !status.peers.contains(where: \.isConnected) {
      break
    }
    try a.store.write { _ = a.store.create(Note.self, value: ["text": "while"]) }
    try b.store.write { _ = b.store.create(Note.self, value: ["text": "there"]) }
    let paused = await places.failure {
      try await a.sync.wait(for: .everyone, timeout: .milliseconds(500))
    }
    #expect(paused?.missing.count == 1 && paused?.isPaused == true)
    #expect("\(String(describing: paused))".contains("resume it"))
    #expect(try a.sync.status().pausedSince != nil && b.sync.status().pausedSince == nil)
    #expect(try a.sync.status().peers.allSatisfy { !$0.isConnected })
    b.store.refresh()
    #expect(b.store.objects(Note.self).count == 2)
    try a.sync.resume()
    try await a.sync.wait(for: .everyone, timeout: .seconds(20))
    try await b.sync.wait(for: .everyone, timeout: .seconds(20))
    for place in [a, b] {
      place.store.refresh()
      #expect(place.store.objects(Note.self).count == 3)
    }
    // It is kept in the file, for the node that serves it later.
    try places.open("c", isServed: false).sync.pause()
    let c = try places.open("c", peers: [try await places.port(of: a)])
    for try await status in c.sync.statuses where status.isServed { break }
    #expect(try c.sync.status().pausedSince != nil)
    #expect(try c.sync.status().peers.allSatisfy { !$0.isConnected })
    try c.sync.resume()
    try await c.sync.wait(for: .peers(atLeast: 1), timeout: .seconds(20))
  }
}

/// The one class of these stores.
final class Note: Object {
  @Persisted var text: String
}
