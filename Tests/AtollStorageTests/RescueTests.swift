import AtollChanges
import AtollStorage
import AtollVocabulary
import Testing

/// Scenario 47: what a late replica has made under keys that were deleted, and cut off, where it could not know.
@Suite struct `rescued objects` {
  private let a: TestStore
  private let b: TestStore
  private let late: TestStore
  private var all: [TestStore] { [a, b, late] }

  init() throws {
    (a, b, late) = (try TestStore("a"), try TestStore("b"), try TestStore("late"))
    try a.create(6)
    try meet(all)
  }

  /// Others make and delete objects, and cut that off; the late one writes; and then it is back.
  private func miss(
    _ away: (TestStore) throws -> Void, while writes: [(TestStore) throws -> Void],
    hearing isHearing: Bool = false
  ) throws {
    try a.write(away)
    try a.write { store in
      for (name, key) in [("Target", PersistedValue.string("T")), ("Document", .int(5))] {
        guard let id = try store.file.find(store[name].id, key: key) else { continue }
        try store.file.delete(store[name].id, id: id)
      }
    }
    for write in writes { try late.write(write) }
    if isHearing { try a.send(to: late) }
    try a.file.retire(late.file.author.replica)
    try meet([a, b])
    for store in [a, b] {
      let now = store.clock.now
      store.clock.now = WallTime(milliseconds: now.milliseconds + 86_000_000)
      #expect(try store.file.truncateLog(olderThan: .zero).changesets > 0)
      store.clock.now = now
    }
    try a.file.makeSnapshot()
    try late.takeSnapshot(of: a)
    #expect(try late.fetchBackfill(from: a) == nil)
    // Another that lacks as much: what was made again is not made once more.
    try b.create(90)
    try b.file.makeSnapshot()
    try late.takeSnapshot(of: b)
    #expect(try late.fetchBackfill(from: b) == nil)
    try meet(all)
    #expect(try Set(all.map { try $0.exported() }).count == 1)
    for store in all { #expect(try store.file.verify() == []) }
  }

  @Test func `scenario 47 an object whose deleted key was cut off elsewhere exists everywhere`()
    throws
  {
    try miss(
      { store in
        try Self.target(store)
        _ = try Self.document(5, store)
      },
      while: [Self.make, Self.change])
    for store in all {
      #expect(try store.file.conflicts().isEmpty)
      #expect(try value(store, 5, "name") == .string("mine"))
      #expect(try value(store, 5, "n") == .int(4))
      #expect(try value(store, 5, "one", "v") == .int(9))
      let id = try Self.find(5, store)
      let items = try store.file.elements(
        of: store["Document"].id, id: id, list: FieldPath(store.property("Document", "items")[0]))
      #expect(items.map(\.value) == [.scalar(.int(30)), .scalar(.int(10))])
      let target = try #require(
        try store.file.find(store["Target"].id, key: .string("T")))
      for key in [5, 6, 7] as [Int64] {
        #expect(try value(store, key, "link") == .int(target.rawValue))
      }
      let links = try store.file.elements(
        of: store["Document"].id, id: try Self.find(6, store),
        list: FieldPath(store.property("Document", "links")[0]))
      #expect(links.map(\.value) == [.link(store["Target"].id, target)])
    }
  }

  /// The objects of the late one, in one transaction.
  private static func make(_ store: TestStore) throws {
    let target = try Self.target(store)
    let v = NewField(store.property("Document", "one", "v")[1], .scalar(.int(1)))
    let link = store.property("Document", "link")[0]
    let id = try document(
      5, store,
      [
        NewField(store.property("Document", "name")[0], .scalar(.string("mine"))),
        NewField(link, target),
        NewField(store.property("Document", "one")[0], .embedded([v])),
      ])
    let items = FieldPath(store.property("Document", "items")[0])
    for (index, item) in [10, 20, 30].enumerated() {
      try store.file.listInsert(
        store["Document"].id, id: id, list: items, at: index, .scalar(.int(Int64(item))))
    }
    _ = try document(7, store, [NewField(link, target)])
  }

  /// The changes of the late one, in another.
  private static func change(_ store: TestStore) throws {
    let documents = store["Document"].id
    let (id, known) = (try find(5, store), try find(6, store))
    let items = FieldPath(store.property("Document", "items")[0])
    let n = FieldPath(store.property("Document", "n")[0])
    try store.file.increment(documents, id: id, n, by: 4)
    try store.file.listRemove(documents, id: id, list: items, at: 1)
    try store.file.listMove(documents, id: id, list: items, from: 0, to: 1)
    let one = store.property("Document", "one", "v")
    try store.file.assign(
      documents, id: id, FieldPath(steps: [.slot(one[0])], property: one[1]), .scalar(.int(9)))
    let target = try store.file.find(store["Target"].id, key: .string("T"))
    let link = NewValue.link(store["Target"].id, try #require(target))
    let (single, list) = (
      store.property("Document", "link")[0], store.property("Document", "links")
    )
    try store.file.assign(documents, id: known, FieldPath(single), link)
    try store.file.listInsert(documents, id: known, list: FieldPath(list[0]), at: 0, link)
  }

  @Test func `what it has deleted itself stays deleted, and what is there again is joined`() throws
  {
    try miss(
      { store in
        _ = try Self.document(5, store)
        let id = try Self.document(9, store)
        try store.file.delete(store["Document"].id, id: id)
        _ = try Self.document(
          9, store, [NewField(store.property("Document", "m")[0], .scalar(.int(3)))])
      },
      while: [
        { store in
          _ = try Self.document(5, store)
          _ = try Self.document(
            9, store, [NewField(store.property("Document", "n")[0], .scalar(.int(2)))])
        },
        { store in
          try store.file.delete(store["Document"].id, id: try Self.find(5, store))
        },
      ])
    for store in all {
      #expect(try store.file.find(store["Document"].id, key: .int(5)) == nil)
      #expect(try value(store, 9, "n") == .int(2))
      #expect(try value(store, 9, "m") == .int(3))
    }
  }

  @Test func `what it has seen deleted stays deleted`() throws {
    let make = { (store: TestStore) throws in _ = try Self.document(5, store) }
    try miss(make, while: [make], hearing: true)
    for store in all {
      #expect(try store.file.find(store["Document"].id, key: .int(5)) == nil)
    }
  }

  private func value(_ store: TestStore, _ key: Int64, _ path: String...) throws -> PersistedValue?
  {
    guard let row = try store.file.row(of: store["Document"].id, key: .int(key)) else { return nil }
    var properties = [store.property("Document", path[0])[0]]
    if path.count > 1 { properties = store.property("Document", path[0], path[1]) }
    return store["Document"].column(properties).map { row.columns[$0] }
  }

  @discardableResult
  private static func target(_ store: TestStore) throws -> NewValue {
    .link(
      store["Target"].id,
      try store.file.create(store["Target"].id, key: .string("T"), fields: []))
  }

  private static func document(
    _ key: Int64, _ store: TestStore, _ fields: [NewField] = []
  ) throws -> RowID {
    try store.file.create(store["Document"].id, key: .int(key), fields: fields)
  }

  private static func find(_ key: Int64, _ store: TestStore) throws -> RowID {
    try #require(try store.file.find(store["Document"].id, key: .int(key)))
  }

  private func meet(_ stores: [TestStore]) throws {
    for _ in 0..<2 {
      for from in stores { for to in stores where from !== to { try from.send(to: to) } }
    }
    for store in stores {
      try store.file.setPeerProgress(
        stores.filter { $0 !== store }.map {
          PeerProgress(peer: $0.file.author, holdings: try $0.file.holdings())
        })
    }
  }
}
