import Atoll
import AtollVocabulary
import Foundation
import Testing

@Suite struct AnyValueTests {
  /// One of every kind, in the order in which kinds sort.
  static var samples: [AnyValue] {
    [
      .none, .bool(false), .bool(true), .double(-.infinity), .int(-3), .float(0.5), .double(0.75),
      .decimal128(2.5), .int(3), .string(""), .string("a\0b"), .string("b"), .data(Data([1])),
      .data(Data([1, 0])), .date(Date(timeIntervalSinceReferenceDate: 0.1)),
      .objectId(ObjectId(high: 1, low: 2)), .uuid(UUID(UniqueBytes(high: 1, low: 2))),
      [1, "two", nil], ["a": 1],
    ]
  }

  @Test func `literals are values`() {
    let values: [AnyValue] = [nil, 5, 2.5, true, "text", "\(1 + 1)", [1, [2]], ["k": ["l": nil]]]
    #expect(values[0].isNone)
    #expect(values[1].intValue == 5)
    #expect(values[2].doubleValue == 2.5)
    #expect(values[3].boolValue == true)
    #expect(values[4].stringValue == "text")
    #expect(values[5].stringValue == "2")
    #expect(values[6][1]?[0]?.intValue == 2)
    #expect(values[7]["k"]?["l"]?.isNone == true)
    #expect(values[7]["x"] == nil)
    #expect(values[1].stringValue == nil)
    #expect(values[1].doubleValue == nil)
  }

  @Test func `an object is read by its class`() {
    let country = Country(value: ["CH", "Switzerland"])
    let value = AnyValue.object(country)
    #expect(value.object(Country.self) === country && value.object(Airport.self) == nil)
    #expect(value == .object(country) && value != .object(Country(value: ["CH", "Switzerland"])))
  }

  @Test func `numbers of every type compare by value`() throws {
    let one: [AnyValue] = [
      .int(1), .float(1), .double(1), .decimal128(try Decimal128(string: "1.00")),
    ]
    for a in one {
      for b in one {
        #expect(a == b)
        #expect(a.hashValue == b.hashValue)
        #expect(!(a < b))
      }
      #expect(a != .bool(true))
      #expect(a != .string("1"))
      #expect(a < .double(1.5))
      #expect(AnyValue.int(0) < a)
    }
    #expect(AnyValue.double(0.1) == .decimal128(0.1))
    #expect(AnyValue.float(0.1) != .double(0.1))
    #expect(AnyValue.double(-0.0) == .int(0))
    #expect(AnyValue.double(.nan) != .double(.nan))
    #expect(AnyValue.double(.nan) < .double(-.infinity))
    let large = 1 << 60
    #expect(AnyValue.int(large) == .double(Double(large)))
    #expect(AnyValue.double(Double(large)) < .int(large + 1))
    #expect(AnyValue.int(.max) < .double(9.3e18))
    #expect(AnyValue.double(-1e300) < .int(.min))
  }

  @Test func `kinds sort none, truth, numbers, texts, data, dates, ids, lists, maps`() {
    let samples = Self.samples
    #expect(samples.shuffled().sorted() == samples)
    for (index, value) in samples.enumerated() {
      #expect(value == value && !(value < value))
      for later in samples[(index + 1)...] { #expect(value < later && !(later < value)) }
    }
    #expect(
      AnyValue.uuid(UUID()) < .object(Country()) && .object(Country()) < AnyValue.list(List()))
  }

  @Test func `lists and maps are equal if their contents are`() {
    let nested: AnyValue = [1, [2.0]]
    let same: AnyValue = [1.0, [2]]
    #expect(nested == same && nested.hashValue == same.hashValue)
    let (one, two, three): (AnyValue, AnyValue, AnyValue) = ([1], [1, 2], [1, 3])
    #expect(one != two && one < two && two < three)
    let map: AnyValue = ["a": 1, "b": [nil]]
    let other: AnyValue = ["b": [nil], "a": 1.0]
    #expect(map == other && map != one)
    let (a, b, c): (AnyValue, AnyValue, AnyValue) = (["a": 1], ["a": 2], ["b": 1])
    #expect(a != b && a < b && b < c)
  }

  @Test func `a property keeps every kind`() {
    let holder = AnyHolder()
    #expect(holder.value.isNone && holder.explicit == 7)
    for value in Self.samples {
      holder.value = value
      #expect(holder.value == value)
    }
    let list = List<AnyValue>([1])
    holder.value = .list(list)
    holder.value.listValue?.append("x")
    #expect(list.count == 2 && holder.value == [1, "x"])
    holder.value[0] = true
    #expect(list[0] == true)
  }

  @Test func `rule 2: an any-typed property is no mapped one's persisted type, nor optional`() {
    #expect(AnyHolder().objectSchema["value"]?.type == .any)
    #expect(!((AnyValue.self as Any.Type) is any _BuiltinPersistable.Type))
  }

  @Test func `an optional any-typed property is refused when the class is looked at`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(AnyOptional.self).validate()
    }
    #expect(said(result, "Property 'AnyOptional.value': an AnyValue is never optional"))
  }

  @Test func `collections hold every kind`() {
    let holder = AnyHolder()
    holder.list.append(objectsIn: Self.samples)
    #expect(Array(holder.list) == Self.samples)
    for value in Self.samples.dropLast(2) { holder.set.insert(value) }
    #expect(holder.set.count == Self.samples.count - 2 && holder.set.contains("b"))
    for (index, value) in Self.samples.enumerated() { holder.map["k\(index)"] = value }
    #expect(holder.map["k3"] == .double(-.infinity) && holder.map["k0"] == AnyValue.none)
    holder.list[17][0] = "changed"
    #expect(holder.list[17] == ["changed", "two", nil])
  }

  @Test func `a set tells stored values apart, one by one`() throws {
    let set = MutableSet<AnyValue>()
    for text in ["1.0", "1.00", "1"] { set.insert(.decimal128(try Decimal128(string: text))) }
    set.insert(objectsIn: [1, 1.0, .float(1), .double(.nan), .double(.nan), .double(-0.0), 0.0])
    #expect(set.count == 7)
  }

  @Test func `rules 26 and 31: values of unknown form take their own type`() {
    let rows: [(Any, AnyValue)] = [
      (5, 5), (Int8(5), 5), (true, true), (NSNumber(value: true), true), (NSNumber(value: 1), 1),
      (2.5, 2.5), (CGFloat(2.5), 2.5), (Float(0.5), .float(0.5)), ("x", "x"), (NSNull(), nil),
      (Int???.none as Any, nil), ([1, "a", NSNull()] as [Any], [1, "a", nil]),
      (["a": [1, 2.5]] as [String: Any], ["a": [1, 2.5]]), (AnyValue.int(3), 3),
      (ValuesKind.grass, "grass"), (Wrapped(value: 9), 9), (Decimal(string: "1.5") as Any, 1.5),
      (NSArray(array: [1, 2]), [1, 2]), (NSString("x"), "x"), (List<AnyValue>([1]), [1]),
    ]
    for (any, expected) in rows {
      let holder = AnyHolder(value: ["value": any, "list": [any]])
      #expect(holder.value == expected, "\(type(of: any)) \(any)")
      #expect(holder.list.first == expected)
    }
    #expect(AnyValue._coerce(true)?.scalar == .bool(true))
    #expect(AnyValue._coerce(NSNumber(value: 1))?.scalar == .int(1))
    #expect(AnyValue._coerce(UInt64.max) == nil && AnyValue._coerce(Location()) == nil)
    #expect(AnyValue._coerce(["$a": 1]) == nil && AnyValue._coerce([Character("x")]) == nil)
  }

  @Test func `rule 26: a plain property takes what an any-typed value holds`() {
    #expect(Int._coerce(AnyValue.int(5))?.scalar == .int(5))
    #expect(String._coerce(AnyValue.int(5)) == nil)
  }

  @Test func `json has every scalar, list and map, and gives each back as it was`() throws {
    let value = AnyValue.fromArray(Self.samples + [["x": [.double(.nan)]]])
    let json = try JSONEncoder().encode(value)
    let back = try JSONDecoder().decode(AnyValue.self, from: json)
    #expect(back.listValue.map { Array($0.dropLast()) } == Self.samples)
    #expect(back.listValue?.last?["x"]?[0]?.doubleValue?.isNaN == true)
    #expect(back[5]?.floatValue == 0.5 && back[7]?.decimal128Value == 2.5)
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(AnyValue.object(Country())) }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(AnyValue.self, from: Data(#"{"$other": 1}"#.utf8))
    }
  }

  @Test func `an unmanaged object with collections is written and read`() throws {
    let model = CodableCollections()
    model.list.append(objectsIn: [1, 2])
    model.optionals.append(objectsIn: ["a", nil])
    model.set.insert(.grass)
    model.map["k"] = 3
    model.value = ["deep": [1, .date(Date(timeIntervalSinceReferenceDate: 0.1))]]
    let json = try JSONEncoder().encode(model)
    let back = try JSONDecoder().decode(CodableCollections.self, from: json)
    #expect(Array(back.list) == [1, 2] && Array(back.optionals) == ["a", nil])
    #expect(back.set.contains(.grass) && back.map["k"] == 3 && back.value == model.value)
    #expect(throws: DecodingError.self) {
      let text = String(decoding: json, as: UTF8.self).replacing("\"k\"", with: "\"$k\"")
      return try JSONDecoder().decode(CodableCollections.self, from: Data(text.utf8))
    }
  }
}
