import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// Changesets that are well-formed and that no build of ours writes: what does not fit the instance
/// that is held is dropped, and the rest stays.
@Suite struct ForeignCollectionTests {
  private static let author = Author(
    replica: ReplicaID(high: 0xF000_0000_0000_0000, low: 1), incarnation: Incarnation(1))
  private static let time = HybridTime(milliseconds: 1_700_000_000_000)
  private static let document = ObjectReference(
    class: ClassNumber(0), key: .int(1), generation: .first)
  private static let any = PropertyNumber(0)
  private static let key = PositionKey.between(nil, nil, author: author)

  private static func own(_ index: UInt32) -> StampReference {
    StampReference(time: time, author: .ownself, index: index)
  }

  private static func element(_ index: UInt32) -> ElementReference {
    ElementReference(author: .ownself, sequence: .first, index: index)
  }

  private static func slot(_ steps: NestedStep...) -> CellPath {
    CellPath(object: document, property: any, nested: steps)
  }

  /// Returns a peer's form of `any` after a document was created and then these operations.
  private func shown(_ operations: [DataOperation]) throws -> String {
    let changeset = Changeset(
      author: Self.author, sequence: .first, time: Self.time,
      declarations: [
        .class(ClassDeclaration(name: "Document", isEmbedded: false, keyType: .int)),
        .property(
          PropertyDeclaration(owner: ClassNumber(0), name: "any", type: .any, collection: .none)),
      ], data: [.create(Self.document, [])] + operations)
    let peer = try Peer("A", in: nil)
    peer.clock.set(secondsAfterStart: 3600)
    let outcome = try peer.store.apply([
      IncomingChangeset(
        author: Self.author, sequence: .first, bytes: changeset.encoded(), expectedHash: nil)
    ]).first
    guard case .applied = outcome else {
      Issue.record("\(String(describing: outcome))")
      return ""
    }
    #expect(try peer.store.verify() == [])
    return try peer.shows("any")
  }

  @Test func `operations on lists do not count in a map, nor those on maps in a list`() throws {
    let inside = Self.slot(.slot(instance: Self.own(1)))
    let onLists: [DataOperation] = [
      .insert(inside, at: Self.key, .scalar(.int(5))),
      .assignElement(inside, Self.element(0), .scalar(.int(6))),
      .move(inside, Self.element(0), to: Self.key), .remove(inside, Self.element(0)),
      .clear(inside, [Self.element(0)]),
    ]
    let onMaps: [DataOperation] = [
      .assignEntry(inside, key: "k", .scalar(.int(7))), .removeEntry(inside, key: "j"),
    ]
    let map = DataOperation.assign(Self.slot(), .collection(.map))
    let list = DataOperation.assign(Self.slot(), .collection(.list))
    #expect(try shown([map] + onMaps + onLists) == "{k: 7}")
    #expect(try shown([list] + [onLists[0]] + onMaps) == "[5]")
  }

  @Test func `a step into a scalar, or into another instance, leads nowhere`() throws {
    let edit = DataOperation.assignEntry(
      Self.slot(.slot(instance: Self.own(1))), key: "k", .scalar(.int(7)))
    #expect(try shown([.assign(Self.slot(), .scalar(.int(3))), edit]) == "3")
    #expect(
      try shown([
        .assign(Self.slot(), .collection(.map)), .assign(Self.slot(), .collection(.map)), edit,
      ]) == "{}")
    #expect(try shown([.delete(deleted), .create(reborn, []), edit]) == "nil")
  }

  @Test func `a step into an element or entry that is not there leads nowhere`() throws {
    let map = DataOperation.assign(Self.slot(), .collection(.map))
    let list = DataOperation.assign(Self.slot(), .collection(.list))
    let inside = Self.slot(.slot(instance: Self.own(1)))
    for step: NestedStep in [
      .entry(key: "none", instance: Self.own(2)), .entry(key: "k", instance: Self.own(0)),
      .element(Self.element(0), instance: Self.own(2)),
    ] {
      var path = inside
      path.nested.append(step)
      let edits: [DataOperation] = [
        .insert(path, at: Self.key, .scalar(.int(1))), .removeEntry(path, key: "x"),
        .assignEntry(path, key: "x", .collection(.list)),
      ]
      #expect(
        try shown([map, .assignEntry(inside, key: "k", .collection(.map))] + edits) == "{k: {}}")
      #expect(try shown([list, .insert(inside, at: Self.key, .scalar(.int(9)))] + edits) == "[9]")
    }
  }

  private var deleted: ObjectReference {
    ObjectReference(class: ClassNumber(0), key: .int(1), generation: Generation(2))
  }

  private var reborn: ObjectReference {
    ObjectReference(class: ClassNumber(0), key: .int(1), generation: Generation(3))
  }
}
