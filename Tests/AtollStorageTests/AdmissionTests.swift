import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// Admissions to a store that has owners, as `protocol/owners.md` has them.
@Suite struct AdmissionTests {
  private let founder: TestStore
  private let a: TestStore
  private let b: TestStore
  private let relay: TestStore

  init() throws {
    founder = try TestStore("founder", storeID: nil, isOwned: true)
    let id = founder.file.storeID
    a = try TestStore("a", storeID: id)
    b = try TestStore("b", storeID: id)
    relay = try TestStore("relay", storeID: id)
  }

  // MARK: Helpers

  /// A changeset that a store's own client would not write, with the store's own seal.
  private func forged(
    by store: TestStore, _ declarations: [Declaration], _ operations: [Operation]
  ) throws -> IncomingChangeset {
    let author = Author(replica: store.file.author.replica, incarnation: Incarnation(77))
    let changeset = Changeset(
      author: author, sequence: .first, time: HybridTime(milliseconds: 1_000_000),
      declarations: declarations, operations: operations)
    let bytes = changeset.encoded()
    let hash = ChainHash.origin(of: author).following(bytes)
    let id = ChangesetID(author: author, sequence: .first, hash: hash)
    return IncomingChangeset(
      author: author, sequence: .first, bytes: bytes, expectedHash: hash,
      seal: try store.key.seal(id, in: store.file.storeID))
  }

  private func declaration(_ admission: Admission) -> Declaration {
    .class(
      ClassDeclaration(name: admission.className, isEmbedded: false, keyType: .string))
  }

  private func object(_ replica: ReplicaID, generation: Generation = .first) -> ObjectReference {
    ObjectReference(class: ClassNumber(0), key: .string("\(replica)"), generation: generation)
  }

  private func expectRefusal(
    _ changeset: IncomingChangeset, by store: TestStore, _ words: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try store.exported()
    let outcomes = try store.file.apply([changeset])
    guard case .refused(let reason)? = outcomes.first else {
      Issue.record("\(outcomes)", sourceLocation: sourceLocation)
      return
    }
    #expect(reason.contains(words), "\(reason)", sourceLocation: sourceLocation)
    #expect(try store.exported() == before, sourceLocation: sourceLocation)
  }

  // MARK: Who writes

  @Test func `a store's id is made of its founder, and says that it has owners`() throws {
    let id = founder.file.storeID
    #expect(id == StoreID(foundedBy: founder.file.author.replica))
    #expect(id.isOwned)
    #expect(try founder.file.isOwner)
    #expect(try founder.file.admissions().map(\.as) == [.owner])
    #expect(id != StoreID(foundedBy: a.file.author.replica))
    let drawn = try TestStore("drawn", storeID: nil)
    #expect(!drawn.file.storeID.isOwned)
    #expect(try drawn.file.admissions().isEmpty)
  }

  @Test func `changesets are taken once an owner has admitted their replica`() throws {
    try founder.create(1)
    try founder.send(to: a)
    try a.create(2)
    // A relay has all from the founder, and nothing from who is not admitted.
    try founder.send(to: relay)
    for store in [founder, relay, b] {
      let outcomes = try a.sendAsPeer(to: store)
      #expect(
        outcomes.last == .overflowing(retryAfter: Limits.declinedPause, because: .notAdmitted))
      #expect(try store.file.admission(of: a.file.author.replica) == nil)
    }
    #expect(try relay.exported() == founder.exported())
    // It goes on writing where it is, and all of it counts once it is admitted.
    try a.create(3)
    #expect(try founder.file.admit(a.file.author.replica, as: .writer))
    #expect(try !founder.file.admit(a.file.author.replica, as: .writer))
    try founder.send(to: relay)
    try a.sendAsPeer(to: relay)
    try relay.send(to: founder)
    try relay.send(to: b)
    try founder.send(to: a)
    for store in [relay, a, b] { #expect(try store.exported() == founder.exported()) }
    for store in [founder, relay, a, b] { #expect(try store.file.verify() == []) }
    #expect(
      try b.file.admissions().map(\.replica).sorted()
        == [a, founder].map(\.file.author.replica).sorted())
  }

  @Test func `an owner admits owners, and a writer nobody`() throws {
    let (first, second) = (a.file.author.replica, b.file.author.replica)
    #expect(throws: StorageError.self) { try a.file.admit(second, as: .writer) }
    try founder.file.admit(first, as: .writer)
    try founder.send(to: a)
    do throws(StorageError) {
      try a.file.admit(second, as: .writer)
      Issue.record("a writer admits")
    } catch {
      guard case .notOwner(_, _, let owners) = error else { throw error }
      #expect(owners == [founder.file.author.replica])
    }
    try founder.file.admit(first, as: .owner)
    try founder.send(to: a)
    try a.file.admit(second, as: .writer)
    try b.create(5)
    // In whatever order the three come.
    let orders: [[TestStore]] = [
      [founder, a, b], [b, a, founder], [a, founder, b], [a, b, founder],
    ]
    for (index, order) in orders.enumerated() {
      let fresh = try TestStore("order\(index)", storeID: founder.file.storeID)
      for _ in 0..<3 { for store in order { try store.sendAsPeer(to: fresh) } }
      #expect(try fresh.file.admission(of: second) == .writer)
      #expect(try fresh.file.admission(of: first) == .owner)
      let text = try fresh.exported()
      #expect(text.contains("\"Document\""))
      try fresh.send(to: relay)
      #expect(try relay.exported() == text)
    }
  }

  @Test func `a copy and a snapshot know who is admitted`() throws {
    try founder.file.admit(a.file.author.replica, as: .writer)
    let path = TestFolder.path("clone")
    let author = try founder.file.clone(to: path)
    let copy = try TestStore("clone", storeID: founder.file.storeID, path: path)
    #expect(copy.file.author.replica == author.replica)
    #expect(try copy.file.admission(of: a.file.author.replica) == .writer)
    #expect(try !copy.file.isOwner)
    try a.create(1)
    let outcomes = try a.sendAsPeer(to: copy)
    #expect(outcomes.filter { !$0.isKept }.isEmpty)
  }

  @Test func `nobody begins with a snapshot of who is not admitted`() throws {
    try founder.create(1)
    try founder.send(to: a)
    try a.create(2)
    try a.file.makeSnapshot()
    #expect(try a.file.snapshotOffer() == nil)
    #expect(try a.file.verify() == [])
    let making = try SnapshotMaking(of: a.file)
    while try !making.advance() {}
    // A peer that offers it all the same.
    let id = try #require(try a.file.snapshotOffer()).id
    func install(in store: TestStore) throws -> SnapshotOutcome {
      _ = try store.file.beginStaging(id)
      _ = try store.file.stage(a.file.snapshotPages(of: id, from: 0, count: 100), of: id)
      return try store.file.installSnapshot(id)
    }
    let late = try TestStore("late", storeID: founder.file.storeID)
    guard case .refused(let reason) = try install(in: late) else {
      Issue.record("a snapshot of who is not admitted was taken")
      return
    }
    #expect(reason.contains("\(a.file.author.replica)"))
    #expect(try late.exported() == relay.exported())
    // Once it is admitted, it offers one, which others take.
    try founder.file.admit(a.file.author.replica, as: .writer)
    try founder.send(to: a)
    try a.file.makeSnapshot()
    let offer = try #require(try a.file.snapshotOffer())
    _ = try late.file.beginStaging(offer.id)
    _ = try late.file.stage(
      a.file.snapshotPages(of: offer.id, from: 0, count: 100), of: offer.id)
    #expect(try late.file.installSnapshot(offer.id) == .installed)
    #expect(try late.exported() == a.exported())
    #expect(try late.file.admission(of: a.file.author.replica) == .writer)
  }

  // MARK: Attacks

  @Test func `who is no owner admits nobody, with whatever it signs`() throws {
    try founder.file.admit(a.file.author.replica, as: .writer)
    try founder.send(to: b)
    for (admission, replica) in [
      (Admission.writer, relay.file.author.replica), (.owner, a.file.author.replica),
    ] {
      let changeset = try forged(
        by: a, [declaration(admission)], [.data(.create(object(replica), []))])
      try expectRefusal(changeset, by: b, "an owner of the store")
      #expect(try b.file.admission(of: replica) != .owner)
    }
    // Nor does one who is not admitted at all.
    let changeset = try forged(
      by: relay, [declaration(.owner)],
      [.data(.create(object(relay.file.author.replica), []))])
    #expect(
      try b.file.apply([changeset])
        == [.overflowing(retryAfter: Limits.declinedPause, because: .notAdmitted)])
  }

  @Test func `an admission is made with a replica's key, and never changed`() throws {
    let replica = a.file.author.replica
    let declarations = [
      declaration(.writer),
      .property(
        PropertyDeclaration(
          owner: ClassNumber(0), name: "until", type: .int, collection: .none, target: nil)),
    ]
    func key(_ text: String) -> ObjectReference {
      ObjectReference(class: ClassNumber(0), key: .string(text), generation: .first)
    }
    let path = CellPath(object: object(replica), property: PropertyNumber(0))
    let field = CreatedField(
      property: PropertyNumber(0), value: .scalar(.int(1)), isAssigned: true)
    let operations: [DataOperation] = [
      .delete(object(replica, generation: Generation(2))), .assign(path, .scalar(.int(1))),
      .create(object(replica), [field]), .create(key("\(replica)".uppercased()), []),
      .create(key("all"), []),
    ]
    for operation in operations {
      // The founder itself, whose client has gone wrong.
      let changeset = try forged(by: founder, declarations, [.data(operation)])
      try expectRefusal(changeset, by: b, "to be made")
    }
  }

  @Test func `a store without owners admits nobody`() throws {
    let (one, other) = (try TestStore("one"), try TestStore("other"))
    let changeset = try forged(
      by: one, [declaration(.owner)], [.data(.create(object(one.file.author.replica), []))])
    try expectRefusal(changeset, by: other, "a store that has owners")
    #expect(throws: StorageError.self) {
      try other.file.admit(one.file.author.replica, as: .writer)
    }
  }

  @Test func `releases and retirements of others are an owner's`() throws {
    try founder.file.admit(a.file.author.replica, as: .writer)
    try founder.send(to: b)
    let other = Author(replica: founder.file.author.replica, incarnation: Incarnation(3))
    let release = try forged(
      by: a, [.author(other)], [.control(.release(AuthorNumber(1), through: .first))])
    try expectRefusal(release, by: b, "an owner of the store")
    let members: [Declaration] = [
      .class(ClassDeclaration(name: "atoll.Replica", isEmbedded: false, keyType: .string)),
      .property(
        PropertyDeclaration(
          owner: ClassNumber(0), name: "retired", type: .bool, collection: .none, target: nil)),
    ]
    let replica = founder.file.author.replica
    let field = CreatedField(
      property: PropertyNumber(0), value: .scalar(.bool(true)), isAssigned: true)
    let path = CellPath(object: object(replica), property: PropertyNumber(0))
    for operation in [
      DataOperation.create(object(replica), [field]), .assign(path, .scalar(.bool(true))),
    ] {
      let changeset = try forged(by: a, members, [.data(operation)])
      try expectRefusal(changeset, by: b, "an owner of the store")
    }
    // Of oneself anybody may say it.
    let own = try forged(
      by: a, members, [.data(.create(object(a.file.author.replica), [field]))])
    let outcomes = try b.file.apply([own])
    #expect(outcomes.filter { !$0.isKept }.isEmpty, "\(outcomes)")
    // And what may not be said is refused where it would be written.
    try founder.send(to: a)
    #expect(throws: StorageError.self) { try a.file.retire(replica) }
    try founder.file.retire(a.file.author.replica)
  }

  @Test func `models have no class of the file's own`() throws {
    let text = PropertySchema(name: "id", type: .string)
    for (name, properties) in [
      ("atoll.Owner", [text, PropertySchema(name: "until", type: .int)]), ("atoll.Other", [text]),
    ] {
      #expect(throws: StorageError.self) {
        try a.file.adopt([ClassSchema(name: name, primaryKey: "id", properties: properties)])
      }
    }
    let stored = try founder.file.adopt([
      ClassSchema(name: "atoll.Writer", primaryKey: "id", properties: [text])
    ])
    let id = try #require(stored.first?.id)
    #expect(throws: StorageError.self) {
      try founder.write { _ = try $0.file.create(id, key: .string("me"), fields: []) }
    }
    let other = try #require(
      try a.file.adopt([
        ClassSchema(name: "atoll.Owner", primaryKey: "id", properties: [text])
      ]).first?.id)
    let own = PersistedValue.string("\(a.file.author.replica)")
    #expect(throws: StorageError.self) {
      try a.write { _ = try $0.file.create(other, key: own, fields: []) }
    }
    try founder.file.admit(a.file.author.replica, as: .writer)
    let row = try #require(try founder.file.find(id, key: .string("\(a.file.author.replica)")))
    #expect(throws: StorageError.self) { try founder.write { try $0.file.delete(id, id: row) } }
    #expect(try founder.file.admission(of: a.file.author.replica) == .writer)
  }
}
