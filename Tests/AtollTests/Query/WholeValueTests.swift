import Atoll
import Foundation
import StoreTestKit
import Testing

/// Any-typed properties compared with lists and maps, and added up.
@Suite struct WholeValueTests {
  private let folder: TemporaryStore
  private let store: Store

  init() throws {
    folder = TemporaryStore([AnyHolder.self])
    store = try folder.open()
    let values: [AnyValue] = [
      [1, "a", [2]], [1, "a"], ["x": 1, "y": .none], ["x": 1, "z": .none], 1, .none, [],
    ]
    try store.write {
      for value in values { store.create(AnyHolder.self, value: ["value": value]) }
    }
  }

  /// The places of those that satisfy the condition.
  private func places(_ condition: (Query<AnyHolder>) -> Query<Bool>) -> [Int] {
    let all = Array(store.objects(AnyHolder.self))
    return store.objects(AnyHolder.self).where(condition).map { holder in
      all.firstIndex { $0.isSameObject(as: holder) } ?? -1
    }
  }

  @Test func `an any-typed value equals a list or a map with the same in it`() {
    #expect(places { $0.value == [1, "a", [2]] } == [0])
    #expect(places { $0.value == [1, "a"] } == [1])
    #expect(places { $0.value == ["a", 1] } == [])
    #expect(places { $0.value == ["x": 1, "y": .none] } == [2])
    #expect(places { $0.value == ["x": 1] } == [])
    #expect(places { $0.value == .fromArray([]) } == [6])
    #expect(places { $0.value == .fromDictionary([:]) } == [])
    #expect(places { $0.value != [1, "a"] } == [0, 2, 3, 4, 5, 6])
    #expect(places { $0.value[2] == [2] } == [0])
    #expect(places { $0.value > [1] } == [])
  }

  @Test func `the sum of no any-typed values is zero`() {
    let none = store.objects(AnyHolder.self).where { $0.explicit == 0 }
    #expect(none.sum(ofProperty: "value") as AnyValue == .decimal128(0))
    #expect(none.sum(of: \.value) == .decimal128(0))
    let texts = store.objects(AnyHolder.self).where { $0.value == .none }
    #expect(texts.sum(ofProperty: "value") as AnyValue == .decimal128(0))
    #expect(texts.first?.list.sum() == .decimal128(0))
  }

  @Test func `an any-typed property reads by name as what is in it`() throws {
    let holders = Array(store.objects(AnyHolder.self))
    #expect(holders[4]["value"] as? Int == 1 && holders[5]["value"] == nil)
    #expect(holders[0]["value"] as? List<AnyValue> == holders[0].value.listValue)
    #expect((holders[2].value(forKey: "value") as? Map<String, AnyValue>)?["x"] == 1)
    #expect(AnyHolder(value: ["value": "a"])["value"] as? String == "a")
    #expect(AnyHolder()["value"] == nil && holders[0]["explicit"] as? Int == 7)
    try store.write { holders[5]["value"] = "text" }
    #expect(holders[5]["value"] as? String == "text")
    let dynamic = try #require(store.dynamicObjects("AnyHolder").last)
    #expect(
      dynamic["explicit"] as? Int == 7 && (dynamic["value"] as? List<AnyValue>)?.isEmpty == true)
  }

  @Test func `an object in an any-typed value is read by the names of its properties`() throws {
    let holder = AnyHolder()
    let other = try #require(store.objects(AnyHolder.self).first)
    #expect(AnyValue.object(holder).dynamicObject == nil && AnyValue.int(1).dynamicObject == nil)
    #expect(AnyValue.object(other).dynamicObject?["explicit"] as? Int == 7)
    #expect(AnyValue().isNone)
  }
}
