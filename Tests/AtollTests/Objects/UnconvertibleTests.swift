import Atoll
import Foundation
import StoreTestKit
import Testing

/// `$property` and `store.unconvertible(_:)`: what is stored, whether or not it converts.
@Suite struct UnconvertibleTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = TemporaryStore([BadPage.self, BadInside.self])
    store = try folder.open()
    try store.write {
      store.create(BadPage.self, value: ["id": 1, "even": 4])
      store.create(
        BadPage.self,
        value: [
          "id": 2, "even": 3, "maybe": 5, "list": [2, 7, 4, 9], "maybes": [1, NSNull(), 2],
          "inside": ["even": 11], "insides": [["even": 2], ["even": 13]],
        ])
    }
  }

  @Test func `every value that does not convert is found, and nothing is changed`() throws {
    let before = try folder.lastOperations()
    let found = store.unconvertible(BadPage.self)
    #expect(
      found.map { "\($0.property) \($0.element.map { "\($0)" } ?? "") \($0.persistedValue ?? "")" }
        == [
          "even  3", "maybe  5", "list index(1) 7", "list index(3) 9", "maybes index(0) 1",
          "inside.even  11", "insides[1].even  13",
        ])
    #expect(found.allSatisfy { $0.object.store === store })
    #expect(found[0].description == "BadPage with id 2: even is '3'")
    #expect(found[2].description == "BadPage with id 2: list[1] is '7'")
    #expect(found[5].description == "BadPage with id 2: inside.even is '11'")
    #expect(try folder.lastOperations() == before)
    #expect(store.object(ofType: BadPage.self, forPrimaryKey: 2)?.$even.persistedValue == 3)
  }

  @Test func `a property tells what is stored, whether it converts, and throws with everything`()
    throws
  {
    let page = try #require(store.object(ofType: BadPage.self, forPrimaryKey: 2))
    #expect(page.$even.persistedValue == 3 && !page.$even.isConvertible)
    #expect(page.maybe == nil && page.$maybe.persistedValue == 5 && !page.$maybe.isConvertible)
    #expect(page.$id.isConvertible)
    #expect(try page.$id.value() == 2)
    let error = #expect(throws: Store.Error.self) { try page.$even.value() }
    for part in ["'3'", "'Even'", "Property 'BadPage.even'", "BadPage with id 2"] {
      #expect(error?.message.contains(part) == true)
    }
    let inner = #expect(throws: Store.Error.self) { try page.inside?.$even.value() }
    #expect(inner?.message.contains("BadInside in BadPage with id 2") == true)
  }

  @Test func `a collection tells of each element`() throws {
    let page = try #require(store.object(ofType: BadPage.self, forPrimaryKey: 2))
    #expect(!page.$list.isConvertible)
    #expect(page.$list.unconvertibleElements == [.index(1), .index(3)])
    #expect(page.$list.persistedElements.map { $0.persistedValue as? Int } == [2, 7, 4, 9])
    #expect(page.$maybes.unconvertibleElements == [.index(0)])
    #expect(throws: Store.Error.self) { try page.$list.value() }
    let good = try #require(store.object(ofType: BadPage.self, forPrimaryKey: 1))
    #expect(good.$list.isConvertible)
    #expect(try good.$list.value() == good.list)
  }

  @Test func `an unmanaged object without a default has a property that does not stop`() {
    let page = NeedsDefault()
    #expect(!page.$url.isConvertible && page.$url.persistedValue == nil)
    let error = #expect(throws: Store.Error.self) { try page.$url.value() }
    #expect(error?.message.hasPrefix("Failed to default construct a URL") == true)
    #expect("\(page)".contains("url = no default"))
    let list = BadPage(value: ["list": [2, 3]])
    #expect(list.$list.unconvertibleElements == [.index(1)])
  }

  @Test func `an object with values that do not convert still describes itself`() throws {
    let page = try #require(store.object(ofType: BadPage.self, forPrimaryKey: 2))
    #expect("\(page)".contains("even = unconvertible 3;"))
    #expect("\(page)".contains("\t\t[1] 7"))
  }
}

final class BadInside: EmbeddedObject {
  @Persisted(.either) var even: Even
}

final class BadPage: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var even: Even
  @Persisted(.either) var maybe: Even?
  @Persisted(.either) var list: List<Even>
  @Persisted(.either) var maybes: List<Even?>
  @Persisted(.either) var inside: BadInside?
  @Persisted(.either) var insides: List<BadInside>
}
