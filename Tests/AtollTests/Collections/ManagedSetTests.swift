import Atoll
import Foundation
import StoreTestKit
import Testing

@Suite struct ManagedSetTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = TemporaryStore([Tags.self, Country.self])
    store = try folder.open()
  }

  @Test func `the set an object had before it was added is the one it has after`() throws {
    let tags = Tags(value: ["words": ["a"]])
    let words = tags.words
    try store.write {
      store.add(tags)
      words.insert("b")
    }
    #expect(tags.words === words)
    #expect(words.store === store)
    let other = try #require(try folder.open().objects(Tags.self).first)
    #expect(Set(other.words) == ["a", "b"])
  }

  @Test func `two handles of a set see each other's changes`() throws {
    try store.write { store.create(Tags.self, value: ["words": ["a", "b"]]) }
    let handles = [store.objects(Tags.self)[0].words, store.objects(Tags.self)[0].words]
    #expect(handles[0] == handles[1])
    try store.write {
      #expect(handles[0].count == 2)
      handles[1].insert("c")
      #expect(handles[0].contains("c"))
      handles[0].remove("a")
      #expect(Set(handles[1]) == ["b", "c"])
      handles[1].removeAll()
      #expect(handles[0].isEmpty)
    }
  }

  @Test func `a set of objects adds those that are new, and drops those that are deleted`() throws {
    try store.write {
      let tags = store.create(Tags.self)
      let switzerland = Country(value: ["CH"])
      tags.countries.insert(objectsIn: [switzerland, Country(value: ["FR"]), switzerland])
      #expect(Set(tags.countries.map(\.code)) == ["CH", "FR"])
      #expect(tags.countries.contains(store.objects(Country.self)[0]))
      #expect(!tags.countries.contains(Country(value: ["CH"])))
      store.delete(switzerland)
      #expect(tags.countries.map(\.code) == ["FR"])
    }
    #expect(store.objects(Country.self).count == 1)
  }

  @Test func `an object is one member whichever accessor brings it`() throws {
    try store.write {
      let tags = store.create(Tags.self)
      store.create(Country.self, value: ["CH"])
      tags.countries.insert(store.objects(Country.self)[0])
      tags.countries.insert(store.objects(Country.self)[0])
      #expect(tags.countries.count == 1)
      tags.countries.remove(store.objects(Country.self)[0])
      #expect(tags.countries.isEmpty)
    }
  }

  @Test func `rule 38: assigning a managed set copies the elements`() throws {
    try store.write {
      let tags = store.create(Tags.self, value: ["words": ["a"]])
      let words = tags.words
      tags.words = MutableSet(["b", "c"])
      #expect(words === tags.words)
      #expect(Set(words) == ["b", "c"])
    }
  }

  @Test func `what is derived from several sets is left in the first`() throws {
    try store.write {
      let tags = store.create(Tags.self, value: ["words": ["a", "b", "c"]])
      let other = store.create(Tags.self, value: ["words": ["b", "c", "d"]])
      #expect(tags.words.intersects(other.words))
      #expect(!tags.words.isSubset(of: other.words))
      tags.words.formIntersection(other.words)
      #expect(Set(tags.words) == ["b", "c"])
      #expect(tags.words.isSubset(of: other.words))
      #expect(other.words.isSuperset(of: tags.words))
      other.words.subtract(tags.words)
      #expect(Set(other.words) == ["d"])
      tags.words.formUnion(other.words)
      #expect(tags.words.count == 3)
    }
  }

  @Test func `iteration runs over the elements there were when it began`() throws {
    try store.write {
      let tags = store.create(Tags.self, value: ["words": ["a", "b"]])
      for word in tags.words {
        tags.words.insert(word + word)
        tags.words.remove(word)
      }
      #expect(Set(tags.words) == ["aa", "bb"])
    }
  }

  @Test func `a cancelled transaction takes changes of a set back`() throws {
    try store.write { store.create(Tags.self, value: ["words": ["a"]]) }
    let words = store.objects(Tags.self)[0].words
    try store.beginWrite()
    words.insert("b")
    words.remove("a")
    store.cancelWrite()
    #expect(Array(words) == ["a"])
  }

  @Test func `a set of a deleted object is invalidated`() throws {
    let tags = try store.write { store.create(Tags.self) }
    let words = tags.words
    #expect(!words.isInvalidated)
    try store.write { store.delete(tags) }
    #expect(words.isInvalidated)
  }

  @Test func `changing a set outside a transaction is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore([Tags.self, Country.self])
      let store = try folder.open()
      let tags = try store.write { store.create(Tags.self) }
      tags.words.insert("a")
    }
    #expect(said(result, "the set 'Tags.words' outside a write transaction."))
  }
}
