import Atoll
import Foundation
import StoreTestKit
import Testing

@Suite struct NestedCollectionTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = TemporaryStore([Notebook.self, Country.self])
    store = try folder.open()
  }

  private func reopened() throws -> Notebook {
    try #require(try folder.open().objects(Notebook.self).first)
  }

  @Test func `a list of any values keeps scalars of every type, objects and nil`() throws {
    let values: [AnyValue] = [
      .none, .int(1), .bool(true), .double(0.5), .string("s"), .data(Data([1])),
      .object(Country(value: ["CH"])),
    ]
    try store.write {
      let book = store.create(Notebook.self)
      book.pages.append(objectsIn: values)
      book.index.updateValue(.int(7), forKey: "seven")
      book.marks.insert(objectsIn: [.int(1), .int(1), .double(1), .string("1")])
    }
    let other = try reopened()
    #expect(other.pages.count == values.count)
    #expect(other.pages[0].isNone)
    #expect(other.pages[3].doubleValue == 0.5)
    #expect(other.pages[6].object(Country.self)?.code == "CH")
    #expect(other.index["seven"]?.intValue == 7)
    #expect(other.marks.count == 3)
    #expect(other.marks.contains(.double(1)))
  }

  @Test func `a list in an element is live, and changes to it are kept`() throws {
    try store.write {
      let book = store.create(Notebook.self)
      book.pages.append(.fromArray([.int(1), .int(2)]))
      book.pages[0].listValue?.append(.int(3))
      book.pages[0].listValue?.remove(at: 0)
      book.pages.insert(.string("before"), at: 0)
      #expect(book.pages[1].listValue?.map(\.intValue) == [2, 3])
    }
    #expect(try reopened().pages[1].listValue?.map(\.intValue) == [2, 3])
  }

  @Test func `a map in an entry is live, and lists inside it`() throws {
    try store.write {
      let book = store.create(Notebook.self)
      book.index["a"] = .dictionary(Map(["b": .fromArray([.int(1)])]))
      book.index["a"]?.dictionaryValue?["c"] = .int(2)
      book.index["a"]?.dictionaryValue?["b"]?.listValue?.append(.string("deep"))
    }
    let map = try #require(try reopened().index["a"]?.dictionaryValue)
    #expect(map.keys == ["b", "c"])
    #expect(map["b"]?.listValue?[1].stringValue == "deep")
  }

  @Test func `a list in a property of one value is live`() throws {
    try store.write {
      let book = store.create(Notebook.self)
      book.cover = .fromArray([.int(1)])
      book.cover.listValue?.append(.int(2))
      book.cover.listValue?.append(.fromArray([.int(3)]))
      book.cover.listValue?[2].listValue?.append(.int(4))
    }
    let cover = try #require(try reopened().cover.listValue)
    #expect(cover.count == 3)
    #expect(cover[2].listValue?.map(\.intValue) == [3, 4])
  }

  @Test func `the list that was assigned is the one that is there from then on`() throws {
    let (inner, outer) = (List<AnyValue>([.int(1)]), List<AnyValue>())
    outer.append(.list(inner))
    try store.write {
      let book = store.create(Notebook.self)
      book.cover = .list(outer)
      outer.append(.int(2))
      inner.append(.int(3))
    }
    let cover = try #require(try reopened().cover.listValue)
    #expect(cover.count == 2)
    #expect(cover[0].listValue?.map(\.intValue) == [1, 3])
  }

  @Test func `an object that is added brings its nested lists along`() throws {
    let inner = List<AnyValue>([.int(1)])
    let book = Notebook()
    book.pages.append(.list(inner))
    book.index["a"] = .list(inner)
    book.cover = .dictionary(Map(["k": .int(5)]))
    try store.write {
      store.add(book)
      book.pages[0].listValue?.append(.int(2))
      book.cover.dictionaryValue?["l"] = .int(6)
    }
    let other = try reopened()
    #expect(other.pages[0].listValue?.map(\.intValue) == [1, 2])
    #expect(other.index["a"]?.listValue?.map(\.intValue) == [1])
    #expect(other.cover.dictionaryValue?.keys == ["k", "l"])
  }

  @Test func `the list and the map that an object brought along are those of the store afterwards`()
    throws
  {
    let (inner, map) = (List<AnyValue>([.int(1)]), Map<String, AnyValue>())
    let book = Notebook()
    book.pages.append(.list(inner))
    book.cover = .dictionary(map)
    try store.write {
      store.add(book)
      inner.append(.int(2))
      map["k"] = .int(3)
    }
    #expect(inner.store === store)
    let other = try reopened()
    #expect(other.pages[0].listValue?.map(\.intValue) == [1, 2])
    #expect(other.cover.dictionaryValue?["k"]?.intValue == 3)
  }

  @Test func `an object in an any value reads as none after it was deleted`() throws {
    try store.write {
      let book = store.create(Notebook.self)
      let switzerland = Country(value: ["CH"])
      book.cover = .object(switzerland)
      book.index["home"] = .object(switzerland)
      #expect(book.cover.object(Country.self)?.code == "CH")
      store.delete(switzerland)
      #expect(book.cover.isNone)
      #expect(book.index["home"]?.isNone == true)
    }
  }
}

final class Notebook: Object {
  @Persisted(.either) var cover: AnyValue
  @Persisted(.either) var pages: List<AnyValue>
  @Persisted(.either) var marks: MutableSet<AnyValue>
  @Persisted(.either) var index: Map<String, AnyValue>
}
