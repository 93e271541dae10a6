import Atoll
import AtollQuery
import AtollStorage
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

/// Every scalar type, plain and mapped, through the file and back.
@Suite struct ScalarTests {
  let store: Store
  private let folder: TemporaryStore

  init() throws {
    folder = TemporaryStore([Scalars.self, Boxes.self])
    store = try folder.open()
  }

  /// Assigns each value and expects it, from this store and from another one.
  private func roundTrip<Holder: Object, Value: Equatable>(
    _ path: ReferenceWritableKeyPath<Holder, Value>, _ values: [Value],
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let holder = try store.write { store.create(Holder.self) }
    for value in values {
      try store.write { holder[keyPath: path] = value }
      #expect(holder[keyPath: path] == value, sourceLocation: location)
      let other = try folder.open()
      #expect(other.objects(Holder.self).last?[keyPath: path] == value, sourceLocation: location)
    }
  }

  @Test func `every integer width keeps its bounds`() throws {
    try roundTrip(\Scalars.int, [.min, .max, 0])
    try roundTrip(\Scalars.int8, [.min, .max])
    try roundTrip(\Scalars.int16, [.min, .max])
    try roundTrip(\Scalars.int32, [.min, .max])
    try roundTrip(\Scalars.int64, [.min, .max])
  }

  @Test func `floating point keeps its extremes`() throws {
    try roundTrip(\Scalars.float, [.greatestFiniteMagnitude, .leastNonzeroMagnitude, -.infinity])
    try roundTrip(\Scalars.double, [.greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity])
    let holder = try store.write { store.create(Scalars.self) }
    try store.write {
      holder.double = .nan
      holder.float = -0.0
    }
    store.refresh()
    #expect(holder.double.isNaN)
    #expect(holder.float.sign == .minus)
  }

  @Test func `text, data, dates and identifiers come back exactly`() throws {
    try roundTrip(\Scalars.bool, [true, false])
    try roundTrip(\Scalars.string, ["", "a\0b", "e\u{301}", "🏝️"])
    try roundTrip(\Scalars.data, [Data(), Data([0, 255, 1])])
    try roundTrip(\Scalars.date, [.distantPast, .distantFuture, Date(timeIntervalSince1970: 0.1)])
    try roundTrip(\Scalars.uuid, [UUID()])
    try roundTrip(\Scalars.objectId, [.generate()])
  }

  @Test func `decimals keep every digit, trailing zeros and the sign of zero`() throws {
    let texts = [
      "1.50", "-0", "0E+6111", "9.999999999999999999999999999999999E+6144", "-1E-6176", "Infinity",
    ]
    try roundTrip(\Scalars.decimal, texts.compactMap { Decimal128($0) })
    let holder = try store.write { store.create(Scalars.self) }
    for text in texts + ["NaN", "-Infinity", "12.3400"] {
      try store.write { holder.decimal = try Decimal128(string: text) }
      #expect(holder.decimal.description == text)
      #expect(try folder.open().objects(Scalars.self).last?.decimal.description == text)
    }
    #expect(throws: Store.Error.self) { try Decimal128(string: "ten") }
  }

  @Test func `optionals tell nil from zero`() throws {
    try roundTrip(\Scalars.optionalInt, [0, nil, -1])
    try roundTrip(\Scalars.optionalString, ["", nil, "x"])
    try roundTrip(\Scalars.optionalDate, [Date(timeIntervalSinceReferenceDate: 0), nil])
    try roundTrip(\Scalars.optionalDecimal, [0, nil, -1.5])
    try roundTrip(\Scalars.optionalBool, [false, nil, true])
  }

  @Test func `rule 2: every scalar can be a persisted type, optional or not`() throws {
    try roundTrip(\Boxes.bool, [Box(true)])
    try roundTrip(\Boxes.int, [Box(.min)])
    try roundTrip(\Boxes.int8, [Box(-128)])
    try roundTrip(\Boxes.int16, [Box(-1)])
    try roundTrip(\Boxes.int32, [Box(1)])
    try roundTrip(\Boxes.int64, [Box(.max)])
    try roundTrip(\Boxes.float, [Box(0.5)])
    try roundTrip(\Boxes.double, [Box(.pi)])
    try roundTrip(\Boxes.string, [Box("x")])
    try roundTrip(\Boxes.data, [Box(Data([1]))])
    try roundTrip(\Boxes.date, [Box(Date(timeIntervalSince1970: 1))])
    try roundTrip(\Boxes.uuid, [Box(UUID())])
    try roundTrip(\Boxes.objectId, [Box(.generate())])
    try roundTrip(\Boxes.decimal, [Box(1.5), Box(-.infinity)])
    try roundTrip(\Boxes.optional, [Box("x"), nil, Box("")])
  }

  @Test func `rule 11: lists hold mapped values and optional ones`() throws {
    try store.write {
      let boxes = store.create(Boxes.self)
      boxes.list.append(objectsIn: [Box(1), Box(2)])
      boxes.optionalList.append(objectsIn: [Box("a"), nil])
    }
    let boxes = try folder.open().objects(Boxes.self).first
    #expect(boxes.map { Array($0.list) } == [Box(1), Box(2)])
    #expect(boxes.map { Array($0.optionalList) } == [Box("a"), nil])
  }

  @Test func `a number wider than its property reads as unconvertible, not as another`() throws {
    let narrow = try store.write { store.create(Scalars.self, value: ["int8": 5]) }
    #expect(narrow.$int8.isConvertible)
    let file = try StoreFile.open(folder.file.path)
    let stored = try #require(try file.storedClass(named: "Scalars"))
    let property = try #require(stored.property(named: "int8"))
    let id = try #require(try file.ids(StoreQuery(stored.id)).first)
    try file.beginWrite()
    try file.assign(stored.id, id: id, FieldPath(property), .scalar(.int(300)))
    _ = try file.commitWrite()
    store.refresh()
    #expect(!narrow.$int8.isConvertible)
    #expect(throws: Store.Error.self) { try narrow.$int8.value() }
  }

  @Test func `an ObjectId is made in order of time and reads its own text`() throws {
    let ids = (0..<3).map { _ in ObjectId.generate() }
    #expect(Set(ids).count == 3)
    #expect(try ObjectId(string: ids[0].description) == ids[0])
    #expect(abs(ids[0].timestamp.timeIntervalSinceNow) < 60)
    #expect(throws: Store.Error.self) { try ObjectId(string: "short") }
  }
}

/// A mapped type over any scalar.
struct Box<Value: _BuiltinPersistable & Hashable>: CustomPersistable {
  var value: Value
  init(_ value: Value) { self.value = value }
  init(persistedValue: Value) { value = persistedValue }
  var persistableValue: Value { value }
}

final class Scalars: Object {
  @Persisted(.either) var bool: Bool
  @Persisted(.either) var int: Int
  @Persisted(.either) var int8: Int8
  @Persisted(.either) var int16: Int16
  @Persisted(.either) var int32: Int32
  @Persisted(.either) var int64: Int64
  @Persisted(.either) var float: Float
  @Persisted(.either) var double: Double
  @Persisted(.either) var string: String
  @Persisted(.either) var data: Data
  @Persisted(.either) var date: Date
  @Persisted(.either) var uuid: UUID
  @Persisted(.either) var objectId: ObjectId
  @Persisted(.either) var decimal: Decimal128
  @Persisted(.either) var optionalDecimal: Decimal128?
  @Persisted(.either) var optionalInt: Int?
  @Persisted(.either) var optionalString: String?
  @Persisted(.either) var optionalDate: Date?
  @Persisted(.either) var optionalBool: Bool?
}

final class Boxes: Object {
  @Persisted(.either) var bool: Box<Bool>
  @Persisted(.either) var int: Box<Int>
  @Persisted(.either) var int8: Box<Int8>
  @Persisted(.either) var int16: Box<Int16>
  @Persisted(.either) var int32: Box<Int32>
  @Persisted(.either) var int64: Box<Int64>
  @Persisted(.either) var float: Box<Float>
  @Persisted(.either) var double: Box<Double>
  @Persisted(indexed: .either) var string: Box<String>
  @Persisted(.either) var data: Box<Data>
  @Persisted(.either) var date: Box<Date>
  @Persisted(.either) var uuid: Box<UUID>
  @Persisted(.either) var objectId: Box<ObjectId>
  @Persisted(.either) var decimal: Box<Decimal128>
  @Persisted(.either) var optional: Box<String>?
  @Persisted(.either) var list: List<Box<Int>>
  @Persisted(.either) var optionalList: List<Box<String>?>
}
