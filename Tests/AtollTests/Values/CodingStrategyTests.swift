import Atoll
import Foundation
import StoreTestKit
import Testing

/// The strategies of a coder hold for persisted properties as for the properties of any structure.
@Suite struct CodingStrategyTests {
  /// A structure with the same properties, for comparison.
  private struct Plain: Codable {
    var someDate = CodingStrategyTests.date
    var someData = CodingStrategyTests.data
    var noDate: Date?
    var maybeDate: Date? = CodingStrategyTests.date
    var maybeData: Data? = CodingStrategyTests.data
    var dates = [CodingStrategyTests.date]
    var optionalDates: [Date?] = [nil, CodingStrategyTests.date]
    var dataSet = [CodingStrategyTests.data]
    var datesByName = ["firstName": CodingStrategyTests.date]
    var dataByName: [String: Data?] = ["last_name": CodingStrategyTests.data]
    var linkedPage = URL(string: "https://a.example/b")
    var mappedDate = Wrapping(date: CodingStrategyTests.date)
    var mappedData = [WrappingData(someBytes: CodingStrategyTests.data)]
    var bigNumber = Double.infinity
    var innerPart: Inner? = Inner()

    struct Inner: Codable {
      var madeAt = CodingStrategyTests.date
      var rawBytes = [CodingStrategyTests.data]
    }

    struct Wrapping: Codable { var date: Date }
    struct WrappingData: Codable { var someBytes: Data }
  }

  static let date = Date(timeIntervalSince1970: 1_700_000_000)
  static let data = Data([0, 1, 255])

  private static func object() -> CodedDates {
    let object = CodedDates()
    object.someDate = date
    object.someData = data
    object.maybeDate = date
    object.maybeData = data
    object.dates.append(date)
    object.optionalDates.append(objectsIn: [nil, date])
    object.dataSet.insert(data)
    object.datesByName["firstName"] = date
    object.dataByName["last_name"] = data
    object.linkedPage = URL(string: "https://a.example/b")
    object.mappedDate = CodedDate(date: date)
    object.mappedData.append(CodedBytes(someBytes: data))
    object.bigNumber = .infinity
    let part = CodedPart()
    part.madeAt = date
    part.rawBytes.append(data)
    object.innerPart = part
    return object
  }

  private static func coders() -> [(JSONEncoder, JSONDecoder)] {
    func pair(_ change: (JSONEncoder, JSONDecoder) -> Void) -> (JSONEncoder, JSONDecoder) {
      let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "+∞", negativeInfinity: "−∞", nan: "?")
      decoder.nonConformingFloatDecodingStrategy = .convertFromString(
        positiveInfinity: "+∞", negativeInfinity: "−∞", nan: "?")
      change(encoder, decoder)
      return (encoder, decoder)
    }
    return [
      pair { _, _ in },
      pair {
        $0.dateEncodingStrategy = .iso8601
        $1.dateDecodingStrategy = .iso8601
        $0.keyEncodingStrategy = .convertToSnakeCase
        $1.keyDecodingStrategy = .convertFromSnakeCase
      },
      pair {
        $0.dateEncodingStrategy = .millisecondsSince1970
        $1.dateDecodingStrategy = .millisecondsSince1970
        $0.dataEncodingStrategy = .custom { data, encoder in
          var container = encoder.singleValueContainer()
          try container.encode(data.map { "\($0)" }.joined(separator: " "))
        }
        $1.dataDecodingStrategy = .custom { decoder in
          let text = try decoder.singleValueContainer().decode(String.self)
          return Data(text.split(separator: " ").compactMap { UInt8($0) })
        }
      },
      pair {
        $0.dateEncodingStrategy = .secondsSince1970
        $1.dateDecodingStrategy = .secondsSince1970
        $0.dataEncodingStrategy = .deferredToData
        $1.dataDecodingStrategy = .deferredToData
      },
    ]
  }

  @Test(arguments: 0..<4)
  func `issue 28.8: an object is written as a structure is, whatever the coder's strategies`(
    _ index: Int
  ) throws {
    let (encoder, decoder) = Self.coders()[index]
    let plain = try encoder.encode(Plain())
    let json = try encoder.encode(Self.object())
    // A structure leaves out a missing optional, a wrapped property is null.
    let missing = index == 1 ? #""no_date":null,"# : #""noDate":null,"#
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.contains(missing))
    let rest = text.replacingOccurrences(of: missing, with: "")
    #expect(rest == String(decoding: plain, as: UTF8.self))
    for form in [plain, json] {
      let back = try decoder.decode(CodedDates.self, from: form)
      #expect(back.someDate == Self.date && back.someData == Self.data && back.noDate == nil)
      #expect(back.maybeDate == Self.date && back.maybeData == Self.data)
      #expect(Array(back.dates) == [Self.date] && Array(back.optionalDates) == [nil, Self.date])
      #expect(Array(back.dataSet) == [Self.data])
      #expect(back.datesByName.keys == ["firstName"] && back.dataByName.keys == ["last_name"])
      #expect(back.datesByName["firstName"] == Self.date)
      #expect(back.dataByName["last_name"] == Self.data)
      #expect(back.linkedPage?.absoluteString == "https://a.example/b")
      #expect(back.mappedDate.date == Self.date && back.mappedData.first?.someBytes == Self.data)
      #expect(back.bigNumber == .infinity)
      #expect(back.innerPart?.madeAt == Self.date)
      #expect(back.innerPart.map { Array($0.rawBytes) } == [Self.data])
    }
    #expect(try decoder.decode(Plain.self, from: json).someDate == Self.date)
  }

  @Test(arguments: 0..<4)
  func `issue 28.8: dates and data in an any-typed value follow the strategies too`(
    _ index: Int
  ) throws {
    let (encoder, decoder) = Self.coders()[index]
    let values: [AnyValue] = [
      .date(Self.date), .data(Self.data), .float(1.5), .double(.infinity), 1, "a", .none,
      .fromArray([.date(Self.date)]), .fromDictionary(["firstName": .data(Self.data)]),
    ]
    let object = CodedAny()
    object.anyValue = .fromDictionary(["someDate": .date(Self.date)])
    object.anyList.append(objectsIn: values)
    let json = try encoder.encode(object)
    let back = try decoder.decode(CodedAny.self, from: json)
    #expect(Array(back.anyList.prefix(7)) == Array(values.prefix(7)))
    #expect(back.anyList[7].listValue.map { Array($0) } == [.date(Self.date)])
    #expect(back.anyList[8].dictionaryValue?["firstName"] == .data(Self.data))
    #expect(back.anyValue.dictionaryValue?["someDate"] == .date(Self.date))
    let plain = String(decoding: try encoder.encode(["$date": Self.date]), as: UTF8.self)
    #expect(String(decoding: json, as: UTF8.self).contains(plain), "\(plain)")
  }

  @Test func `issue 28.8: a store takes what a decoder made of dates in any form`() throws {
    let folder = TemporaryStore([CodedDates.self, CodedPart.self])
    let (encoder, decoder) = Self.coders()[1]
    let object = try decoder.decode(CodedDates.self, from: encoder.encode(Self.object()))
    let store = try folder.open()
    try store.write { store.add(object) }
    let found = try #require(folder.open().objects(CodedDates.self).first)
    #expect(found.someDate == Self.date && Array(found.dates) == [Self.date])
    #expect(found.innerPart.map { Array($0.rawBytes) } == [Self.data])
    #expect(found.datesByName["firstName"] == Self.date)
  }
}

final class CodedDates: Object, Codable {
  @Persisted var someDate: Date
  @Persisted var someData: Data
  @Persisted var noDate: Date?
  @Persisted var maybeDate: Date?
  @Persisted var maybeData: Data?
  @Persisted var dates: List<Date>
  @Persisted var optionalDates: List<Date?>
  @Persisted var dataSet: MutableSet<Data>
  @Persisted var datesByName: Map<String, Date>
  @Persisted var dataByName: Map<String, Data?>
  @Persisted var linkedPage: URL?
  @Persisted var mappedDate: CodedDate
  @Persisted var mappedData: List<CodedBytes>
  @Persisted var bigNumber: Double
  @Persisted var innerPart: CodedPart?
}

final class CodedPart: EmbeddedObject, Codable {
  @Persisted var madeAt: Date
  @Persisted var rawBytes: List<Data>
}

final class CodedAny: Object, Codable {
  @Persisted var anyValue: AnyValue
  @Persisted var anyList: List<AnyValue>
}

struct CodedDate: CustomPersistable, Codable {
  var date: Date
  init(date: Date) { self.date = date }
  init(persistedValue: Date) { date = persistedValue }
  var persistableValue: Date { date }
}

struct CodedBytes: CustomPersistable, Codable {
  var someBytes: Data
  init(someBytes: Data) { self.someBytes = someBytes }
  init(persistedValue: Data) { someBytes = persistedValue }
  var persistableValue: Data { someBytes }
}
