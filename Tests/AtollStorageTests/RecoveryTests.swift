import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// An owner on paper, and requests for admissions, as `protocol/owners.md` has them.
@Suite struct RecoveryTests {
  private let founder: TestStore
  private let a: TestStore
  private let b: TestStore

  init() throws {
    founder = try TestStore("founder", storeID: nil, isOwned: true)
    a = try TestStore("a", storeID: founder.file.storeID)
    b = try TestStore("b", storeID: founder.file.storeID)
  }

  private func isNotKept(_ outcomes: [ApplyOutcome]) -> Bool {
    outcomes.contains { if case .overflowing(_, .notAdmitted) = $0 { true } else { false } }
  }

  // MARK: A code on paper

  @Test func `issue 32: with the code any replica becomes an owner, also one that is not admitted`()
    throws
  {
    let (code, owner) = try Recovery(of: founder.file).makeCode()
    #expect(try founder.file.admission(of: owner) == .owner)
    try founder.file.admit(a.file.author.replica, as: .writer)
    try founder.sendAsPeer(to: a)
    // b has written, and nobody has admitted it; its own changesets are no obstacle. The founder is lost.
    try founder.sendAsPeer(to: b)
    try b.create(1)
    try a.create(2)
    #expect(try isNotKept(b.sendAsPeer(to: a)))
    #expect(try Recovery(of: b.file).use(code))
    #expect(try b.file.isOwner)
    #expect(try !Recovery(of: b.file).use(code))
    try b.sendAsPeer(to: a)
    try b.sendAsPeer(to: a)
    #expect(try a.file.admission(of: b.file.author.replica) == .owner)
    try a.sendAsPeer(to: b)
    #expect(try a.exported() == b.exported())
    #expect(try a.file.digest() == b.file.digest())
    for store in [a, b] { #expect(try store.file.verify() == []) }
    // It admits others, and nobody waits for the owner on paper.
    let c = try TestStore("c", storeID: founder.file.storeID)
    try b.file.admit(c.file.author.replica, as: .writer)
    let paper = try #require(try a.file.members().first { $0.replica == owner })
    #expect(paper.isRetired)
  }

  @Test func `issue 32: a code is used again, and on two replicas at once`() throws {
    let (code, _) = try Recovery(of: founder.file).makeCode()
    for store in [a, b] {
      try founder.sendAsPeer(to: store)
      #expect(try Recovery(of: store.file).use(code))
    }
    try a.sendAsPeer(to: b)
    try b.sendAsPeer(to: a)
    try a.sendAsPeer(to: founder)
    for store in [a, b, founder] {
      let admitted = try store.file.admissions()
      #expect(admitted.count == 4)
      #expect(admitted.allSatisfy { $0.as == .owner })
      #expect(try store.file.verify() == [])
    }
    #expect(try a.exported() == founder.exported())
  }

  @Test func `issue 32: a code of another store, or one that was not heard of, makes no owner`()
    throws
  {
    let other = try TestStore("other", storeID: nil, isOwned: true)
    let (code, _) = try Recovery(of: other.file).makeCode()
    let (own, _) = try Recovery(of: founder.file).makeCode()
    for code in [code, own] {
      #expect {
        _ = try Recovery(of: a.file).use(code)
      } throws: { error in
        guard case .notYet(_, _, let detail, _) = error as? StorageError else { return false }
        return detail.contains("no owner has made this code")
      }
    }
    #expect(try a.exported() == "")
    let open = try TestStore("open", storeID: nil)
    #expect {
      _ = try Recovery(of: open.file).use(code)
    } throws: {
      if case .noOwners? = $0 as? StorageError { true } else { false }
    }
    #expect {
      _ = try Recovery(of: a.file).makeCode()
    } throws: {
      if case .notOwner? = $0 as? StorageError { true } else { false }
    }
  }

  @Test func `issue 32: a removed replica does not become an owner by a code`() throws {
    let (code, _) = try Recovery(of: founder.file).makeCode()
    try founder.file.admit(a.file.author.replica, as: .writer)
    try founder.file.remove(a.file.author.replica)
    try founder.sendAsPeer(to: a)
    #expect {
      _ = try Recovery(of: a.file).use(code)
    } throws: {
      if case .removed? = $0 as? StorageError { true } else { false }
    }
  }

  @Test func `issue 32: a code works where its making is known from a snapshot alone`() throws {
    let (code, _) = try Recovery(of: founder.file).makeCode()
    try founder.create(1)
    try founder.file.makeSnapshot()
    try a.takeSnapshot(of: founder)
    #expect(try Recovery(of: a.file).use(code))
    try a.sendAsPeer(to: founder)
    #expect(try founder.file.admission(of: a.file.author.replica) == .owner)
    #expect(try founder.file.verify() == [])
  }

  @Test func `issue 32: a code is read as people write it, and every wrong digit is found`() throws
  {
    var random = SystemRandomNumberGenerator()
    let code = RecoveryCode { random.next() }
    let text = "\(code)"
    #expect(text.count == 29)
    #expect(RecoveryCode(text) == code)
    #expect(
      RecoveryCode(text.lowercased().split(separator: "-").joined(separator: " ")) == code)
    let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    for (index, digit) in text.enumerated() where digit != "-" {
      var wrong = Array(text)
      wrong[index] = digits.first { $0 != digit } ?? "0"
      #expect(RecoveryCode(String(wrong)) == nil)
    }
    #expect(RecoveryCode("") == nil)
  }

  // MARK: Requests

  @Test func `issue 32: a member asks, and the request is over once an owner has answered`() throws
  {
    let (asked, refused) = (b.file.author.replica, ReplicaID(high: 7, low: 7))
    // Nobody would hear one that is not admitted itself.
    #expect(try !AdmissionRequests(of: a.file).ask(for: asked))
    try founder.file.admit(a.file.author.replica, as: .writer)
    try founder.sendAsPeer(to: a)
    #expect(try AdmissionRequests(of: a.file).ask(for: asked))
    #expect(try !AdmissionRequests(of: a.file).ask(for: asked))
    #expect(try AdmissionRequests(of: a.file).ask(for: refused))
    try a.sendAsPeer(to: founder)
    let pending = try AdmissionRequests(of: founder.file).pending()
    #expect(Set(pending.map(\.replica)) == [asked, refused])
    #expect(pending.map(\.asker) == [a.file.author.replica, a.file.author.replica])
    #expect(try founder.file.admission(of: asked) == nil)
    try founder.file.admit(asked, as: .writer)
    try founder.file.remove(refused)
    #expect(try AdmissionRequests(of: founder.file).pending().isEmpty)
    try founder.sendAsPeer(to: a)
    #expect(try AdmissionRequests(of: a.file).pending().isEmpty)
    // Neither is asked for again.
    for replica in [asked, refused] {
      #expect(try !AdmissionRequests(of: a.file).ask(for: replica))
    }
    #expect(try founder.exported() == a.exported())
    for store in [a, founder] { #expect(try store.file.verify() == []) }
  }

  @Test func `issue 32: a removed member's later requests count for nothing`() throws {
    try founder.file.admit(a.file.author.replica, as: .writer)
    try founder.sendAsPeer(to: a)
    try founder.file.remove(a.file.author.replica)
    #expect(try AdmissionRequests(of: a.file).ask(for: b.file.author.replica))
    try a.sendAsPeer(to: founder)
    #expect(try AdmissionRequests(of: founder.file).pending().isEmpty)
    #expect(try founder.file.verify() == [])
  }

  @Test func `issue 32: a store without owners has no requests`() throws {
    let open = try TestStore("open", storeID: nil)
    #expect(try !AdmissionRequests(of: open.file).ask(for: b.file.author.replica))
    #expect(try AdmissionRequests(of: open.file).pending().isEmpty)
  }
}
