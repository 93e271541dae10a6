import Atoll
import Foundation
import StoreTestKit
import Testing

@Suite struct ManagedAnyValueTests {
  private let folder: TemporaryStore
  private let store: Store

  init() throws {
    folder = TemporaryStore([AnyHolder.self, Country.self])
    store = try folder.open()
  }

  private var elsewhere: AnyHolder {
    get throws { try #require(try folder.open().objects(AnyHolder.self).first) }
  }

  @Test func `a property keeps every kind through the file, one after the other`() throws {
    let holder = try store.write { store.create(AnyHolder.self) }
    #expect(holder.value.isNone && holder.explicit == 7)
    for value in AnyValueTests.samples + AnyValueTests.samples.reversed() {
      try store.write { holder.value = value }
      #expect(holder.value == value)
      let other = try elsewhere
      #expect(other.value == value)
      #expect("\(other.value)".prefix(4) == "\(value)".prefix(4))
    }
  }

  @Test func `collections keep every kind through the file`() throws {
    let samples = AnyValueTests.samples
    let holder = AnyHolder()
    holder.list.append(objectsIn: samples)
    holder.set.insert(objectsIn: samples.dropLast(2))
    for (index, value) in samples.enumerated() { holder.map["k\(index)"] = value }
    try store.write { store.add(holder) }
    for object in try [holder, elsewhere] {
      #expect(Array(object.list) == samples)
      #expect(object.set.sorted() == Array(samples.dropLast(2)))
      for (index, value) in samples.enumerated() { #expect(object.map["k\(index)"] == value) }
    }
  }

  @Test func `the type is kept, not only the number`() throws {
    let holder = try store.write { store.create(AnyHolder.self) }
    let one: [AnyValue] = [.int(1), .bool(true), .float(1), .double(1), .decimal128(1)]
    try store.write { holder.list.append(objectsIn: one) }
    let other = try elsewhere.list
    #expect(other[0].intValue == 1 && other[1].boolValue == true && other[2].floatValue == 1)
    #expect(other[3].doubleValue == 1 && other[4].decimal128Value == 1)
    try store.write { holder.value = .decimal128(try Decimal128(string: "1.50")) }
    #expect(try elsewhere.value.decimal128Value?.description == "1.50")
    #expect(try elsewhere.$value.persistedValue?.decimal128Value?.description == "1.50")
  }

  @Test func `the list that an object held is the live one once it is added`() throws {
    let list = List<AnyValue>([1])
    let inner = Map<String, AnyValue>(["a": 1])
    list.append(.dictionary(inner))
    let holder = AnyHolder()
    holder.value = .list(list)
    try store.write {
      store.add(holder)
      list.append("added")
      inner["b"] = 2
    }
    #expect(list.store === store && inner.store === store)
    #expect(try elsewhere.value == [1, ["a": 1, "b": 2], "added"])
    try store.write { holder.value = 5 }
    #expect(try elsewhere.value == 5)
  }

  private func nested() throws -> (
    holder: AnyHolder, list: List<AnyValue>, inner: Map<String, AnyValue>, element: List<AnyValue>
  ) {
    let holder = try store.write {
      store.create(AnyHolder.self, value: ["value": [1, ["a": 2]], "list": [[7], 8]])
    }
    let list = try #require(holder.value.listValue)
    return (
      holder, list, try #require(list[1].dictionaryValue),
      try #require(holder.list[0].listValue)
    )
  }

  @Test func `a list or map is invalidated when another value takes its place`() throws {
    let (holder, list, inner, element) = try nested()
    try store.write {
      list[0] = 5
      inner["a"] = 3
      element.append(8)
    }
    #expect(!list.isInvalidated && !inner.isInvalidated && !element.isInvalidated)
    #expect(holder.value == [5, ["a": 3]])
    try store.write {
      holder.value = [1, ["a": 2]]
      #expect(list.isInvalidated && inner.isInvalidated && !element.isInvalidated)
    }
    #expect(list.isInvalidated && inner.isInvalidated)
    let second = try #require(holder.value.listValue)
    #expect(!second.isInvalidated && second != list && second == holder.value.listValue)
    try store.beginWrite()
    holder.value = 1
    #expect(second.isInvalidated)
    store.cancelWrite()
    #expect(!second.isInvalidated && second.count == 2)
    try store.write { holder.list[0] = [7] }
    #expect(element.isInvalidated && holder.list[0] == [7])
  }

  @Test func `so it is when somebody else assigns the value, and when its object is deleted`()
    throws
  {
    let (holder, list, _, element) = try nested()
    let other = try elsewhere
    try other.store?.write { other.value = [1, ["a": 2]] }
    #expect(!list.isInvalidated)
    store.refresh()
    #expect(list.isInvalidated && !element.isInvalidated)
    let frozen = try #require(holder.value.listValue?.freeze())
    try store.write { store.delete(holder) }
    #expect(element.isInvalidated && !frozen.isInvalidated && frozen.count == 2)
  }

  @Test func `using one that was replaced stops with what to ask before`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let tests = try ManagedAnyValueTests()
      let (holder, list, _, _) = try tests.nested()
      try tests.store.write {
        holder.value = [1]
        list.append(2)
      }
    }
    #expect(said(result, "a list of any values that 'AnyHolder.value' does not hold any more"))
    #expect(said(result, "Ask 'isInvalidated' before using"))
  }

  @Test func `an object links to itself through a list of any values`() throws {
    let country = Country(value: ["CH", "Switzerland"])
    let holder = AnyHolder()
    holder.value = [.object(holder), ["home": .object(country)]]
    try store.write { store.add(holder) }
    let other = try elsewhere
    #expect(other.value[0]?.object(AnyHolder.self)?.isSameObject(as: other) == true)
    #expect(other.value[1]?["home"]?.object(Country.self)?.code == "CH")
    try store.write { store.delete(country) }
    #expect(holder.value[1]?["home"]?.isNone == true)
  }

  @Test func `create takes nested dictionaries and arrays of any values`() throws {
    let value: [String: Any] = ["sizes": [1, 2.5, NSNull()], "deep": ["x": ["y": true]]]
    try store.write { store.create(AnyHolder.self, value: ["value": value, "list": [value]]) }
    let expected: AnyValue = ["sizes": [1, 2.5, nil], "deep": ["x": ["y": true]]]
    #expect(try elsewhere.value == expected && elsewhere.list[0] == expected)
  }
}
