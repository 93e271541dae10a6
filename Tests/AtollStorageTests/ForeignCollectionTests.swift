import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// Changesets of a peer that this build would not have written in this order, or not at all.
@Suite struct `collections in changesets from elsewhere` {
  private let store: TestStore
  private let author = Author(
    replica: ReplicaID(high: 7, low: 7), incarnation: Incarnation(1))
  private let page = ObjectReference(class: ClassNumber(0), key: .int(1), generation: .first)
  private let target = ObjectReference(class: ClassNumber(1), key: .string("T"), generation: .first)

  init() throws { store = try TestStore("a", model: CollectionModel.all) }

  /// Page and Target, and Page's `friends`, `people`, `any`, `anys`, `anySet` and `anyMap`, as 0 to 5.
  private static let declarations: [Declaration] =
    [
      .class(ClassDeclaration(name: "Page", isEmbedded: false, keyType: .int)),
      .class(ClassDeclaration(name: "Target", isEmbedded: false, keyType: .string)),
    ]
    + ([
      ("friends", .link, .set), ("people", .link, .map), ("any", .any, .none),
      ("anys", .any, .list), ("anySet", .any, .set), ("anyMap", .any, .map),
    ] as [(String, PersistedType, CollectionKind)]).map { name, type, collection in
      .property(
        PropertyDeclaration(
          owner: ClassNumber(0), name: name, type: type, collection: collection,
          target: type == .link ? ClassNumber(1) : nil))
    }

  private func path(_ property: UInt32, _ nested: [NestedStep] = []) -> CellPath {
    CellPath(object: page, property: PropertyNumber(property), nested: nested)
  }

  private func time(_ sequence: UInt64) -> HybridTime {
    HybridTime(rawValue: (1_000_000 + sequence) << 16)
  }

  private func apply(_ sequence: UInt64, _ operations: [DataOperation]) throws {
    var encoder = ChangesetEncoder(
      author: author, sequence: SequenceNumber(sequence), time: time(sequence))
    for operation in operations { encoder.append(operation) }
    let bytes = encoder.finish(declarations: sequence == 1 ? Self.declarations : [])
    let outcomes = try store.file.apply([
      IncomingChangeset(author: author, sequence: SequenceNumber(sequence), bytes: bytes)
    ])
    guard case .applied? = outcomes.first else {
      throw TestFailure("not applied: \(outcomes)")
    }
  }

  private func stamp(_ sequence: UInt64, _ index: UInt32) -> StampReference {
    StampReference(time: time(sequence), author: .ownself, index: index)
  }

  @Test func `scenario 30 links that precede their target are nil or hidden until it arrives`()
    throws
  {
    try apply(
      1,
      [
        .create(page, []),
        .insertMember(path(0), .link(target)),
        .assignEntry(path(1), key: "k", .link(target)),
        .assign(path(2), .link(target)),
        .insert(path(3), at: .between(nil, nil, author: author), .link(target)),
        .insertMember(path(4), .link(target)),
        .assignEntry(path(5), key: "k", .link(target)),
      ])
    #expect(
      try store.exported()
        == #"{"class":"Page","key":1,"any":null,"anyMap":{"k":null},"anySet":[],"anys":[null],"#
        + #""friends":[],"people":{"k":null}}"# + "\n")
    #expect(try store.members("friends").isEmpty)
    #expect(try store.members("anySet").isEmpty)
    #expect(
      try store.elements(store.path("anys")).map(\.value) == [.scalar(.null)])
    try apply(2, [.create(target, [])])
    let link = StoredElement.Value.link(
      store["Target"].id,
      try #require(try store.file.find(store["Target"].id, key: .string("T"))))
    #expect(try store.members("friends") == [link])
    #expect(try store.members("anySet") == [link])
    #expect(try store.elements(store.path("anys")).map(\.value) == [link])
    #expect(try store.entries("people").map(\.element.value) == [link])
    #expect(try store.entries("anyMap").map(\.element.value) == [link])
    #expect(try store.file.verify() == [])
  }

  @Test func `an operation for another kind of collection than is held changes nothing`() throws {
    try apply(
      1,
      [
        .create(page, []),
        .assign(path(2), .collection(.map)),
        .assignEntry(path(2, [.slot(instance: stamp(1, 1))]), key: "k", .collection(.list)),
      ])
    let text = try store.exported()
    let element = ElementReference(author: .ownself, sequence: SequenceNumber(1), index: 1)
    let root = path(2, [.slot(instance: stamp(1, 1))])
    let wrong = path(2, [.slot(instance: stamp(1, 2))])
    let inner = path(2, root.nested + [.entry(key: "k", instance: stamp(1, 2))])
    let position = PositionKey.between(nil, nil, author: author)
    try apply(
      2,
      [
        .insert(root, at: position, .scalar(.int(1))),
        .assignElement(root, element, .scalar(.int(1))),
        .move(root, element, to: position),
        .remove(root, element),
        .clear(root, [element]),
        .assignEntry(wrong, key: "x", .scalar(.int(1))),
        .assignEntry(inner, key: "x", .scalar(.int(1))),
        .removeEntry(inner, key: "x"),
        .assignEntry(
          path(2, root.nested + [.entry(key: "none", instance: stamp(1, 2))]), key: "x",
          .scalar(.int(1))),
        .insert(
          path(2, root.nested + [.element(element, instance: stamp(1, 2))]), at: position,
          .scalar(.int(1))),
      ])
    #expect(try store.exported() == text)
    #expect(text.contains(#""any":{"k":[]}"#))
    try apply(3, [.insert(inner, at: position, .scalar(.int(1)))])
    #expect(try store.exported().contains(#""any":{"k":[1]}"#))
    #expect(try store.file.verify() == [])
  }

  @Test func `what was removed before it was ever there stays out of an earlier insertion`() throws
  {
    try apply(
      1,
      [
        .create(page, []), .removeMember(path(4), .scalar(.int(5))),
        .removeEntry(path(5), key: "k"),
      ])
    #expect(try store.members("anySet").isEmpty)
    #expect(try store.entries("anyMap").isEmpty)
    // The same again, later: what counts is the stamp.
    try apply(
      2,
      [
        .insertMember(path(4), .scalar(.int(5))),
        .assignEntry(path(5), key: "k", .scalar(.int(1))),
      ])
    #expect(try store.members("anySet") == [.scalar(.int(5))])
    #expect(try store.entries("anyMap").count == 1)
    #expect(try store.file.verify() == [])
  }

  @Test func `every flipped byte is refused, waits, or is another history, never a trap`() throws {
    var encoder = ChangesetEncoder(author: author, sequence: .first, time: time(1))
    let position = PositionKey.between(nil, nil, author: author)
    for operation: DataOperation in [
      .create(page, []), .assign(path(2), .collection(.list)),
      .insert(path(2, [.slot(instance: stamp(1, 1))]), at: position, .collection(.map)),
      .insertMember(path(0), .link(target)), .assignEntry(path(5), key: "k", .scalar(.int(1))),
      .removeEntry(path(5), key: "k"), .removeMember(path(4), .scalar(.string("x"))),
    ] { encoder.append(operation) }
    let bytes = encoder.finish(declarations: Self.declarations)
    for place in bytes.indices {
      for bit in [0, 3, 7] {
        var changed = bytes
        changed[place] ^= 1 << UInt8(bit)
        let store = try TestStoreInMemory()
        _ = try store.file.apply([
          IncomingChangeset(author: author, sequence: .first, bytes: changed)
        ])
        _ = try store.file.digest()
      }
    }
  }
}

/// A store that leaves nothing on disk.
private struct TestStoreInMemory {
  let file: StoreFile

  init() throws {
    file = try StoreFile.open(
      StoreFile.inMemory,
      options: StoreOptions(
        storeID: StoreID(high: 1, low: 1), wallClock: { WallTime(milliseconds: 1_000_000) }))
  }
}
