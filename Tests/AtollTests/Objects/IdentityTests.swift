import Atoll
import Foundation
import StoreTestKit
import Testing

/// Equality, texts, and what becomes of an accessor.
@Suite struct IdentityTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = TemporaryStore(GraphOwner.types + [GraphNote.self, IdentityData.self])
    store = try folder.open()
  }

  @Test func `with a primary key accessors of one row are equal, without only the same row`() throws
  {
    try store.write {
      store.create(GraphDog.self, value: ["Rex"])
      store.create(GraphNote.self, value: ["text": "x"])
    }
    let dogs = [store.objects(GraphDog.self).first, store.objects(GraphDog.self).first]
    #expect(dogs[0] !== dogs[1] && dogs[0] == dogs[1])
    #expect(Set(dogs.compactMap { $0 }).count == 1)
    let notes = [store.objects(GraphNote.self).first, store.objects(GraphNote.self).first]
    #expect(notes[0] != notes[1])
    #expect(notes[0]?.isSameObject(as: notes[1]) == true)
    #expect(notes[0]?.isSameObject(as: dogs[0]) == false)
    #expect(GraphDog(value: ["Rex"]) != dogs[0])
  }

  @Test func `an embedded object is the same through every accessor of its owner`() throws {
    let owner = try store.write {
      store.create(GraphOwner.self, value: ["id": 1, "street": ["Main", 1]])
    }
    let again = try #require(store.object(ofType: GraphOwner.self, forPrimaryKey: 1))
    #expect(owner.street?.isSameObject(as: again.street) == true)
    #expect(owner.street?.isSameObject(as: owner) == false)
  }

  @Test func `a cycle is described five objects deep`() throws {
    let ann = GraphOwner(value: ["id": 1, "name": "Ann", "numbers": [4, 5]])
    ann.partner = ann
    for text in [
      "\(ann)",
      try store.write { () -> String in
        store.add(ann); return "\(ann)"
      },
    ] {
      #expect(text.hasPrefix("GraphOwner {\n\tid = 1;\n\tname = Ann;\n\tnick = nil;\n"))
      #expect(text.components(separatedBy: "name = Ann").count == 6)
      #expect(text.contains("<Maximum depth exceeded>"))
      #expect(text.contains("numbers = List<Int> (\n\t\t[0] 4,\n\t\t[1] 5\n\t);"))
      #expect(text.contains("dogs = List<GraphDog> ();"))
    }
  }

  @Test func `a wide cycle stays printable, and data and lists are cut off`() throws {
    let ann = GraphOwner(value: ["id": 1])
    for _ in 0..<200 { ann.friends.append(ann) }
    #expect("\(ann)".utf8.count < 10_000_000)
    #expect("\(ann)".contains("... 100 more"))
    let data = IdentityData(value: [Data(repeating: 0xAB, count: 1000)])
    #expect("\(data)".contains("bytes = <\(String(repeating: "ab", count: 24)) — 1000 bytes>;"))
  }

  @Test func `a deleted object is invalidated, describes itself, and stops when read`() async throws
  {
    try store.write {
      let dog = store.create(GraphDog.self, value: ["Rex"])
      store.delete(dog)
      #expect(dog.isInvalidated && "\(dog)" == "GraphDog [invalidated]")
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = try TemporaryStore(GraphOwner.types).openToTheEnd()
      try store.write {
        let dog = store.create(GraphDog.self, value: ["Rex"])
        store.delete(dog)
        _ = dog.age
      }
    }
    #expect(
      said(
        result,
        "Reading 'GraphDog.age' of the object of class 'GraphDog' with primary key 'Rex' that was "
          + "deleted"))
  }
}

final class IdentityData: Object {
  @Persisted(.either) var bytes: Data
}
