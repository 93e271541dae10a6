import Atoll
import Foundation
import StoreTestKit
import Synchronization
import Testing

@Suite struct InitialValueTests {
  private let folder: TemporaryStore
  private let store: Store

  init() throws {
    folder = TemporaryStore(Crate.types + [SelfFilling.self, SelfNaming.self])
    store = try folder.open()
    try store.write {
      let other = store.create(Crate.self, value: ["id": 1])
      let crate = store.create(Crate.self, value: ["id": 0])
      crate.fill(linking: other)
    }
  }

  private func crate(_ id: Int = 0, of store: Store) throws -> Crate {
    try #require(store.object(ofType: Crate.self, forPrimaryKey: id))
  }

  @Test func `issue 28.1: a fetched object reads what its collections hold`() throws {
    for store in [store, try folder.open()] {
      #expect(try crate(of: store).holdsAll(of: crate(1, of: store)))
      for object in store.objects(Crate.self) where object.id == 0 {
        #expect(object.list.count == 2 && object.filled.count == 3)
      }
      try store.write { try crate(1, of: store).links.append(crate(0, of: store)) }
      let link = try #require(crate(1, of: store).links.first)
      #expect(Array(link.list) == [3, 4])
    }
  }

  @Test func `issue 28.1: what is put into a fetched object's collections is written`() throws {
    let other = try folder.open()
    let found = try crate(1, of: other)
    try other.write { found.fill(linking: try crate(0, of: other)) }
    #expect(try found.holdsAll(of: crate(0, of: other)))
    store.refresh()
    #expect(try crate(1, of: store).holdsAll(of: crate(0, of: store)))
    try other.write {
      found.list.removeAll()
      found.set = MutableSet(["x", "y"])
      found.map.removeAll()
    }
    store.refresh()
    let same = try crate(1, of: store)
    #expect(same.list.isEmpty && same.set.count == 2 && same.map.count == 0)
  }

  @Test func `issue 28.1: frozen objects, snapshots and projections read it too`() throws {
    let found = try crate(of: folder.open())
    let frozen = found.freeze()
    #expect(frozen.holdsAll(of: try crate(1, of: store)))
    let snapshot = found.snapshot(links: 1)
    #expect(Array(snapshot.list) == [3, 4] && Array(snapshot.filled) == [1, 2, 10])
    #expect(Array(snapshot.set) == ["b"] && snapshot.map["c"] == 1.5)
    #expect(snapshot.slot.map { Array($0.numbers) } == [8])
    #expect(snapshot.links.first.map { Array($0.filled) } == [1, 2])
    let made = snapshot.makeObject()
    #expect(Array(made.list) == [3, 4] && made.slot?.inner?.weights["e"] == 9)
    let view = try #require(store.objects(CrateView.self).first { $0.rootObject.id == 0 })
    #expect(Array(view.list) == [3, 4] && Array(view.set) == ["b"] && view.map["c"] == 1.5)
    #expect(view.numbers.map { Array($0) } == [8] && Array(view.labels) == ["new"])
  }

  @Test func `issue 28.1: key paths to such collections have their names, and queries work`() {
    #expect(_name(for: \Crate.list) == "list" && _name(for: \Crate.set) == "set")
    #expect(_name(for: \Crate.map) == "map" && _name(for: \BigCrate.more) == "more")
    #expect(_name(for: \BigCrate.list) == "list")
    #expect(_name(for: \Crate.slot?.numbers) == "slot.numbers")
    #expect(_name(for: \Crate.slot?.inner?.weights) == "slot.inner.weights")
    func ids(_ isIncluded: (Query<Crate>) -> Query<Bool>) -> [Int] {
      store.objects(Crate.self).where(isIncluded).sorted(by: \.id).map(\.id)
    }
    #expect(ids { $0.list.count == 0 } == [1])
    #expect(ids { $0.list.contains(3) } == [0])
    #expect(ids { $0.filled.count >= 2 } == [0, 1])
    #expect(ids { $0.set.contains("b") } == [0])
    #expect(ids { $0.map["c"] == 1.5 } == [0])
    #expect(ids { $0.links.label == "new" } == [0])
    #expect(ids { $0.slot.numbers.count == 1 } == [0])
    #expect(ids { $0.slots.numbers.contains(5) } == [0])
    #expect(store.objects(Crate.self).filter("filled.@count == 3").count == 1)
    #expect(store.objects(Crate.self).filter("ANY list > 3").count == 1)
  }

  @Test func `issue 28.1: observers hear of changes to such collections`() async throws {
    let found = try crate(of: store)
    var changes = found.list.changes.makeAsyncIterator()
    _ = try await changes.next()
    try store.write { found.list.append(99) }
    guard case .update(let list, _, let insertions, _)? = try await changes.next() else {
      Issue.record("no change")
      return
    }
    #expect(insertions == [2] && Array(list) == [3, 4, 99])
  }

  @Test func `issue 28.1: a subclass reads its own collections and those it inherits`() throws {
    try store.write {
      let big = BigCrate()
      big.id = 7
      big.more.append("own")
      let other = try crate(1, of: store)
      big.fill(linking: other)
      big.owners["a"] = other
      store.add(big)
      #expect(Array(big.more) == ["own"] && Array(big.list) == [3, 4])
    }
    let found = try #require(try folder.open().object(ofType: BigCrate.self, forPrimaryKey: 7))
    #expect(Array(found.more) == ["own"] && Array(found.list) == [3, 4])
    #expect(found.owners["a"]??.id == 1 && Array(found.filled) == [1, 2, 10])
  }

  @Test func `issue 28.1: a new object starts with what is declared, also with several elements`()
    throws
  {
    #expect(Array(Crate().filled) == [1, 2])
    try store.write {
      store.create(Crate.self, value: ["id": 5, "filled": [9]])
      let crate = Crate(value: ["id": 6])
      let handle = crate.filled
      store.add(crate)
      #expect(handle === crate.filled && handle.store === store)
    }
    #expect(try Array(crate(5, of: folder.open()).filled) == [9])
    #expect(try Array(crate(6, of: folder.open()).filled) == [1, 2])
    try store.write {
      store.create(Crate.self, value: ["id": 5, "list": [1]], update: .modified)
    }
    #expect(try Array(crate(5, of: folder.open()).filled) == [9])
  }

  @Test func `issue 28.1: an init() that fills an object only sometimes hides nothing stored`()
    throws
  {
    _ = store.objects(SelfFilling.self)
    try store.write {
      store.create(
        SelfFilling.self, value: ["id": "a", "name": "stored", "size": 3, "tags": ["x", "y"]])
    }
    SelfFilling.fills.withLock { $0 = true }
    defer { SelfFilling.fills.withLock { $0 = false } }
    #expect(SelfFilling().name == "made by init")
    let found = try #require(
      try folder.open().object(ofType: SelfFilling.self, forPrimaryKey: "a"))
    #expect(found.id == "a" && found.name == "stored" && found.size == 3)
    #expect(Array(found.tags) == ["x", "y"])
    #expect(found.snapshot().name == "stored" && found.freeze().size == 3)
    #expect(_name(for: \SelfFilling.name) == "name" && _name(for: \SelfFilling.tags) == "tags")
  }

  @Test func `issue 28.1: an init() that makes the key leaves it the key, and indexed what is`()
    throws
  {
    let schema = SelfNaming().objectSchema
    #expect(schema.primaryKeyProperty?.name == "id" && schema["code"]?.isIndexed == true)
    let made = SelfNaming()
    try store.write {
      store.add(made)
      store.create(SelfNaming.self, value: ["id": made.id, "code": "b"], update: .modified)
    }
    #expect(store.objects(SelfNaming.self).count == 1)
    let found = try #require(
      try folder.open().object(ofType: SelfNaming.self, forPrimaryKey: made.id))
    #expect(found.code == "b" && Array(found.items) == ["first"])
  }
}
