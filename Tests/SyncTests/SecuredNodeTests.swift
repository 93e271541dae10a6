import Atoll
import Foundation
import Testing

/// Embedded nodes whose links are secured: keys, whom they trust, and codes, all by the application.
@MainActor @Suite(.serialized) struct SecuredNodeTests {
  private let places: Places

  init() throws { places = Places() }

  private func open(_ name: String, peers: [String] = [], storeID: UUID? = nil) throws -> Place {
    try places.open(name, peers: peers, listens: true, security: .always, storeID: storeID)
  }

  private func write(_ text: String, in place: Place) throws {
    try place.store.write { _ = place.store.create(Note.self, value: ["text": text]) }
  }

  /// Waits until the status is as it should be, for bounded time.
  private func status(
    of place: Place, until isReached: (Sync.Status) -> Bool
  ) async throws -> Sync.Status {
    for _ in 0..<1_000 {
      let status = try place.sync.status()
      if isReached(status) { return status }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw StatusNeverCame(last: try place.sync.status())
  }

  @Test(.timeLimit(.minutes(2)))
  func `who is not trusted waits, and is let in by both sides' word`() async throws {
    let a = try open("a")
    let port = try await places.port(of: a)
    try write("secret", in: a)
    let b = try open("b", peers: [port])
    let (first, second) = (try a.sync.identity(), try b.sync.identity())
    #expect(first != second && first.count >= 56)
    let mode = try FileManager.default.attributesOfItem(atPath: places.key("a").path)
    #expect(mode[.posixPermissions] as? Int == 0o600)
    // Whoever listens is shown who came, and whoever came, whom it found.
    let waiting = try await status(of: a) { $0.waiting.contains { $0.identity == second } }
    #expect(waiting.identity == first && waiting.peers.allSatisfy { !$0.isConnected })
    #expect(b.store.objects(Note.self).isEmpty)
    try a.sync.trust(second, as: "phone")
    try b.sync.trust(first, as: "home")
    try await a.sync.wait(for: .peers(atLeast: 1), timeout: .seconds(60))
    b.store.refresh()
    #expect(b.store.objects(Note.self).map(\.text) == ["secret"])
    let trusted = try #require(try a.sync.trustedNodes().first)
    #expect(trusted.name == "phone" && trusted.identity == second && trusted.role == .write)
    // Cut off at once, and with nothing of what comes later.
    try a.sync.distrust(second)
    _ = try await status(of: a) { $0.peers.allSatisfy { !$0.isConnected } }
    try write("later", in: a)
    let error = await places.failure {
      try await a.sync.wait(for: .everyone, timeout: .milliseconds(300))
    }
    #expect(error != nil)
    b.store.refresh()
    #expect(b.store.objects(Note.self).count == 1)
  }

  @Test(.timeLimit(.minutes(2)))
  func `a code lets two nodes know each other, once, and only the one that made it`() async throws {
    let (a, b, other) = (try open("a"), try open("b"), try open("other"))
    let address = try await places.port(of: a)
    let elsewhere = try await places.port(of: other)
    try write("paired", in: a)
    let code = try a.sync.makePairingCode()
    await #expect(throws: Store.Error.self) { try await b.sync.pair(with: "nonsense", at: address) }
    let wrong = await #expect(throws: Store.Error.self) {
      try await b.sync.pair(with: code, at: elsewhere)
    }
    #expect(wrong?.message.contains("did not make this code") == true)
    let home = try await b.sync.pair(with: code, at: address)
    let identity = try a.sync.identity()
    #expect(home.identity == identity && home.addresses == [address])
    #expect(try a.sync.trustedNodes().map(\.identity) == [try b.sync.identity()])
    try await a.sync.wait(for: .peers(atLeast: 1), timeout: .seconds(60))
    b.store.refresh()
    #expect(b.store.objects(Note.self).map(\.text) == ["paired"])
    await #expect(throws: Store.Error.self) { try await other.sync.pair(with: code, at: address) }
    #expect(try other.sync.trustedNodes().isEmpty)
  }

  @Test(.timeLimit(.minutes(2)))
  func `issue 32: who is paired with an owner may write, and nobody has to say so`() async throws {
    let a = try places.open("a", listens: true, security: .always, hasOwners: true)
    let b = try open("b", storeID: a.store.storeID)
    #expect(try a.store.members.areNeeded())
    #expect(try a.store.members.all().map(\.isFounder) == [true])
    #expect(try !b.store.members.includeThisReplica())
    #expect(throws: Store.Error.self) { try b.store.members.admit(b.store.members.ownID()) }
    try write("before", in: b)
    try await b.sync.pair(with: a.sync.makePairingCode(), at: places.port(of: a))
    try await b.sync.wait(for: .peers(atLeast: 1), timeout: .seconds(60))
    a.store.refresh()
    #expect(a.store.objects(Note.self).map(\.text) == ["before"])
    let writer = try #require(try a.store.members.all().first { !$0.isOwner })
    #expect(try writer.id == b.store.members.ownID())
    // As an owner it admits whom nobody here has met.
    try a.store.members.admit(writer.id, asOwner: true)
    try await a.sync.wait(for: .everyone, timeout: .seconds(60))
    try b.store.members.admit(String(repeating: "7", count: 32))
    try await b.sync.wait(for: .everyone, timeout: .seconds(60))
    #expect(try a.store.members.all().count == 3)
    let error = #expect(throws: Store.Error.self) { try a.store.members.admit("kitchen") }
    #expect(error?.code == .invalidValue)
  }

  @Test(.timeLimit(.minutes(2)))
  func `issue 32: whom an owner removes is cut off, and what it writes goes nowhere`() async throws
  {
    let a = try places.open("a", listens: true, security: .always, hasOwners: true)
    let b = try open("b", storeID: a.store.storeID)
    try write("before", in: b)
    try await b.sync.pair(with: a.sync.makePairingCode(), at: places.port(of: a))
    try await b.sync.wait(for: .peers(atLeast: 1), timeout: .seconds(60))
    let replica = try b.store.members.ownID()
    let error = #expect(throws: Store.Error.self) {
      try b.store.members.remove(a.store.members.ownID())
    }
    #expect(error?.code == .notOwner)
    try a.store.members.remove(replica)
    _ = try await status(of: a) { $0.peers.allSatisfy { !$0.isConnected } }
    do {
      try write("after", in: b)
    } catch let error as Store.Error {
      // It has heard of it by then, or not.
      #expect(error.code == .removed)
    }
    let members = try a.store.members.all()
    #expect(members.filter(\.isRemoved).map(\.id) == [replica])
    // It comes again, and is told why it may not.
    _ = try await status(of: b) { status in
      status.peers.contains { $0.error?.contains("has removed replica \(replica)") == true }
    }
    a.store.refresh()
    #expect(a.store.objects(Note.self).map(\.text) == ["before"])
    // All that it wrote before is taken back, too, if an owner wants it.
    #expect(try a.store.members.remove(replica, undoingSince: .distantFuture) == 0)
    a.store.refresh()
    #expect(a.store.objects(Note.self).count == 1)
    #expect(try a.store.members.remove(replica, undoingSince: .distantPast) > 0)
    a.store.refresh()
    #expect(a.store.objects(Note.self).isEmpty)
  }

  @Test(.timeLimit(.minutes(2)))
  func `issue 32: who is paired with a writer is asked for, and writes once an owner agrees`()
    async throws
  {
    let a = try places.open("a", listens: true, security: .always, hasOwners: true)
    let (b, c) = (
      try open("b", storeID: a.store.storeID), try open("c", storeID: a.store.storeID)
    )
    try await b.sync.pair(with: a.sync.makePairingCode(), at: places.port(of: a))
    try write("b", in: b)
    try await b.sync.wait(for: .peers(atLeast: 1), timeout: .seconds(60))
    try write("c", in: c)
    try await c.sync.pair(with: b.sync.makePairingCode(), at: places.port(of: b))
    let stranger = try c.store.members.ownID()
    for _ in 0..<3_000 where try a.store.members.requests().isEmpty {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try a.store.members.requests() == [stranger])
    #expect(try a.store.members.all().map(\.id).contains(stranger) == false)
    try a.store.members.admit(stranger)
    #expect(try a.store.members.requests().isEmpty)
    for _ in 0..<3_000 where a.store.objects(Note.self).count < 2 {
      try await Task.sleep(for: .milliseconds(20))
      a.store.refresh()
    }
    #expect(Set(a.store.objects(Note.self).map(\.text)) == ["b", "c"])
    // The founder's device may be lost now.
    let code = try a.store.members.makeRecoveryCode()
    try await a.sync.wait(for: .everyone, timeout: .seconds(60))
    let error = #expect(throws: Store.Error.self) { try c.store.members.recover(with: "K7") }
    #expect(error?.code == .invalidValue)
    try c.store.members.recover(with: code)
    try c.store.members.admit(String(repeating: "7", count: 32))
    #expect(try c.store.members.all().filter(\.isOwner).map(\.id).contains(stranger))
  }

  @Test(.timeLimit(.minutes(2)))
  func `issue 32: a store without owners has no members to list`() async throws {
    let a = try places.open("a", isServed: false)
    #expect(try !a.store.members.areNeeded() && a.store.members.includeThisReplica())
    #expect(try a.store.members.all().isEmpty)
    let error = #expect(throws: Store.Error.self) {
      try a.store.members.admit(String(repeating: "7", count: 32))
    }
    #expect(error?.code == .notOwner)
  }

  @Test(.timeLimit(.minutes(2)))
  func `who pairs with a node of another store is told so`() async throws {
    let (a, b) = (try open("a"), try open("b", storeID: UUID()))
    let address = try await places.port(of: a)
    let code = try a.sync.makePairingCode()
    let error = await #expect(throws: Store.Error.self) {
      try await b.sync.pair(with: code, at: address)
    }
    #expect(error?.code == .otherStore)
  }

  @Test func `what is no identity, address or code is refused with what is expected`() throws {
    let a = try places.open("a", isServed: false)
    let identity = try a.sync.identity()
    let mistyped = (identity.hasPrefix("0") ? "1" : "0") + identity.dropFirst()
    for (text, addresses) in [(mistyped, []), ("", []), (identity, ["nowhere"])] {
      let error = #expect(throws: Store.Error.self) {
        try a.sync.trust(text, as: "x", addresses: addresses)
      }
      #expect(error?.code == .invalidValue)
    }
    #expect(try a.sync.trustedNodes().isEmpty)
    try a.sync.trust(identity, as: "x", role: .relay, addresses: ["host:1"])
    #expect(try a.sync.trustedNodes().map(\.role) == [.relay])
  }

  @Test(.timeLimit(.minutes(2)))
  func `a node that cannot start says why, and starts once that is mended`() async throws {
    let key = places.key("a").path
    try Data("no key".utf8).write(to: places.key("a"))
    chmod(key, 0o644)
    let a = try open("a")
    let status = try await status(of: a) { $0.trouble != nil }
    #expect(!status.isServed && status.trouble?.contains("chmod 600 \(key)") == true)
    try FileManager.default.removeItem(atPath: key)
    let mended = try await self.status(of: a) { $0.isServed }
    let identity = try a.sync.identity()
    #expect(mended.trouble == nil && mended.identity == identity)
  }
}

private struct StatusNeverCame: Error { let last: Sync.Status }
