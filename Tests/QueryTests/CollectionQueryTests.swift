import Atoll
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

/// Lists, sets, maps and backlinks asked as results are, and aggregates of values of any type.
@Suite struct CollectionQueryTests {
  private let place: TemporaryStore
  private let store: Store
  private let hub: Wide

  init() throws {
    place = TemporaryStore(Wide.types)
    let store = try place.open()
    self.store = store
    hub = try store.write {
      let hub = store.create(Wide.self, value: ["id": 0])
      let anys: [AnyValue] = [.int(3), .string("a"), .none, .decimal128(1.5), .double(0.5)]
      for id in 1...5 {
        let wide = store.create(
          Wide.self, value: ["id": id, "int": id * id, "string": id < 3 ? "low" : "high"])
        wide.any = anys[id - 1]
        wide.next = hub
        hub.many.append(wide)
        hub.others.insert(wide)
        hub.entries["k\(6 - id)"] = .some(wide)
      }
      hub.many.append(hub.many[0])
      hub.entries["none"] = .some(nil)
      hub.intMap["a"] = 4
      hub.intMap["b"] = .some(nil)
      hub.intMap["c"] = -1
      hub.intMap["d"] = 4
      hub.anys.append(objectsIn: anys)
      return hub
    }
  }

  @Test func `objects of each collection are filtered, sorted, told apart and cut`() throws {
    func check<Objects: _ObjectCollection & _Aggregated>(
      _ objects: Objects, _ ids: [Int], _ name: String
    ) throws where Objects._Model == Wide {
      #expect(objects._objects("Asking").map(\.id) == ids, "\(name)")
      #expect(objects.where { $0.int > 4 }.map(\.id) == ids.filter { $0 > 2 }, "\(name)")
      #expect(objects.filter("int > %@", 4).map(\.id) == ids.filter { $0 > 2 }, "\(name)")
      #expect(try objects.filter(parsing: "int * 2 > 18").map(\.id) == ids.filter { $0 > 3 })
      #expect(throws: PredicateParsingError.self) { try objects.filter(parsing: "itn > 1") }
      let down = objects.sorted(by: \.id, ascending: false).map(\.id)
      #expect(down == ids.sorted(by: >), "\(name)")
      #expect(objects.sorted(byKeyPath: "next.id").map(\.id) == ids, "\(name): ties as before")
      #expect(objects.distinct(by: [\.string]).count == 2, "\(name)")
      #expect(objects.sectioned(by: \.string).allKeys == ["high", "low"], "\(name)")
      #expect(objects.sectioned(by: \.string).map(\.count) == [3, ids.count - 3], "\(name)")
      #expect(objects.min(ofProperty: "int") == 1 && objects.max(ofProperty: "int") == 25)
      #expect(objects.sum(ofProperty: "int") == ids.reduce(0) { $0 + $1 * $1 }, "\(name)")
      let average: Double? = objects.average(ofProperty: "id")
      #expect(average == Double(ids.reduce(0, +)) / Double(ids.count), "\(name)")
    }
    try check(hub.many, [1, 2, 3, 4, 5, 1], "a list")
    try check(hub.entries, [5, 4, 3, 2, 1], "a map")
    try check(hub.back, [1, 2, 3, 4, 5], "backlinks")
    #expect(hub.others.where { $0.int > 4 }.sorted(by: \.id).map(\.id) == [3, 4, 5])
    #expect(hub.others.max(ofProperty: "int") == 25)
  }

  @Test func `values of a map are asked as those of a list`() throws {
    #expect(Array(hub.intMap.sorted()) == [nil, -1, 4, 4])
    #expect(Array(hub.intMap.distinct()) == [4, nil, -1])
    #expect(Array(hub.intMap.where { $0 > 0 }) == [4, 4])
    #expect(Array(hub.intMap.filter("SELF == nil")) == [nil])
    #expect(hub.intMap.min() == -1 && hub.intMap.max() == 4 && hub.intMap.sum() == 7)
    #expect(hub.intMap.average() as Double? == 7.0 / 3)
  }

  @Test func `aggregates of any-typed values go by their order, and add what is a number`() throws {
    let all = store.objects(Wide.self).where { $0.id > 0 }
    let sum: Decimal128 = 5
    #expect(all.min(of: \.any) == .double(0.5) && all.max(of: \.any) == .string("a"))
    #expect(all.min(ofProperty: "any") == AnyValue.double(0.5))
    #expect(all.sum(of: \.any) == .decimal128(sum))
    #expect(all.average(of: \.any) == sum / 3)
    #expect(hub.anys.min() == .double(0.5) && hub.anys.max() == .string("a"))
    #expect(hub.anys.sum() == .decimal128(sum))
    let none = store.objects(Wide.self).where { $0.id > 9 }
    #expect(none.min(of: \.any) == nil && none.sum(of: \.any) == .decimal128(0))
  }

  @Test func `dates have a least and a greatest`() throws {
    let all = store.objects(Wide.self)
    try store.write { hub.dates.append(objectsIn: [nil, Date(timeIntervalSinceReferenceDate: 5)]) }
    #expect(all.filter("dates.@min == 5 AND dates.@max <= 5").map(\.id) == [0])
    #expect(all.filter("dates.@max == nil").count == 5)
    #expect(all.where { $0.dates.max > Date(timeIntervalSinceReferenceDate: 4) }.map(\.id) == [0])
  }

  @Test func `a prefix, distinct objects and sections stay live`() throws {
    let all = store.objects(Wide.self)
    let two = all.filter("id > 0 SORT(int DESC) LIMIT(2)")
    let same = all.where { $0.id > 0 }.sorted(by: \.int, ascending: false).prefix(2)
    let strings = all.sorted(by: \.id).distinct(by: [\.string])
    let sections = all.sectioned(by: \.string)
    #expect(two.map(\.id) == [5, 4] && same.map(\.id) == [5, 4])
    #expect(strings.map(\.id) == [0, 1, 3] && sections.map(\.count) == [1, 3, 2])
    try store.write {
      hub.many[0].int = 100
      hub.many[2].string = "middle"
    }
    #expect(two.map(\.id) == [1, 5] && same.map(\.id) == [1, 5] && same.count == 2)
    #expect(strings.map(\.id) == [0, 1, 3, 4])
    #expect(sections.allKeys == ["", "high", "low", "middle"])
    #expect(sections[1].map(\.id) == [4, 5])
    try store.write { store.delete(all) }
    #expect(two.isEmpty && strings.isEmpty && sections.isEmpty)
  }
}
