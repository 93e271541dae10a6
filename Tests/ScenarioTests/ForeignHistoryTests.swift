import AtollChanges
import AtollStorage
import AtollVocabulary
import TestKit
import Testing

/// Histories that no build of ours writes.
///
/// They operate on any cell through any instance, most of which are not held. Whatever a table admits
/// must come out alike in every order, and trap nowhere.
@Suite struct ForeignHistoryTests {
  @Test func `whatever a table admits comes out alike in every order`() throws {
    var random = SeededRandom.announced("foreign histories")
    var changed = 0
    for round in 0..<30 {
      var base = ForeignWriter(number: 0, base: nil)
      let start = base.start()
      let writers = (1...2).map { number in
        var writer = ForeignWriter(number: UInt64(number), base: base)
        return (0..<3).map { _ in writer.changeset(&random) }
      }
      let peers = try ["A", "B", "C"].map { try Peer($0, in: nil) }
      for peer in peers {
        peer.clock.set(secondsAfterStart: 3600)
        var waiting = writers
        try apply(start, to: peer)
        while let place = waiting.indices.filter({ !waiting[$0].isEmpty })
          .randomElement(using: &random)
        {
          try apply(waiting[place].removeFirst(), to: peer)
        }
      }
      if try peers[0].shows("anyDict") != "{k: {}}" { changed += 1 }
      let comment: Comment = "seed \(random.seed), round \(round)"
      let (export, digest) = (try peers[0].export(), try peers[0].store.digest())
      for peer in peers {
        #expect(try peer.export() == export, comment)
        #expect(try peer.store.digest() == digest, comment)
        #expect(try peer.store.verify() == [], comment)
      }
    }
    #expect(changed > 5, "hardly anything was held, seed \(random.seed)")
  }

  private func apply(_ changeset: Changeset, to peer: Peer) throws {
    let outcome = try peer.store.apply([
      IncomingChangeset(
        author: changeset.author, sequence: changeset.sequence, bytes: changeset.encoded(),
        expectedHash: nil)
    ]).first
    guard case .applied = outcome else {
      Issue.record("\(String(describing: outcome)) to \(changeset.lines)")
      return
    }
  }
}

/// An author that refers to its own cells and to those of the base, at random.
private struct ForeignWriter {
  let author: Author
  private var sequence: UInt64 = 0
  private var time = HybridTime(milliseconds: 1_700_000_000_000)
  private var table: DeclarationTable
  private var declarations: [Declaration]
  private var stamps: [StampReference] = []
  private var elements: [ElementReference] = []
  /// Stamps and elements again, by the property of the object itself that they were made in.
  private var madeIn: [PropertyNumber: [(stamp: StampReference, element: ElementReference)]] = [:]
  private var operations: [DataOperation] = []
  private var position: PositionKey?

  private static let model: [Declaration] =
    [
      .class(ClassDeclaration(name: "Document", isEmbedded: false, keyType: .int)),
      .class(ClassDeclaration(name: "Pair", isEmbedded: true, keyType: .identity)),
      .class(ClassDeclaration(name: "Item", isEmbedded: true, keyType: .identity)),
    ]
    + [
      property(0, "n", .int), property(0, "any", .any), property(0, "anys", .any, .list),
      property(0, "anyDict", .any, .map), property(0, "anySet", .any, .set),
      property(0, "dict", .int, .map), property(0, "em", .embedded, .map, target: 1),
      property(0, "es", .embedded, .list, target: 2), property(0, "one", .embedded, target: 1),
      property(1, "v", .int), property(2, "v", .int), property(2, "inner", .int, .list),
    ]

  private static func property(
    _ owner: UInt32, _ name: String, _ type: PersistedType, _ collection: CollectionKind = .none,
    target: UInt32? = nil
  ) -> Declaration {
    .property(
      PropertyDeclaration(
        owner: ClassNumber(owner), name: name, type: type, collection: collection,
        target: target.map { ClassNumber($0) }))
  }

  init(number: UInt64, base: ForeignWriter?) {
    author = Author(
      replica: ReplicaID(high: 0xF000_0000_0000_0000, low: number), incarnation: Incarnation(1))
    table = DeclarationTable(author: author)
    declarations = Self.model + (base.map { [.author($0.author)] } ?? [])
    guard let base else { return }
    time = HybridTime(milliseconds: base.time.milliseconds + number)
    stamps = base.stamps.map(Self.foreign)
    elements = base.elements.map(Self.foreign)
    madeIn = base.madeIn.mapValues { $0.map { (Self.foreign($0.stamp), Self.foreign($0.element)) } }
  }

  private static func foreign(_ stamp: StampReference) -> StampReference {
    StampReference(time: stamp.time, author: AuthorNumber(1), index: stamp.index)
  }

  private static func foreign(_ element: ElementReference) -> ElementReference {
    ElementReference(author: AuthorNumber(1), sequence: element.sequence, index: element.index)
  }

  /// A document in which every slot of any type holds something, and every collection an element.
  mutating func start() -> Changeset {
    begin()
    write(.create(document, []))
    write(.assign(path(1), .collection(.list)))
    var nested = path(1)
    nested.nested = [.slot(instance: stamps[1])]
    write(.insert(nested, at: nextKey(), .collection(.map)))
    write(.insert(path(2), at: nextKey(), .collection(.list)))
    write(.assignEntry(path(3), key: "k", .collection(.map)))
    write(.assignEntry(path(6), key: "k", .embedded([])))
    write(.insert(path(7), at: nextKey(), .embedded([])))
    write(.assign(path(8), .embedded([])))
    return end()
  }

  mutating func changeset(_ random: inout SeededRandom) -> Changeset {
    begin()
    write(.assign(path(0), .scalar(.int(1))))
    for _ in 0..<30 { write(operation(&random)) }
    return end()
  }

  private mutating func begin() {
    sequence += 1
    time = HybridTime(milliseconds: time.milliseconds + 3)
    operations = []
    try? table.adopt(declarations)
  }

  /// Keeps an operation that a table admits.
  private mutating func write(_ operation: DataOperation) {
    let index = UInt32(operations.count)
    guard
      (try? table.validate(
        .data(operation), index: index, sequence: SequenceNumber(sequence), time: time)) != nil
    else { return }
    operations.append(operation)
    let stamp = StampReference(time: time, author: .ownself, index: index)
    let element = ElementReference(
      author: .ownself, sequence: SequenceNumber(sequence), index: index)
    stamps.append(stamp)
    if case .insert = operation { elements.append(element) }
    guard let property = Self.ownProperty(of: operation) else { return }
    madeIn[property, default: []].append((stamp, element))
  }

  /// The property that an operation gives a value, unless it is inside something.
  private static func ownProperty(of operation: DataOperation) -> PropertyNumber? {
    switch operation {
    case .assign(let path, _), .insert(let path, _, _), .assignEntry(let path, _, _):
      path.steps.isEmpty && path.nested.isEmpty ? path.property : nil
    case .create, .delete, .increment, .assignElement, .move, .remove, .clear, .insertMember,
      .removeMember, .removeEntry:
      nil
    }
  }

  private mutating func end() -> Changeset {
    defer { declarations = [] }
    return Changeset(
      author: author, sequence: SequenceNumber(sequence), time: time, declarations: declarations,
      data: operations)
  }

  // MARK: What it writes

  private let document = ObjectReference(class: ClassNumber(0), key: .int(1), generation: .first)

  private func path(_ property: UInt32) -> CellPath {
    CellPath(object: document, property: PropertyNumber(property))
  }

  private mutating func nextKey() -> PositionKey {
    let key = PositionKey.between(position, nil, author: author)
    position = key
    return key
  }

  private mutating func operation(_ random: inout SeededRandom) -> DataOperation {
    let path = somePath(&random)
    let element = made(in: path.property.rawValue, &random).element
    let key = random.chance(2, of: 3) ? "k" : "l"
    switch random.below(10) {
    case 0, 1: return .assign(path, value(&random))
    case 2, 3: return .insert(path, at: nextKey(), value(&random))
    case 4: return .assignElement(path, element, value(&random))
    case 5: return .move(path, element, to: nextKey())
    case 6:
      return random.chance(1, of: 2) ? .remove(path, element) : .clear(path, [element])
    case 7: return .insertMember(path, value(&random))
    case 8: return .removeEntry(path, key: key)
    default: return .assignEntry(path, key: key, value(&random))
    }
  }

  /// Returns an instance that was put into a property of the object, mostly; or any one.
  private func made(
    in property: UInt32, _ random: inout SeededRandom
  ) -> (stamp: StampReference, element: ElementReference) {
    guard random.chance(4, of: 5), let known = madeIn[PropertyNumber(property)], !known.isEmpty
    else { return (stamps[random.below(stamps.count)], elements[random.below(elements.count)]) }
    return known[random.below(known.count)]
  }

  private func somePath(_ random: inout SeededRandom) -> CellPath {
    var path = path(UInt32(random.below(12)))
    let number = path.property.rawValue
    switch number {
    case 1 where random.chance(4, of: 5):
      path.nested = [.slot(instance: made(in: number, &random).stamp)]
    case 2 where random.chance(4, of: 5):
      let made = made(in: number, &random)
      path.nested = [.element(made.element, instance: made.stamp)]
    case 3 where random.chance(4, of: 5):
      path.nested = [.entry(key: "k", instance: made(in: number, &random).stamp)]
    case 9:
      path.steps = [
        random.chance(1, of: 2)
          ? .slot(PropertyNumber(8), instance: made(in: 8, &random).stamp)
          : .entry(PropertyNumber(6), key: "k", instance: made(in: 6, &random).stamp)
      ]
    case 10, 11:
      let made = made(in: 7, &random)
      path.steps = [.element(PropertyNumber(7), made.element, instance: made.stamp)]
    default: break
    }
    if !path.nested.isEmpty, random.chance(1, of: 3) {
      let made = made(in: UInt32.max, &random)
      path.nested.append(
        random.chance(1, of: 2)
          ? .element(made.element, instance: made.stamp)
          : .entry(key: "k", instance: made.stamp))
    }
    return path
  }

  private func value(_ random: inout SeededRandom) -> FieldValue {
    switch random.below(6) {
    case 0, 1: .collection(random.chance(1, of: 2) ? .list : .map)
    case 2: .embedded([])
    case 3: .scalar(.null)
    default: .scalar(.int(Int64(random.below(4))))
    }
  }
}
