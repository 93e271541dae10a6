import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// The statements of others about a replica, and the key that it showed itself.
@Suite struct `hostile words of a replica` {
  private let a: TestStore
  private let b: TestStore
  private let stranger = Author(replica: ReplicaID(high: 6, low: 6), incarnation: Incarnation(6))

  init() throws { (a, b) = (try TestStore("a"), try TestStore("b")) }

  /// A changeset in which somebody says something of a replica.
  private func saying(
    _ operations: [DataOperation], after others: [Declaration] = []
  ) -> IncomingChangeset {
    let property = { (name: String, type: PersistedType, collection: CollectionKind) in
      Declaration.property(
        PropertyDeclaration(
          owner: ClassNumber(0), name: name, type: type, collection: collection, target: nil))
    }
    let changeset = Changeset(
      author: stranger, sequence: .first, time: HybridTime(milliseconds: 1_000_000),
      declarations: [
        .class(ClassDeclaration(name: "atoll.Replica", isEmbedded: false, keyType: .string)),
        property("identity", .data, .none), property("name", .string, .none),
        property("lives", .string, .map), property("retired", .bool, .none),
        property("role", .string, .none),
      ] + others, data: operations)
    return IncomingChangeset(author: stranger, sequence: .first, bytes: changeset.encoded())
  }

  private func object(_ replica: ReplicaID, _ generation: Generation = .first) -> ObjectReference {
    ObjectReference(class: ClassNumber(0), key: .string("\(replica)"), generation: generation)
  }

  private func path(_ property: UInt32) -> CellPath {
    CellPath(object: object(a.file.author.replica), property: PropertyNumber(property))
  }

  @Test func `issue 28.13: a replica's key, name and lives are said by its own changesets alone`()
    throws
  {
    let replica = a.file.author.replica
    let field = { (property: UInt32, value: PersistedValue) in
      CreatedField(property: PropertyNumber(property), value: .scalar(value), isAssigned: true)
    }
    let forged: [DataOperation] = [
      .create(object(replica), [field(0, .data([1]))]),
      .create(object(replica), [field(1, .string("me"))]),
      .assign(path(0), .scalar(.data([1]))), .assign(path(1), .scalar(.string("me"))),
      .assignEntry(path(2), key: "0000000000000001", .scalar(.string("ended"))),
      .removeEntry(path(2), key: "0000000000000001"), .delete(object(replica, Generation(2))),
    ]
    for operation in forged {
      let outcomes = try b.file.apply([saying([operation])])
      guard case .refused(let reason)? = outcomes.first else {
        Issue.record("\(operation): \(outcomes)")
        continue
      }
      #expect(reason.contains("of another replica"))
    }
    #expect(try b.file.members().isEmpty)
    // That nobody waits for it, and what it is there for, anybody may say, and all of oneself.
    let own = object(stranger.replica)
    let outcomes = try b.file.apply([
      saying([
        .create(object(replica), [field(3, .bool(true)), field(4, .string("relay"))]),
        .create(own, [field(0, .data([1])), field(1, .string("me"))]),
      ])
    ])
    guard case .applied? = outcomes.first else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(try b.file.members().map(\.isRetired).contains(true))
  }

  @Test func `a class of the same name with other keys does not hide the one of replicas`() throws {
    let replica = a.file.author.replica
    let twin = Declaration.class(
      ClassDeclaration(name: "atoll.Replica", isEmbedded: false, keyType: .int))
    let outcomes = try b.file.apply([
      saying([.delete(object(replica, Generation(2)))], after: [twin])
    ])
    guard case .refused(let reason)? = outcomes.first else {
      Issue.record("\(outcomes)")
      return
    }
    #expect(reason.contains("of another replica"))
  }

  @Test func `issue 28.13: the first key of a replica stays until its node goes from the roster`()
    throws
  {
    let identities = try [1, 2].map { number in
      try #require(NodeIdentity(bytes: [UInt8](repeating: number, count: 32)))
    }
    let replica = a.file.author.replica
    try b.file.pin(replica, to: identities[0])
    try b.file.pin(replica, to: identities[1])
    #expect(try b.file.pinnedIdentities() == [replica: identities[0]])
    try b.file.revoke(identities[1])
    #expect(try b.file.pinnedIdentities() == [replica: identities[0]])
    try b.file.revoke(identities[0])
    #expect(try b.file.pinnedIdentities().isEmpty)
  }
}
