import Atoll
import Foundation
import StoreTestKit
import Testing

/// The objects that are deleted with an object, and the links to it afterwards.
@Suite struct DeletionTests {
  let folder: TemporaryStore
  let store: Store
  let owner: GraphOwner

  init() throws {
    folder = TemporaryStore(GraphOwner.types)
    let store = try folder.open()
    self.store = store
    owner = try store.write {
      store.create(
        GraphOwner.self,
        value: [
          "id": 1, "dog": ["Rex"], "dogs": [["Fido"], ["Bello"], ["Waldi"]], "street": ["Main", 1],
        ])
    }
  }

  @Test func `an object leaves every list and link, and takes along what it embeds`() throws {
    let street = try #require(owner.street)
    let fido = try #require(owner.dogs.first)
    try store.write { store.delete(fido) }
    #expect(owner.dogs.map(\.name) == ["Bello", "Waldi"])
    try store.write { store.delete(try #require(owner.dog)) }
    #expect(owner.dog == nil)
    try store.write { store.delete(owner) }
    #expect(owner.isInvalidated && street.isInvalidated && owner.dogs.isInvalidated)
    #expect(store.objects(GraphDog.self).count == 2)
  }

  @Test func `lists, results and arrays are deleted by their elements`() throws {
    try store.write { store.delete(owner.dogs) }
    #expect(owner.dogs.isEmpty && store.objects(GraphDog.self).map(\.name) == ["Rex"])
    try store.write { store.delete(store.objects(GraphDog.self)) }
    #expect(store.objects(GraphDog.self).isEmpty && owner.dog == nil)
    try store.write { store.delete([owner, owner]) }
    #expect(store.objects(GraphOwner.self).isEmpty)
  }

  @Test func `of results those are deleted that they have now, and no others`() async throws {
    let dogs = store.objects(GraphDog.self).sorted(byKeyPath: "name", ascending: false)
    let first = dogs.prefix(2)
    #expect(first.map(\.name) == ["Waldi", "Rex"])
    let rex = try #require(owner.dog)
    try store.write {
      store.create(GraphDog.self, value: ["Zita"])
      store.delete(first)
    }
    #expect(dogs.map(\.name) == ["Rex", "Fido", "Bello"] && !rex.isInvalidated)
    #expect(first.map(\.name) == ["Rex", "Fido"])
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let other = TemporaryStore(GraphOwner.types)
      let results = try other.open().objects(GraphDog.self)
      let store = try TemporaryStore(GraphOwner.types).openToTheEnd()
      try store.write { store.delete(results) }
    }
    #expect(said(result, "Deleting objects of class 'GraphDog' that this store does not manage"))
  }

  @Test func `deleting an embedded object takes it from its owner`() throws {
    let street = try #require(owner.street)
    try store.write { store.delete(street) }
    #expect(owner.street == nil && street.isInvalidated && !owner.isInvalidated)
  }

  @Test func `deleting an embedded element takes it from its list`() throws {
    let folder = TemporaryStore([BadPage.self, BadInside.self])
    let store = try folder.open()
    let page = try store.write {
      store.create(BadPage.self, value: ["id": 1, "insides": [["even": 2], ["even": 4]]])
    }
    let first = page.insides[0]
    try store.write { store.delete(first) }
    #expect(page.insides.map { $0.even.value } == [4])
    #expect(first.isInvalidated)
  }

  @Test func `what this store does not manage, or not any more, is refused`() async throws {
    try store.write {
      let dog = try #require(owner.dog)
      store.delete(dog)
      for object in [dog, GraphDog(value: ["Stray"])] {
        let error = #expect(throws: Store.Error.self) { try store.delete(checking: object) }
        #expect(error?.code == .invalidObject)
        #expect(error?.message.contains("GraphDog") == true)
      }
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = try TemporaryStore(GraphOwner.types).openToTheEnd()
      try store.write { store.delete(GraphDog()) }
    }
    #expect(said(result, "Deleting an object of class 'GraphDog' that this store does not manage"))
  }

  @Test func `deleting everything leaves nothing, embedded objects included`() throws {
    try store.write { store.deleteAll() }
    #expect(store.objects(GraphOwner.self).isEmpty && store.objects(GraphDog.self).isEmpty)
    #expect(owner.isInvalidated)
  }
}
