import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// The members: one object a replica, which replicates like any other.
@Suite struct `members of a store` {
  @Test func `a replica is no member until it meets another, and announces itself once`() throws {
    let a = try TestStore("a")
    #expect(try a.file.members().isEmpty)
    #expect(try a.file.announce())
    let own = try #require(try a.file.members().first)
    #expect(own == Member(replica: a.file.author.replica))
    let heads = try a.file.heads()
    #expect(try !a.file.announce())
    #expect(try a.file.heads() == heads)
    #expect(try a.file.verify() == [])
  }

  @Test func `members, their names, identities, roles and retirement reach others`() throws {
    let stores = [try TestStore("a"), try TestStore("b")]
    for store in stores { try store.file.announce() }
    try stores[0].file.setReplicaName("kitchen")
    try stores[0].file.setIdentity([1, 2, 3])
    try stores[0].file.setRole(.relay, of: stores[1].file.author.replica)
    try stores[0].send(to: stores[1])
    try stores[1].send(to: stores[0])
    try stores[1].file.retire(stores[0].file.author.replica)
    try stores[1].send(to: stores[0])
    let (a, b) = (stores[0].file.author.replica, stores[1].file.author.replica)
    for store in stores {
      let members = try store.file.members()
      #expect(members.map(\.replica) == [a, b].sorted())
      let first = try #require(members.first { $0.replica == a })
      #expect(first.name == "kitchen")
      #expect(first.identity == [1, 2, 3])
      #expect(first.role == .write)
      #expect(first.isRetired)
      let second = try #require(members.first { $0.replica == b })
      #expect(second.role == .relay)
      #expect(!second.isRetired)
    }
    try stores[0].file.readmit(a)
    #expect(try stores[0].file.members().allSatisfy { !$0.isRetired })
  }

  @Test func `who only wrote is a member too, and said again costs no changeset`() throws {
    let stores = [try TestStore("a"), try TestStore("b")]
    try stores[0].file.setReplicaName("kitchen")
    try stores[0].file.setReplicaName("kitchen")
    #expect(try stores[0].file.heads().map(\.sequence) == [SequenceNumber(1)])
    try stores[0].send(to: stores[1])
    #expect(try stores[1].file.members().map(\.replica) == [stores[0].file.author.replica])
  }

  @Test func `a restored replica calls its former incarnation over, a copied one is contradicted`()
    throws
  {
    let a = try TestStore("a")
    try a.file.announce()
    let former = a.file.author
    let path = TestFolder.path("copy")
    try a.file.backUp(to: path)
    let copy = try StoreFile.open(
      path, options: StoreOptions(wallClock: { [clock = a.clock] in clock.now }))
    defer { copy.close() }
    #expect(copy.author.replica == former.replica)
    #expect(try copy.announce())
    #expect(try copy.members().first?.hasEnded(former.incarnation) == true)
    #expect(try copy.members().first?.hasEnded(copy.author.incarnation) == false)
    // The original lives on, hears of it, and says so; the copy does not repeat itself.
    _ = try a.file.apply(
      copy.entries(lackedBy: a.file.holdings().stored, after: .start, limitBytes: 1 << 20).entries
        .map {
          IncomingChangeset(
            author: $0.id.author, sequence: $0.id.sequence, bytes: $0.bytes,
            expectedHash: $0.id.hash)
        })
    #expect(try a.file.announce())
    #expect(try a.file.members().first?.hasEnded(former.incarnation) == false)
    #expect(try a.file.members().first?.hasEnded(copy.author.incarnation) == true)
  }
}

/// The changesets that are taken of a replica, as far as the objects of replicas decide it.
@Suite struct `changesets of replicas that are known by their objects` {
  @Test func `issue 28.12: what one changeset says of its author counts for the next of a batch`()
    throws
  {
    let (a, b) = (try TestStore("a"), try TestStore("b"))
    let key = [UInt8](repeating: 7, count: 32)
    try a.create(1)
    try a.file.setIdentity(key)
    try a.create(2)
    let batch = try a.log().map(IncomingChangeset.init)
    var asked: [[UInt8]?] = []
    let trace = try b.file.traced {
      let outcomes = try b.file.apply(batch) { replica, identity in
        #expect(replica == a.file.author.replica)
        asked.append(identity)
        return identity == key ? .role : nil
      }
      guard case .applied = outcomes[0], case .applied = outcomes[1],
        case .overflowing(_, .role) = outcomes[2]
      else { throw TestFailure("\(outcomes)") }
    }
    #expect(asked == [nil, nil, key])
    #expect(trace.statements.count { $0 == "COMMIT" } == 1)
    #expect(try b.file.appliedVector()[a.file.author] == SequenceNumber(2))
  }
}
