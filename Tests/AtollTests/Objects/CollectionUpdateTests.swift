import Atoll
import Foundation
import StoreTestKit
import Testing

/// Creation and update policies where collections of every kind are concerned.
@Suite struct CollectionUpdateTests {
  let folder: TemporaryStore
  let store: Store
  let box: CollectionBox

  init() throws {
    folder = TemporaryStore(CollectionBox.types)
    let store = try folder.open()
    self.store = store
    box = try store.write {
      store.create(
        CollectionBox.self,
        value: [
          "id": 1, "tags": ["a", "b"], "dogs": [["Rex", 3]], "sizes": ["x": 1, "y": 2],
          "pets": ["p": ["Fido", 2], "q": NSNull()], "streets": [["Main", 1], ["Side", 2]],
          "places": ["home": ["Main", 7]], "points": ["here": [1, 2], "there": NSNull()],
          "links": ["one": "https://a.example", "two": ""],
        ])
    }
  }

  private func update(_ values: [String: Any], _ policy: Store.UpdatePolicy) throws {
    var values = values
    values["id"] = 1
    try store.write { store.create(CollectionBox.self, value: values, update: policy) }
  }

  @Test func `rules 26, 27 and 29: collections are made from arrays and dictionaries`() throws {
    #expect(Set(box.tags) == ["a", "b"])
    #expect(box.dogs.map(\.name) == ["Rex"])
    #expect(box.sizes["x"] == 1 && box.sizes["y"] == 2)
    #expect(box.pets["p"]??.name == "Fido" && box.pets["q"] == .some(nil))
    #expect(box.streets.map(\.number) == [1, 2])
    #expect(box.places["home"]??.name == "Main")
    #expect(box.points["here"] == Coordinate(latitude: 1, longitude: 2))
    #expect(box.links["one"]??.host() == "a.example" && box.links["two"] == .some(nil))
    #expect(box.$links.unconvertibleElements == [.key("two")])
    let copy = CollectionBox(value: box)
    #expect(Set(copy.tags) == ["a", "b"] && copy.sizes["y"] == 2)
    #expect(copy.streets.first?.store == nil && copy.streets.first?.name == "Main")
  }

  @Test func `modified writes the members and entries that differ`() throws {
    try update(["tags": ["b", "c"]], .modified)
    #expect(try folder.lastVerbs() == ["insert", "remove"])
    #expect(Set(box.tags) == ["b", "c"])
    try update(["sizes": ["x": 1, "y": 5, "z": 9]], .modified)
    #expect(try folder.lastVerbs() == ["assign", "assign"])
    #expect(box.sizes["y"] == 5 && box.sizes["z"] == 9)
    try update(["sizes": ["y": 5]], .modified)
    #expect(try folder.lastVerbs() == ["remove", "remove"])
    let before = try folder.lastOperations()
    try update(["tags": ["c", "b"], "sizes": ["y": 5], "dogs": [["Rex", 3]]], .modified)
    #expect(try folder.lastOperations() == before)
  }

  @Test func `rule 33: modified changes embedded objects in lists and maps where they are`() throws
  {
    let (street, place) = (box.streets[1], try #require(box.places["home"] ?? nil))
    try update(
      ["streets": [["Main", 1], ["number": 20]], "places": ["home": ["number": 70]]], .modified)
    #expect(street.number == 20 && street.name == "Side")
    #expect(place.number == 70 && place.name == "Main")
    #expect(try folder.lastVerbs() == ["assign", "assign"])
    try update(["streets": [["Only", 5]], "places": ["home": ["number": 8]]], .all)
    #expect(box.streets.map(\.name) == ["Only"] && street.isInvalidated)
    #expect(box.places["home"]??.name == "" && box.places["home"]??.number == 8)
  }

  @Test func `all replaces what a collection holds`() throws {
    try update(["tags": ["b"], "sizes": ["x": 1], "pets": [String: Any]()], .all)
    #expect(Set(box.tags) == ["b"] && box.sizes.count == 1 && box.pets.isEmpty)
  }

  @Test func `collections handed out before are those of the row`() throws {
    let fresh = CollectionBox(value: ["id": 2, "tags": ["t"], "sizes": ["s": 1]])
    let (tags, sizes) = (fresh.tags, fresh.sizes)
    try store.write {
      store.add(fresh)
      tags.insert("u")
      sizes["s"] = 2
    }
    #expect(fresh.tags === tags && fresh.sizes === sizes && tags.count == 2)
    let again = CollectionBox(value: ["id": 2, "tags": ["v"], "sizes": ["w": 3]])
    let others = (again.tags, again.sizes)
    try store.write { store.add(again, update: .all) }
    #expect(Set(others.0) == ["v"] && others.1["w"] == 3 && others.1["s"] == nil)
    #expect(Set(tags) == ["v"])
  }

  @Test func `a graph that leads back through a set and a map is added and updated`() throws {
    for policy in [Store.UpdatePolicy.error, .modified] {
      let ann = CollectionBox(value: ["id": 7])
      let bob = CollectionBox(value: ["id": 8])
      ann.friends.insert(bob)
      bob.friends.insert(ann)
      bob.named["ann"] = ann
      ann.others.append(objectsIn: [bob, ann])
      try store.write { store.add(ann, update: policy) }
      #expect(ann.friends.map(\.id) == [8] && bob.friends.map(\.id) == [7])
      #expect(bob.named["ann"]??.id == 7 && ann.others.map(\.id) == [8, 7])
    }
    #expect(store.objects(CollectionBox.self).count == 3)
  }

  @Test func `the objects of a map and of a set are deleted, embedded values leave their map`()
    throws
  {
    let place = try #require(box.places["home"] ?? nil)
    try store.write {
      store.delete(box.pets)
      store.delete(box.dogs)
      store.delete(place)
    }
    #expect(store.objects(GraphDog.self).isEmpty)
    #expect(box.dogs.isEmpty && box.pets["p"] == .some(nil))
    #expect(box.places["home"] == nil && place.isInvalidated)
  }

  @Test func `a description shows what sets and maps hold`() {
    let text = "\(box)"
    #expect(text.contains("tags = MutableSet<String> (\n\t\t[0] a,\n\t\t[1] b\n\t);"))
    #expect(text.contains("sizes = Map<String, Int> {\n\t\t[x]: 1,\n\t\t[y]: 2\n\t};"))
  }
}

final class CollectionBox: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var tags: MutableSet<String>
  @Persisted(.either) var dogs: MutableSet<GraphDog>
  @Persisted(.either) var friends: MutableSet<CollectionBox>
  @Persisted(.either) var others: List<CollectionBox>
  @Persisted(.either) var named: Map<String, CollectionBox?>
  @Persisted(.either) var sizes: Map<String, Int>
  @Persisted(.either) var pets: Map<String, GraphDog?>
  @Persisted(.either) var streets: List<GraphStreet>
  @Persisted(.either) var places: Map<String, GraphStreet?>
  @Persisted(.either) var points: Map<String, Coordinate>
  @Persisted(.either) var links: Map<String, URL?>
}

extension CollectionBox {
  static let types: [ObjectBase.Type] = [
    CollectionBox.self, GraphDog.self, GraphStreet.self, Location.self,
  ]
}
