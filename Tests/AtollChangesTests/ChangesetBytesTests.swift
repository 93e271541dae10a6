import AtollChanges
import AtollVocabulary
import TestKit
import Testing

@Suite struct ChangesetBytesTests {
  @Test func `what was encoded is decoded`() throws {
    let bytes = Samples.everything.encoded()
    #expect(try Changeset(decoding: bytes, author: Samples.author) == Samples.everything)
  }

  @Test func `2,000 random changesets come back equal, and as the same bytes`() throws {
    var random = SeededRandom.announced("round trip")
    for round in 0..<2_000 {
      let changeset = random.changeset()
      let bytes = changeset.encoded()
      let decoded = try Changeset(decoding: bytes, author: changeset.author)
      #expect(decoded == changeset, "seed \(random.seed), round \(round)")
      #expect(decoded.encoded() == bytes, "seed \(random.seed), round \(round)")
    }
  }

  @Test func `an assignment to an integer property takes 24 bytes with its changeset`() {
    let object = ObjectReference(class: ClassNumber(0), key: .int(1000), generation: .first)
    let edit = Samples.changeset(
      [.assign(CellPath(object: object, property: Samples.elevation), .scalar(.int(5)))],
      sequence: 1000)
    #expect(edit.encoded().count == 22)
  }

  @Test func `an operation on the object of the one before says nothing of it`() {
    let one = DataOperation.assign(Samples.path(Samples.elevation), .scalar(.int(5)))
    let size = Samples.changeset([one]).encoded().count
    #expect(Samples.changeset([one, one]).encoded().count == size + 4)
  }

  @Test(arguments: [
    (DataOperation.insertMember(Samples.path(Samples.labels), .scalar(.int(5))), 4),
    (.assignEntry(Samples.path(Samples.scores), key: "key", .scalar(.int(5))), 8),
    (.removeEntry(Samples.path(Samples.scores), key: "key"), 6),
    (.assign(Samples.path(Samples.any), .collection(.list)), 4),
    (
      .assignEntry(
        Samples.path(Samples.any, nested: .slot(instance: Samples.own)), key: "key",
        .scalar(.int(5))), 13
    ),
    (
      .remove(
        Samples.path(
          Samples.anyList, nested: .element(Samples.element(0, 7, 0), instance: Samples.own)),
        Samples.element(0, 7, 1)), 13
    ),
  ])
  func `one more operation in a collection takes a few bytes`(
    operation: DataOperation, bytes: Int
  ) {
    let size = Samples.changeset([operation]).encoded().count
    #expect(Samples.changeset([operation, operation]).encoded().count == size + bytes)
  }

  @Test func `fields and dependencies in any order give the same bytes`() {
    let fields = [
      Samples.field(Samples.name, .scalar(.null), true),
      Samples.field(Samples.elevation, .scalar(.int(1)), false),
    ]
    let ascending = Samples.changeset([.create(Samples.airport("A"), fields)])
    let descending = Samples.changeset([.create(Samples.airport("A"), fields.reversed())])
    #expect(ascending.encoded() == descending.encoded())
  }

  @Test func `every truncation is an error`() {
    let bytes = Samples.everything.encoded()
    for count in bytes.indices {
      #expect(throws: ChangesetError.self, "the first \(count) bytes") {
        try Changeset(decoding: Array(bytes[..<count]), author: Samples.author)
      }
    }
  }

  @Test func `every flipped byte is an error or has another hash and the same bytes again`() {
    let bytes = Samples.everything.encoded()
    let origin = ChainHash.origin(of: Samples.author)
    let hash = origin.following(bytes)
    for place in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[place] ^= 1 << bit
        guard let decoded = try? Changeset(decoding: flipped, author: Samples.author) else {
          continue
        }
        #expect(decoded.encoded() == flipped, "byte \(place), bit \(bit)")
        #expect(decoded != Samples.everything, "byte \(place), bit \(bit)")
        #expect(origin.following(flipped) != hash, "byte \(place), bit \(bit)")
      }
    }
  }

  @Test func `10,000 random byte strings and 10,000 damaged changesets never trap`() {
    var random = SeededRandom.announced("garbage")
    for _ in 0..<10_000 {
      let header: [UInt8] = random.chance(1, of: 2) ? [1, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0] : []
      let noise = (0..<random.below(200)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      checkDecoding(header + noise, seed: random.seed)

      var damaged = random.changeset().encoded()
      for _ in 0...random.below(4) {
        damaged[random.below(damaged.count)] = UInt8(truncatingIfNeeded: random.next())
      }
      checkDecoding(damaged, seed: random.seed)
    }
  }

  /// Decodes, and where that succeeds also admits and encodes.
  private func checkDecoding(_ bytes: [UInt8], seed: UInt64) {
    guard let changeset = try? Changeset(decoding: bytes, author: Samples.author) else { return }
    #expect(changeset.encoded() == bytes, "seed \(seed)")
    var table = DeclarationTable(author: Samples.author)
    try? table.adopt(Samples.declarations)
    try? table.admit(changeset)
  }

  @Test func `a reader gives the operations one by one and then nil`() throws {
    var reader = try ChangesetReader(Samples.everything.encoded(), author: Samples.author)
    #expect(reader.operationCount == Samples.everything.operations.count)
    var operations: [AtollChanges.Operation] = []
    while let operation = try reader.next() { operations.append(operation) }
    #expect(operations == Samples.everything.operations)
    #expect(try reader.next() == nil)
  }
}
