import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// The nodes that a store's file lets connect.
@Suite struct RosterTests {
  private static func entry(
    _ byte: UInt8, _ name: String = "peer", _ role: PeerRole = .write, _ addresses: [String] = []
  ) throws -> RosterEntry {
    let identity = try #require(NodeIdentity(bytes: Array(repeating: byte, count: 32)))
    return RosterEntry(identity: identity, name: name, role: role, addresses: addresses)
  }

  private static func file(_ now: @escaping @Sendable () -> Int64 = { 1_000_000 }) throws
    -> StoreFile
  {
    try StoreFile.open(
      StoreFile.inMemory,
      options: StoreOptions(wallClock: { WallTime(milliseconds: now()) }))
  }

  @Test func `an entry is read back as it was written, and changed by another`() throws {
    let file = try Self.file()
    let one = try Self.entry(1, "b", .read, ["127.0.0.1:1", "[::1]:2"])
    let other = try Self.entry(2, "a", .relay)
    try file.admit(one)
    try file.admit(other)
    #expect(try file.roster() == [other, one])
    let changed = try Self.entry(1, "c")
    try file.admit(changed)
    #expect(try file.roster() == [other, changed])
    try file.revoke(one.identity)
    #expect(try file.roster() == [other])
  }

  @Test func `every change raises the version, and none is a commit or a changeset`() throws {
    let file = try Self.file()
    let commit = try file.commitNumber()
    var versions = [try file.rosterVersion()]
    try file.admit(try Self.entry(1))
    versions.append(try file.rosterVersion())
    try file.admit(try Self.entry(1, "other"))
    versions.append(try file.rosterVersion())
    try file.revoke(try Self.entry(1).identity)
    versions.append(try file.rosterVersion())
    #expect(versions == versions.sorted() && Set(versions).count == 4)
    #expect(try file.commitNumber() == commit)
    #expect(try file.appliedVector() == VersionVector())
  }

  @Test func `a roster has an end, and so do names and addresses`() throws {
    let file = try Self.file()
    #expect(throws: StorageError.self) {
      try file.admit(try Self.entry(1, String(repeating: "x", count: 129)))
    }
    let addresses = (0...Limits.peerAddresses).map { "127.0.0.1:\($0)" }
    #expect(throws: StorageError.self) {
      try file.admit(try Self.entry(1, "x", .write, addresses))
    }
    for number in 0..<Limits.rosterEntries {
      let bytes = [UInt8(number >> 8), UInt8(number & 255)] + [UInt8](repeating: 0, count: 30)
      let identity = try #require(NodeIdentity(bytes: bytes))
      try file.admit(RosterEntry(identity: identity, name: "\(number)"))
    }
    #expect(throws: StorageError.self) { try file.admit(try Self.entry(9)) }
    #expect(try file.roster().count == Limits.rosterEntries)
  }

  @Test func `a pairing secret is waited for until its end, and the last offer counts`() throws {
    let file = try Self.file()
    #expect(try file.offeredPairing() == nil)
    try file.offerPairing([1, 2, 3, 4, 5])
    try file.offerPairing([6, 7, 8, 9, 10])
    #expect(try file.offeredPairing() == [6, 7, 8, 9, 10])
    #expect(try file.offeredPairing() == [6, 7, 8, 9, 10])
    try file.endPairing()
    #expect(try file.offeredPairing() == nil)
  }

  @Test(arguments: [(299_999, true), (300_000, true), (300_001, false), (-1, false)])
  func `a pairing secret lasts five minutes, also if the clock is set back`(
    later: Int64, isGood: Bool
  ) throws {
    let clock = Clock()
    let file = try Self.file { clock.milliseconds }
    try file.offerPairing([1, 2, 3, 4, 5])
    clock.milliseconds += later
    #expect(try file.offeredPairing() == (isGood ? [1, 2, 3, 4, 5] : nil))
    clock.milliseconds = 1_000_000
    #expect(try (file.offeredPairing() != nil) == isGood)
  }

  /// Only used by one thread.
  private final class Clock: @unchecked Sendable {
    var milliseconds: Int64 = 1_000_000
  }

  @Test func `a copy with a new incarnation offers no pairing`() throws {
    let place = TemporaryFolder()
    defer { withExtendedLifetime(place) {} }
    let folder = place.url.path
    let file = try StoreFile.open(folder + "/a", options: StoreOptions())
    defer { file.close() }
    try file.offerPairing([1, 2, 3, 4, 5])
    try file.admit(try Self.entry(1))
    _ = try file.clone(to: folder + "/b")
    let copy = try StoreFile.open(folder + "/b", options: StoreOptions())
    defer { copy.close() }
    #expect(try copy.offeredPairing() == nil)
    // A node of its own: whom the original lets connect is not its affair.
    #expect(try copy.roster() == [])
    _ = try file.clone(to: folder + "/c", withRoster: true)
    let other = try StoreFile.open(folder + "/c", options: StoreOptions())
    defer { other.close() }
    #expect(try other.roster().count == 1)
  }

  @Test func `issue 28.18: a restore keeps the roster of the file that it replaces`() throws {
    let place = TemporaryFolder()
    defer { withExtendedLifetime(place) {} }
    let folder = place.url.path
    let path = folder + "/it's a store"
    let file = try StoreFile.open(path, options: StoreOptions())
    let (revoked, kept) = (try Self.entry(1), try Self.entry(2))
    try file.admit(revoked)
    try file.backUp(to: folder + "/backup")
    try file.revoke(revoked.identity)
    try file.admit(kept)
    file.close()
    for expected in [[kept], []] {
      let done = try StoreFile.restore(folder + "/backup", to: path)
      #expect(done.roster == (expected.isEmpty ? .leftOut(1) : .kept(1)))
      let restored = try StoreFile.open(path, options: StoreOptions())
      #expect(try restored.roster() == expected)
      restored.close()
      // The machine is lost: only the backup tells whom it let connect, and not who was revoked since.
      for name in try FileManager.default.contentsOfDirectory(atPath: folder)
      where name != "backup" {
        try FileManager.default.removeItem(atPath: folder + "/" + name)
      }
    }
    let done = try StoreFile.restore(folder + "/backup", to: path, withRoster: true)
    #expect(done.roster == .taken(1))
    let restored = try StoreFile.open(path, options: StoreOptions())
    #expect(try restored.roster() == [revoked])
    restored.close()
  }
}
