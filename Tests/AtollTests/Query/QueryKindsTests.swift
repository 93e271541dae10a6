import Atoll
import Foundation
import StoreTestKit
import Testing

enum Grade: Int, PersistableEnum {
  case low = 1
  case high = 5
}

final class Parcel: Object {
  @Persisted(primaryKey: .either) var id: Int
  @Persisted(.either) var tags: MutableSet<String>
  @Persisted(.either) var sizes: Map<String, Int>
  @Persisted(.either) var wares: Map<String, Ware?>
  @Persisted(.either) var labels: MutableSet<Label>
  @Persisted(.either) var spots: List<Spot>
  @Persisted(.either) var spotMap: Map<String, Spot>
  @Persisted(.either) var value: AnyValue
  @Persisted(.either) var values: List<AnyValue>
  @Persisted(.either) var amount: Decimal128
  @Persisted(.either) var amounts: List<Decimal128>
  @Persisted(.either) var grade: Grade
  @Persisted(.either) var other: Grade?
}

/// Sets, maps, embedded elements, any-typed values, decimals and enumerations in queries.
///
/// | id | tags | sizes | wares | labels | spots | spotMap | value | values | amount | amounts |
/// |---|---|---|---|---|---|---|---|---|---|---|
/// | 1 | a, b | x 1, y 2 | w → 1 | red | (1, 1), (2, 2) | p (1, 1) | 5 | 1, "a" | 1.00 | 1.5, 2.50 |
/// | 2 | b | x 5 | w → nil | – | (1, 2) | – | 5.0 | nil | 2.5 | 1 |
/// | 3 | – | – | v → 2 | blue | – | p (2, 2) | "five" | – | NaN | – |
/// | 4 | – | – | – | – | – | – | none | – | −7 | – |
@Suite struct QueryKindsTests {
  let folder: TemporaryStore
  let store: Store

  init() throws {
    folder = TemporaryStore(QueryFixture.types + [Parcel.self])
    store = try folder.open()
    try store.write {
      let first = store.create(Ware.self, value: ["id": 1, "name": "one", "price": 5])
      let second = store.create(Ware.self, value: ["id": 2, "name": "two", "price": 5])
      let one = add(1, .int(5), 1.00, .high, nil)
      one.tags.insert(objectsIn: ["a", "b"])
      one.sizes["x"] = 1
      one.sizes["y"] = 2
      one.wares["w"] = first
      one.labels.insert(Label("red"))
      one.spots.append(contentsOf: [Spot(row: 1, place: 1), Spot(row: 2, place: 2)])
      one.spotMap["p"] = Spot(row: 1, place: 1)
      one.values.append(contentsOf: [.int(1), .string("a")])
      one.amounts.append(contentsOf: [1.5, 2.50])
      let two = add(2, .double(5), 2.5, .low, .high)
      two.tags.insert("b")
      two.sizes["x"] = 5
      two.wares["w"] = .some(nil)
      two.spots.append(Spot(row: 1, place: 2))
      two.values.append(AnyValue.none)
      two.amounts.append(1)
      let three = add(3, .string("five"), .nan, .low, .low)
      three.wares["v"] = second
      three.labels.insert(Label("blue"))
      three.spotMap["p"] = Spot(row: 2, place: 2)
      _ = add(4, .none, -7, .low, nil)
    }
  }

  private func add(
    _ id: Int, _ value: AnyValue, _ amount: Decimal128, _ grade: Grade, _ other: Grade?
  ) -> Parcel {
    let parcel = Parcel()
    parcel.id = id
    parcel.value = value
    parcel.amount = amount
    parcel.grade = grade
    parcel.other = other
    store.add(parcel)
    return parcel
  }

  private func ids(_ condition: (Query<Parcel>) -> Query<Bool>) -> [Int] {
    store.objects(Parcel.self).where(condition).map(\.id)
  }

  private func filter(_ text: String, _ arguments: Any?...) throws -> [Int] {
    try store.objects(Parcel.self).filter(parsing: text, all: arguments).map(\.id)
  }

  @Test func `sets are asked like lists`() throws {
    #expect(ids { $0.tags.contains("a") } == [1])
    #expect(ids { $0.tags.containsAny(in: ["b", "c"]) } == [1, 2])
    #expect(ids { $0.tags.count == 0 } == [3, 4])
    #expect(ids { $0.labels.contains(Label("blue")) } == [3])
    #expect(try filter("ANY tags == 'a'") == [1])
    #expect(try filter("ANY labels == %@", Label("red")) == [1])
    let one = try #require(store.object(ofType: Parcel.self, forPrimaryKey: 1))
    #expect(Array(one.tags.sorted(ascending: false)) == ["b", "a"])
  }

  @Test func `maps are asked by key, by keys and by values`() throws {
    #expect(ids { $0.sizes["x"] > 1 } == [2])
    #expect(ids { $0.sizes["y"] == 2 } == [1])
    #expect(ids { $0.sizes.keys.contains("x") } == [1, 2])
    #expect(ids { $0.sizes.keys == "y" } == [1])
    #expect(ids { $0.sizes.keys.starts(with: "x") } == [1, 2])
    #expect(ids { $0.sizes.values > 1 } == [1, 2])
    #expect(ids { $0.sizes.contains(5) } == [2])
    #expect(ids { $0.sizes.max == 2 } == [1])
    #expect(ids { $0.sizes.count == 2 } == [1])
    #expect(ids { $0.wares["w"].name == "one" } == [1])
    #expect(ids { $0.wares["w"] == nil } == [2, 3, 4])
    #expect(ids { $0.wares.values.name == "two" } == [3])
    #expect(try filter("sizes['x'] > 1") == [2])
    #expect(try filter("sizes[%@] == 2", "y") == [1])
    #expect(try filter("ANY sizes.@allKeys == 'y'") == [1])
    #expect(try filter("ANY sizes.@allValues == 5") == [2])
    #expect(try filter("wares['w'].name == 'one'") == [1])
    #expect(try filter("sizes.@count > 0") == [1, 2])
  }

  @Test func `rule 52: one embedded element, or one value of a map, matches all members`() throws {
    #expect(ids { $0.spots == Spot(row: 1, place: 1) } == [1])
    #expect(ids { $0.spots.contains(Spot(row: 2, place: 1)) } == [])
    #expect(ids { $0.spotMap == Spot(row: 2, place: 2) } == [3])
    #expect(ids { $0.spotMap["p"] == Spot(row: 1, place: 1) } == [1])
    #expect(try filter("ANY spots == %@", Spot(row: 1, place: 2)) == [2])
    #expect(try filter("ANY spots.row == 2") == [1])
    #expect(try filter("%@ IN spots", Spot(row: 1, place: 2)) == [2])
  }

  @Test func `rule 53: a collection without elements does not differ from a value`() throws {
    #expect(ids { $0.spots != Spot(row: 1, place: 1) } == [2])
    #expect(ids { $0.spotMap != Spot(row: 1, place: 1) } == [3])
    #expect(try filter("ANY spots != %@", Spot(row: 1, place: 1)) == [2])
  }

  @Test func `rule 56: containsAny and contains of embedded elements are alternatives`() {
    let spots = [Spot(row: 1, place: 2), Spot(row: 2, place: 2)]
    #expect(ids { $0.spots.containsAny(in: spots) } == [1, 2])
    #expect(ids { $0.spots.contains(spots[0]) } == [2])
    #expect(ids { $0.spotMap.in(spots) } == [3])
  }

  @Test func `any-typed numbers compare by value, other values with their kind`() throws {
    #expect(ids { $0.value == .int(5) } == [1, 2])
    #expect(ids { $0.value == .decimal128(5) } == [1, 2])
    #expect(ids { $0.value > .double(4.5) } == [1, 2])
    #expect(ids { $0.value < .double(4.5) } == [])
    #expect(ids { $0.value == .string("five") } == [3])
    #expect(ids { $0.value < .string("z") } == [3])
    #expect(ids { $0.value == .none } == [4])
    #expect(ids { $0.value != .none } == [1, 2, 3])
    #expect(ids { $0.value.starts(with: "FI", options: .caseInsensitive) } == [3])
    #expect(ids { $0.value.in([.int(5), .none]) } == [1, 2, 4])
    #expect(ids { $0.values.contains(.string("a")) } == [1])
    #expect(ids { $0.values.contains(AnyValue.none) } == [2])
    #expect(try filter("value == 5") == [1, 2])
    #expect(try filter("value == %@", AnyValue.string("five")) == [3])
    #expect(try filter("value BEGINSWITH 'fi'") == [3])
    #expect(store.objects(Parcel.self).sorted(by: \.value).map(\.id) == [4, 1, 2, 3])
  }

  @Test func `paths lead into lists and dictionaries of any-typed values`() throws {
    let two = try #require(store.object(ofType: Parcel.self, forPrimaryKey: 2))
    try store.write {
      let inner = Map<String, AnyValue>()
      inner["k"] = .list(List([.int(7), .string("x")]))
      two.value = .dictionary(inner)
    }
    #expect(ids { $0.value["k"][0] == .int(7) } == [2])
    #expect(ids { $0.value["k"][1] == .string("x") } == [2])
    #expect(ids { $0.value["k"].any == .string("x") } == [2])
    #expect(ids { $0.value["z"] == .int(7) } == [])
    #expect(try filter("value['k'][0] == 7") == [2])
    #expect(try filter("value['k'][LAST] == 'x'") == [2])
    #expect(try filter("ANY value['k'][#any] == 7") == [2])
  }

  @Test func `decimals are equal as numbers, NaN to none`() throws {
    #expect(ids { $0.amount == 1 } == [1])
    #expect(ids { $0.amount == 1.0 } == [1])
    #expect(ids { $0.amount != 1 } == [2, 3, 4])
    #expect(ids { $0.amount < 2.5 } == [1, 4])
    #expect(ids { $0.amount <= 2.50 } == [1, 2, 4])
    #expect(ids { $0.amount > -7 } == [1, 2])
    #expect(ids { $0.amount == .nan } == [])
    #expect(ids { $0.amount.in([1, 2.5]) } == [1, 2])
    #expect(ids { $0.amounts.sum == 4 } == [1])
    #expect(ids { $0.amounts.sum == 0 } == [3, 4])
    #expect(ids { $0.amounts.avg == 2 } == [1])
    #expect(ids { $0.amounts.max == 2.5 } == [1])
    #expect(try filter("amount == 2.5") == [2])
    #expect(try filter("amount == '2.500'") == [2])
    let all = store.objects(Parcel.self).where { $0.id != 3 }
    #expect(all.sum(of: \.amount) == -3.5)
    let average: Decimal128? = all.average(ofProperty: "amount")
    #expect(average == "-1.166666666666666666666666666666667")
    #expect(store.objects(Parcel.self).min(of: \.amount) == -7)
    // NaN is last, as in columns of floating-point numbers.
    #expect(store.objects(Parcel.self).sorted(by: \.amount).map(\.id) == [4, 1, 2, 3])
  }

  @Test func `rule 66: enumerations are asked by case or by raw value, and ordered by raw value`()
    throws
  {
    #expect(ids { $0.grade == .high } == [1])
    #expect(ids { $0.grade.rawValue > 1 } == [1])
    #expect(ids { $0.grade > .low } == [1])
    #expect(ids { $0.other == nil } == [1, 4])
    #expect(ids { $0.other == .high } == [2])
    #expect(ids { $0.other.rawValue == 1 } == [3])
    #expect(try filter("grade == %@", Grade.high) == [1])
    #expect(try filter("grade == 5") == [1])
    #expect(store.objects(Parcel.self).sorted(by: \.grade, ascending: false).first?.id == 1)
  }

  @Test func `rule 57: sets of objects lead to mapped values`() {
    #expect(ids { $0.wares["v"].spot == Spot(row: 0, place: 0) } == [3])
    #expect(ids { $0.wares.values.label == Label("") } == [1, 3])
  }
}
