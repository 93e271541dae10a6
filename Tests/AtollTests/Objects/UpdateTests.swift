import Atoll
import Foundation
import StoreTestKit
import Testing

/// The update policies: what is written, what is left, and who is the accessor.
@Suite struct UpdateTests {
  let folder: TemporaryStore
  let store: Store
  let ann: GraphOwner

  init() throws {
    folder = TemporaryStore(GraphOwner.types + [GraphNote.self])
    let store = try folder.open()
    self.store = store
    ann = try store.write {
      store.create(
        GraphOwner.self,
        value: [
          "id": 1, "name": "Ann", "nick": "A", "place": [1, 2], "street": ["Main", 4],
          "dog": ["Rex", 3], "dogs": [["Fido", 1]], "numbers": [1, 2, 3],
        ])
    }
  }

  private func update(_ values: [String: Any], _ policy: Store.UpdatePolicy) throws {
    try store.write { store.create(GraphOwner.self, value: values, update: policy) }
  }

  @Test func `rule 32: an update leaves what is not given, and null clears`() throws {
    for policy in [Store.UpdatePolicy.modified, .all] {
      try update(["id": 1, "name": "Anna \(policy)"], policy)
      #expect(ann.name == "Anna \(policy)" && ann.dog?.age == 3)
      #expect(ann.street?.number == 4 && Array(ann.numbers) == [1, 2, 3])
    }
    try update(
      ["id": 1, "nick": NSNull(), "street": NSNull(), "dog": NSNull(), "place": NSNull()], .modified
    )
    #expect(ann.nick == nil && ann.street == nil && ann.dog == nil)
    #expect(ann.$place.persistedValue == nil)
  }

  @Test func `a key that exists is an error unless a policy says otherwise`() throws {
    try store.write {
      let error = #expect(throws: Store.Error.self) {
        try store.create(checking: GraphOwner.self, value: ["id": 1])
      }
      #expect(error?.code == .duplicatePrimaryKey)
      let nested = #expect(throws: Store.Error.self) {
        try store.create(checking: GraphOwner.self, value: ["id": 2, "dog": ["Rex"]])
      }
      #expect(nested?.message.contains("Rex") == true)
    }
    #expect(ann.name == "Ann")
  }

  @Test func `modified writes only what differs`() throws {
    try update(
      ["id": 1, "name": "Ann", "nick": "B", "place": [1, 2], "numbers": [1, 2, 3]], .modified)
    #expect(try folder.lastVerbs() == ["assign"])
    #expect(ann.nick == "B")
    try update(["id": 1, "numbers": [1, 5, 3, 4]], .modified)
    #expect(try folder.lastVerbs() == ["assign", "insert"])
    #expect(Array(ann.numbers) == [1, 5, 3, 4])
    try update(["id": 1, "numbers": [1, 5]], .modified)
    #expect(try folder.lastVerbs() == ["remove", "remove"])
    let before = try folder.lastOperations()
    try update(["id": 1, "name": "Ann", "dog": ["name": "Rex", "age": 3]], .modified)
    #expect(try folder.lastOperations() == before)
  }

  @Test func `all writes every property that is given`() throws {
    try update(["id": 1, "name": "Ann", "nick": "A", "numbers": [1, 2, 3]], .all)
    #expect(
      try folder.lastVerbs() == ["assign", "assign", "clear", "insert", "insert", "insert"])
  }

  @Test func `rule 33: assigning makes a new embedded object, modified changes the one there is`()
    throws
  {
    let street = try #require(ann.street)
    try update(["id": 1, "street": ["number": 5], "place": [1, 7]], .modified)
    #expect(street.number == 5 && street.name == "Main")
    #expect(ann.place == Coordinate(latitude: 1, longitude: 7))
    let written = try folder.lastOperations()
    #expect(written.count == 2 && !written.contains { $0.contains("= {") })
    try update(["id": 1, "street": ["number": 6]], .all)
    #expect(ann.street?.number == 6 && ann.street?.name == "")
    #expect(street.isInvalidated, "the old one is deleted")
    #expect(try folder.lastOperations().count == 1)
    try store.write { ann.place = Coordinate(latitude: 1, longitude: 7) }
    #expect(try folder.lastOperations().count == 1)
  }

  @Test func `an instance of an existing key becomes the accessor of the row`() throws {
    let again = GraphOwner(value: ["id": 1, "name": "Anna", "numbers": [9]])
    let numbers = again.numbers
    try store.write { store.add(again, update: .modified) }
    #expect(again.isSameObject(as: ann) && ann.name == "Anna")
    #expect(ann.nick == nil && ann.dog == nil)
    #expect(Array(ann.numbers) == [9] && again.numbers === numbers)
    #expect(Array(numbers) == [9])
    try store.write { numbers.append(10) }
    #expect(Array(ann.numbers) == [9, 10])
  }

  @Test func `linked objects with keys are created or updated on the way`() throws {
    try update(
      ["id": 1, "dog": ["Rex", 9], "dogs": [["name": "Fido", "age": 7], ["name": "New"]]], .modified
    )
    #expect(ann.dog?.age == 9)
    #expect(ann.dogs.map(\.name) == ["Fido", "New"] && ann.dogs.map(\.age) == [7, 1])
    #expect(store.objects(GraphDog.self).count == 3)
  }

  @Test func `a graph that leads back to itself is updated`() throws {
    let bob = GraphOwner(value: ["id": 2, "name": "Bob"])
    let again = GraphOwner(value: ["id": 1, "name": "Anna"])
    again.partner = bob
    bob.partner = again
    again.friends.append(objectsIn: [again, bob])
    try store.write { store.add(again, update: .all) }
    #expect(ann.partner?.name == "Bob" && ann.partner?.partner?.isSameObject(as: ann) == true)
    #expect(ann.friends.map(\.id) == [1, 2])
    #expect(store.objects(GraphOwner.self).count == 2)
  }

  @Test func `an object in the making and one that exists lead to each other`() throws {
    let bob = GraphOwner(value: ["id": 2, "name": "Bob"])
    let again = GraphOwner(value: ["id": 1, "name": "Anna", "partner": bob])
    again.friends.append(objectsIn: [bob, again])
    bob.partner = again
    try store.write { store.add(bob, update: .modified) }
    #expect(ann.partner?.name == "Bob" && bob.partner?.name == "Anna")
    #expect(ann.friends.map(\.id) == [2, 1])
    #expect(store.objects(GraphOwner.self).count == 2)
  }

  @Test func `objects without an existing key are created by either policy`() throws {
    try store.write {
      store.create(GraphOwner.self, value: ["id": 8, "partner": ["id": 9]], update: .modified)
      store.add(GraphOwner(value: ["id": 10]), update: .all)
    }
    #expect(store.objects(GraphOwner.self).count == 4)
  }

  @Test func `a class without a key can not be updated`() async throws {
    try store.write {
      for policy in [Store.UpdatePolicy.modified, .all] {
        let error = #expect(throws: Store.Error.self) {
          try store.create(checking: GraphNote.self, value: ["text": "x"], update: policy)
        }
        #expect(
          error?.message.hasPrefix("'GraphNote' does not have a primary key and can not be updated")
            == true)
      }
    }
  }

  @Test func `an instance added over another is written whole, defaults included`() throws {
    try store.write { store.add(GraphDog(value: ["name": "Rex"]), update: .modified) }
    #expect(ann.dog?.age == 1)
  }
}
