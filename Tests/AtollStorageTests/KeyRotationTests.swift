import AtollChanges
import AtollStorage
import AtollVocabulary
import Foundation
import Testing

/// Another key for a replica, as `atoll identity rotate` makes one.
@Suite struct KeyRotationTests {
  private let founder: TestStore
  private let a: TestStore

  init() throws {
    founder = try TestStore("founder", storeID: nil, isOwned: true)
    a = try TestStore("a", storeID: founder.file.storeID)
    try founder.file.admit(a.file.author.replica, as: .writer)
    try founder.file.setReplicaName("kitchen")
    try founder.create(1)
    try founder.sendAsPeer(to: a)
    try a.file.setReplicaName("attic")
    try a.create(2)
    try a.sendAsPeer(to: founder)
  }

  private func expectEqual(_ stores: TestStore...) throws {
    for store in stores {
      #expect(try store.exported() == stores[0].exported())
      #expect(try store.file.digest() == stores[0].file.digest())
      #expect(try store.file.verify() == [])
    }
  }

  @Test func `issue 32: an owner goes on under another key, and is an owner`() throws {
    let former = founder.file.author.replica
    let outcome = try KeyRotation(of: founder.file).run()
    #expect(outcome.former == former && outcome.admission == .owner)
    #expect(founder.file.author.replica == outcome.replica && outcome.replica != former)
    #expect(founder.file.replicaKey?.replica == outcome.replica)
    try founder.create(3)
    try founder.sendAsPeer(to: a)
    try expectEqual(founder, a)
    #expect(try a.file.admission(of: outcome.replica) == .owner)
    let members = try a.file.members()
    #expect(members.first { $0.replica == former }?.isRetired == true)
    let next = try #require(members.first { $0.replica == outcome.replica })
    #expect(next.name == "kitchen" && !next.isRetired)
    // It admits others, and the store is the one that the former key founded.
    let b = try TestStore("b", storeID: founder.file.storeID)
    try founder.file.admit(b.file.author.replica, as: .writer)
    try founder.sendAsPeer(to: b)
    try b.create(4)
    try b.sendAsPeer(to: founder)
    try founder.sendAsPeer(to: a)
    try expectEqual(founder, a, b)
  }

  @Test func `issue 32: of a writer owners are asked, and what it writes counts once they agree`()
    throws
  {
    let outcome = try KeyRotation(of: a.file).run()
    #expect(outcome.admission == nil)
    try a.create(3)
    let outcomes = try a.sendAsPeer(to: founder)
    #expect(
      outcomes.contains { if case .overflowing(_, .notAdmitted) = $0 { true } else { false } })
    let waiting = try AdmissionRequests(of: founder.file).pending()
    #expect(waiting.map(\.replica) == [outcome.replica])
    #expect(waiting.map(\.asker) == [outcome.former])
    #expect(try !founder.exported().contains("\"key\":3"))
    try founder.file.admit(outcome.replica, as: .writer)
    // A removal of the former one leaves what it wrote, and whoever has its key writes in vain.
    #expect(try founder.file.remove(outcome.former))
    try a.sendAsPeer(to: founder)
    try founder.sendAsPeer(to: a)
    try expectEqual(founder, a)
    #expect(try founder.exported().contains("\"key\":2"))
    #expect(try founder.exported().contains("\"key\":3"))
    try a.create(4)
    try a.sendAsPeer(to: founder)
    try expectEqual(founder, a)
  }

  @Test func `issue 32: a copy with the former key writes in vain once that is removed`() throws {
    let stolen = TestFolder.path("stolen")
    try FileManager.default.copyItem(atPath: try path(ofBackup: a), toPath: stolen)
    let thief = try TestStore("thief", storeID: founder.file.storeID, path: stolen)
    #expect(thief.file.author.replica == a.file.author.replica)
    let outcome = try KeyRotation(of: a.file).run()
    try a.sendAsPeer(to: founder)
    try founder.file.admit(outcome.replica, as: .writer)
    try founder.file.remove(outcome.former)
    let before = try founder.exported()
    try thief.create(66)
    try thief.sendAsPeer(to: founder)
    #expect(try founder.exported() == before)
    try a.create(5)
    try a.sendAsPeer(to: founder)
    try founder.sendAsPeer(to: a)
    try expectEqual(founder, a)
    #expect(try !founder.exported().contains("\"key\":66"))
  }

  /// A whole copy in one file, with the key.
  private func path(ofBackup store: TestStore) throws -> String {
    let path = TestFolder.path("backup")
    _ = try store.file.backUp(to: path)
    return path
  }

  @Test func `issue 32: who has the file open elsewhere goes on with the new key`() throws {
    let other = try TestStore("other", storeID: founder.file.storeID, path: a.path)
    try other.create(3)
    let outcome = try KeyRotation(of: a.file).run()
    try founder.file.admit(outcome.replica, as: .writer)
    try other.create(4)
    #expect(other.file.author == a.file.author)
    // It seals what is sent, with the new key what is new.
    try other.sendAsPeer(to: founder)
    try founder.sendAsPeer(to: other)
    try expectEqual(founder, other)
    #expect(try founder.exported().contains("\"key\":4"))
    // So does who opens it again.
    for store in [a, other] { store.file.close() }
    let again = try TestStore("again", storeID: founder.file.storeID, path: a.path)
    #expect(again.file.author.replica == outcome.replica)
    try again.create(5)
    try again.sendAsPeer(to: founder)
    try founder.sendAsPeer(to: again)
    try expectEqual(founder, again)
  }

  @Test func `issue 32: nothing waits for a former key, and a newcomer gets all`() throws {
    let outcome = try KeyRotation(of: founder.file).run()
    try founder.create(3)
    try founder.sendAsPeer(to: a)
    let waitedFor = try founder.file.members().filter { !$0.isRetired }.map(\.replica)
    #expect(Set(waitedFor) == [outcome.replica, a.file.author.replica])
    let b = try TestStore("b", storeID: founder.file.storeID)
    try founder.file.admit(b.file.author.replica, as: .writer)
    try founder.sendAsPeer(to: b)
    try expectEqual(founder, b)
    // The former key's changesets are sealed in the file, for the key itself is gone.
    let seals = try founder.sealedLog().filter { $0.id.author.replica == outcome.former }
    #expect(!seals.isEmpty && seals.last?.seal != nil)
  }

  @Test func `issue 32: a store without owners needs nobody's consent`() throws {
    let (one, two) = (try TestStore("one"), try TestStore("two"))
    try one.create(1)
    let outcome = try KeyRotation(of: one.file).run()
    #expect(outcome.admission == nil)
    try one.create(2)
    try one.sendAsPeer(to: two)
    try expectEqual(one, two)
    #expect(try two.file.heads().map(\.author.replica).contains(outcome.replica))
  }

  @Test func `issue 32: a replica that counts nowhere, or not any more, keeps its key`() throws {
    let b = try TestStore("b", storeID: founder.file.storeID)
    let own = b.file.author
    #expect {
      try KeyRotation(of: b.file).run()
    } throws: {
      "\($0)".contains("no owner has admitted replica \(own.replica)")
    }
    #expect(b.file.author == own)
    try founder.file.remove(a.file.author.replica)
    try founder.sendAsPeer(to: a)
    #expect {
      try KeyRotation(of: a.file).run()
    } throws: {
      "\($0)".contains("has removed replica")
    }
  }

  @Test func `issue 32: who had the file open changes the key that it has now`() throws {
    let other = try TestStore("other", storeID: founder.file.storeID, path: founder.path)
    let first = try KeyRotation(of: founder.file).run()
    // It has not looked at the file since.
    let second = try KeyRotation(of: other.file).run()
    #expect(second.former == first.replica)
    let waitedFor = try founder.file.members().filter { !$0.isRetired }.map(\.replica)
    #expect(waitedFor == [second.replica, a.file.author.replica].sorted())
    #expect(try founder.file.verify() == [])
  }

  @Test func `issue 32: keys are changed again and again`() throws {
    for number in 10..<14 as Range<Int64> {
      try KeyRotation(of: founder.file).run()
      try founder.create(number)
    }
    try founder.sendAsPeer(to: a)
    try expectEqual(founder, a)
    #expect(try a.file.admissions().filter { $0.as == .owner }.count == 5)
  }
}
