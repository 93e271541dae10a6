import Atoll
import Foundation
import StoreTestKit
import Testing

/// Objects with any-typed properties on their way into a store.
@Suite struct AnyGraphTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = TemporaryStore([AnyBox.self, GraphDog.self])
    store = try folder.open()
  }

  @Test func `a list that was handed out is the one in the store`() throws {
    let list = List<AnyValue>([.int(1)])
    let box = AnyBox(value: ["id": 1])
    box.value = .list(list)
    try store.write {
      store.add(box)
      list.append(.string("two"))
    }
    #expect(box.value.listValue?.count == 2 && list.store === store)
    let again = try folder.open().objects(AnyBox.self).first
    #expect(again?.value.listValue?[1].stringValue == "two")
  }

  @Test func `create makes nested values and links, and an update writes what differs`() throws {
    let rex = try store.write { store.create(GraphDog.self, value: ["Rex"]) }
    try store.write {
      store.create(AnyBox.self, value: ["id": 1, "value": rex])
      store.create(AnyBox.self, value: ["id": 2, "value": ["a": [1, "x", NSNull()] as [Any]]])
    }
    let boxes = Array(store.objects(AnyBox.self))
    #expect(boxes[0].value.object(GraphDog.self)?.name == "Rex")
    let nested = boxes[1].value.dictionaryValue?["a"]?.listValue
    #expect(nested?.count == 3 && nested?[1].stringValue == "x" && nested?[2].isNone == true)
    let before = try folder.lastOperations()
    try store.write {
      store.create(AnyBox.self, value: ["id": 1, "value": rex], update: .modified)
    }
    #expect(try folder.lastOperations() == before)
    try store.write {
      store.create(AnyBox.self, value: ["id": 1, "value": 5], update: .modified)
      store.create(AnyBox.self, value: ["id": 2, "value": NSNull()], update: .modified)
    }
    #expect(boxes[0].value.intValue == 5 && boxes[1].value.isNone)
  }

  @Test func `an object that leads to itself through any values is added once`() throws {
    let box = AnyBox(value: ["id": 1])
    box.value = .fromArray([.object(box), .object(GraphDog(value: ["Rex"]))])
    try store.write { store.add(box) }
    let list = try #require(box.value.listValue)
    #expect(list[0].object(AnyBox.self)?.isSameObject(as: box) == true)
    #expect(list[1].object(GraphDog.self)?.store === store)
    #expect(store.objects(AnyBox.self).count == 1)
  }
}

final class AnyBox: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var value: AnyValue
}
