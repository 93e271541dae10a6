import Atoll
import Foundation
import StoreTestKit
import Testing

final class AnyCard: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var value: AnyValue
  @Persisted(.either) var pages: List<AnyValue>
  @Persisted(.either) var index: Map<String, AnyValue>
}

/// Lists and maps inside any-typed values, under the policy that writes only what differs.
@Suite struct AnyUpdateTests {
  private let folder: TemporaryStore
  private let store: Store

  init() throws {
    folder = TemporaryStore([AnyCard.self])
    store = try folder.open()
  }

  private func values(_ last: Int) -> [String: Any] {
    let nested: [String: Any] = ["sizes": [1, 2, [last]], "name": "a"]
    return ["id": 1, "value": nested, "pages": [[1, last], "x"], "index": ["k": ["m": last]]]
  }

  @Test func `modified leaves equal lists and maps as they are, however deep`() throws {
    try store.write { store.create(AnyCard.self, value: values(3)) }
    let before = try folder.lastOperations()
    try store.write { store.create(AnyCard.self, value: values(3), update: .modified) }
    #expect(try folder.lastOperations() == before)
    try store.write {
      store.create(AnyCard.self, value: ["id": 1, "pages": [[1, 4], "x"]], update: .modified)
    }
    #expect(try folder.lastVerbs().contains("assign"))
    #expect(try folder.lastOperations().allSatisfy { !$0.contains("value") })
    let card = try #require(store.object(ofType: AnyCard.self, forPrimaryKey: 1))
    #expect(card.pages[0].listValue?.map(\.intValue) == [1, 4])
    #expect(card.value["sizes"]?[2]?[0]?.intValue == 3)
  }

  @Test(arguments: [0, 1, 2, 3])
  func `modified writes what differs in order, count, key or depth`(number: Int) throws {
    try store.write { store.create(AnyCard.self, value: values(3)) }
    let others: [Any] = [
      ["sizes": [2, 1, [3]], "name": "a"], ["sizes": [1, 2, [3, 3]], "name": "a"],
      ["sizes": [1, 2, [3]], "title": "a"], ["sizes": [1, 2, 3], "name": "a"],
    ]
    try store.write {
      store.create(AnyCard.self, value: ["id": 1, "value": others[number]], update: .modified)
    }
    let card = try #require(store.object(ofType: AnyCard.self, forPrimaryKey: 1))
    let sizes = card.value["sizes"]
    switch number {
    case 0: #expect(sizes?[0]?.intValue == 2)
    case 1: #expect(sizes?[2]?.listValue?.count == 2)
    case 2: #expect(card.value["title"]?.stringValue == "a" && card.value["name"] == nil)
    default: #expect(sizes?[2]?.intValue == 3)
    }
  }
}
