import AtollChanges
import AtollQuery
import AtollStorage
import AtollVocabulary
import Testing

/// Random writes on one file, of every kind there is.
struct RandomWriter {
  var random: SeededGenerator

  mutating func write(_ store: TestStore) throws {
    store.clock.now.milliseconds += Int64.random(in: -20...40, using: &random)
    try store.file.beginWrite()
    for _ in 0..<Int.random(in: 1...4, using: &random) { try operate(store) }
    try store.file.commitWrite()
    try store.checkDigests()
  }

  private mutating func operate(_ store: TestStore) throws {
    let document = store["Document"]
    let key = PersistedValue.int(Int64.random(in: 1...3, using: &random))
    let target = try someTarget(store)
    guard let id = try store.file.find(document.id, key: key) else {
      _ = try store.file.create(document.id, key: key, fields: fields(store, target))
      return
    }
    switch Int.random(in: 0..<23, using: &random) {
    case 20...: try editNote(store)
    case 0: try store.file.delete(document.id, id: id)
    case 1:
      if let target { try store.file.delete(store["Target"].id, id: target) }
    case 2...4:
      let name = ["n", "m", "nn"].randomElement(using: &random) ?? "n"
      try store.file.assign(document.id, id: id, path(store, name), number())
    case 5, 6: try increment(store, id, path(store, "n"))
    case 7:
      let value = target.map { NewValue.link(store["Target"].id, $0) } ?? .scalar(.null)
      try store.file.assign(document.id, id: id, path(store, "link"), value)
    case 8:
      let isNil = Bool.random(using: &random)
      try store.file.assign(
        document.id, id: id, path(store, "one"), isNil ? .scalar(.null) : one(store))
    case 9, 10: try editInside(store, id)
    case 11...15: try editList(store, id, path(store, "items"), number())
    case 16:
      if let target {
        try editList(store, id, path(store, "links"), .link(store["Target"].id, target))
      }
    case _: try editEmbeddedList(store, id)
    }
  }

  private mutating func someTarget(_ store: TestStore) throws -> RowID? {
    let key = PersistedValue.string("T\(Int.random(in: 1...3, using: &random))")
    if let id = try store.file.find(store["Target"].id, key: key) { return id }
    guard Bool.random(using: &random) else { return nil }
    return try store.file.create(
      store["Target"].id, key: key,
      fields: [
        NewField(
          store.property("Target", "title")[0], .scalar(.string("t")),
          isAssigned: Bool.random(using: &random))
      ])
  }

  private mutating func fields(_ store: TestStore, _ target: RowID?) -> [NewField] {
    func property(_ name: String) -> StoredProperty { store.property("Document", name)[0] }
    var fields = [
      NewField(property("n"), number(), isAssigned: Bool.random(using: &random)),
      NewField(property("name"), .scalar(.string("x")), isAssigned: Bool.random(using: &random)),
      NewField(property("one"), one(store), isAssigned: Bool.random(using: &random)),
      NewField(property("items"), .list([number(), number()])),
    ]
    if Bool.random(using: &random) {
      fields.append(NewField(property("nn"), .scalar(.null), isAssigned: false))
    }
    if let target {
      fields.append(NewField(property("link"), .link(store["Target"].id, target)))
    }
    return fields
  }

  private func path(_ store: TestStore, _ name: String) -> FieldPath {
    FieldPath(store.property("Document", name)[0])
  }

  private mutating func number() -> NewValue {
    .scalar(.int(Int64.random(in: 0..<1000, using: &random)))
  }

  private mutating func one(_ store: TestStore) -> NewValue {
    var fields = [NewField(store.property("One", "v")[0], number())]
    if Bool.random(using: &random) {
      fields.append(NewField(store.property("One", "w")[0], number()))
    }
    if Bool.random(using: &random) {
      fields.append(
        NewField(store.property("One", "tags")[0], .list([.scalar(.string("tag"))])))
    }
    return .embedded(fields)
  }

  private mutating func increment(_ store: TestStore, _ id: RowID, _ path: FieldPath) throws {
    do {
      try store.file.increment(
        store["Document"].id, id: id, path, by: Int64.random(in: -5...5, using: &random))
    } catch StorageError.incrementOfNil {}
  }

  /// Notes have no declared key.
  private mutating func editNote(_ store: TestStore) throws {
    let note = store["Note"].id
    let text = store.property("Note", "text")[0]
    let value = NewValue.scalar(.string("\(Int.random(in: 0..<9, using: &random))"))
    var known: [RowID] = []
    let rows = try store.file.rows(StoreQuery(note).limited(to: 4))
    while let row = try rows.next() { known.append(row.id) }
    guard let id = known.randomElement(using: &random),
      known.count == 4 || Bool.random(using: &random)
    else {
      _ = try store.file.create(note, key: nil, fields: [NewField(text, value)])
      return
    }
    if Bool.random(using: &random) {
      try store.file.delete(note, id: id)
    } else {
      try store.file.assign(note, id: id, FieldPath(text), value)
    }
  }

  private mutating func editInside(_ store: TestStore, _ id: RowID) throws {
    let slot = FieldPath.Step.slot(store.property("Document", "one")[0])
    try editInstance(store, id, slot)
  }

  private mutating func editInstance(
    _ store: TestStore, _ id: RowID, _ step: FieldPath.Step
  ) throws {
    let document = store["Document"].id
    do {
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        let w = FieldPath(steps: [step], property: store.property("One", "w")[0])
        try store.file.assign(document, id: id, w, number())
      case 1:
        try increment(store, id, FieldPath(steps: [step], property: store.property("One", "v")[0]))
      case _:
        let tags = FieldPath(steps: [step], property: store.property("One", "tags")[0])
        try editList(store, id, tags, .scalar(.string("t")))
      }
    } catch StorageError.noSuchInstance {}
  }

  private mutating func editEmbeddedList(_ store: TestStore, _ id: RowID) throws {
    let es = path(store, "es")
    let elements = try store.file.elements(of: store["Document"].id, id: id, list: es)
    if let element = elements.randomElement(using: &random), Bool.random(using: &random) {
      try editInstance(store, id, .element(es.property, element.id))
    } else {
      try editList(store, id, es, one(store))
    }
  }

  private mutating func editList(
    _ store: TestStore, _ id: RowID, _ list: FieldPath, _ value: NewValue
  ) throws {
    let document = store["Document"].id
    let count = try store.file.elements(of: document, id: id, list: list).count
    let choice = count == 0 ? 0 : Int.random(in: 0..<8, using: &random)
    let index = count == 0 ? 0 : Int.random(in: 0..<count, using: &random)
    switch choice {
    case 0...2:
      let place = Int.random(in: 0...count, using: &random)
      _ = try store.file.listInsert(
        document, id: id, list: list, at: Bool.random(using: &random) ? nil : place, value)
    case 3: try store.file.listAssign(document, id: id, list: list, at: index, value)
    case 4, 5:
      let destination = Int.random(in: 0..<count, using: &random)
      try store.file.listMove(document, id: id, list: list, from: index, to: destination)
    case 6: try store.file.listRemove(document, id: id, list: list, at: index)
    case _: try store.file.listClear(document, id: id, list: list)
    }
  }
}

@Suite struct `random exchange` {
  @Test(arguments: 1...40)
  func `replicas that exchanged everything hold the same, whatever the order`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let stores = try (0..<3).map { try TestStore("r\($0)", clock: TestClock()) }
    var writer = RandomWriter(random: SeededGenerator(seed: UInt64(seed) &* 77))
    for _ in 0..<40 {
      let store = stores[Int.random(in: 0..<3, using: &random)]
      try writer.write(store)
      if Int.random(in: 0..<3, using: &random) == 0 {
        try stores[Int.random(in: 0..<3, using: &random)].offer(
          to: stores[Int.random(in: 0..<3, using: &random)],
          Int.random(in: 1...6, using: &random))
      }
    }
    for _ in 0..<2 {
      for a in stores { for b in stores where a !== b { try a.send(to: b) } }
    }
    let texts = try stores.map { try $0.exported() }
    let digests = try stores.map { try $0.file.digest() }
    #expect(texts[0] == texts[1] && texts[1] == texts[2], "seed \(seed)")
    #expect(Set(digests).count == 1, "seed \(seed)")
    #expect(try Set(stores.map { try $0.file.stateDigest() }).count == 1, "seed \(seed)")
    for store in stores { #expect(try store.file.verify() == [], "seed \(seed)") }
  }
}

extension TestStore {
  /// Hands over at most `count` changesets that the other lacks, in local order.
  func offer(to other: TestStore, _ count: Int) throws {
    guard other !== self else { return }
    let batch = try file.entries(
      lackedBy: try other.file.appliedVector(), after: .start, limitBytes: 1 << 20,
      isForPeer: true)
    // Whole runs, the first of them at least.
    let end = batch.entries.indices.first { $0 + 1 >= count && batch.entries[$0].seal != nil }
    let outcomes = try other.file.apply(
      batch.entries.prefix(through: end ?? batch.entries.endIndex - 1)
        .map(\.fromPeer))
    for outcome in outcomes {
      guard case .applied = outcome else { throw TestFailure("not applied: \(outcome)") }
    }
    try other.checkDigests()
  }
}
