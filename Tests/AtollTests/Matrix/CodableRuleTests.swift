import Atoll
import Foundation
import StoreTestKit
import Testing

/// Rules 67 and 68: JSON holds mapped values by their own conformance.
@Suite struct CodableRuleTests {
  @Test(arguments: PersistedSampleType.all)
  func `rule 67: a mapped type's own form is in the JSON, the persisted one is not`(
    _ type: PersistedSampleType
  ) throws {
    func check<P: PersistedSample>(_: P.Type) throws {
      let object = Coded<P>()
      object.value = Labelled(1)
      object.optional = Labelled(0)
      object.list.append(objectsIn: [Labelled(1), Labelled(0)])
      object.map["a"] = Labelled(1)
      let data = try JSONEncoder().encode(object)
      let json = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
      #expect(json["value"] as? String == "label 1")
      #expect(json["optional"] as? String == "label 0")
      #expect(json["list"] as? [String] == ["label 1", "label 0"])
      #expect(json["map"] as? [String: String] == ["a": "label 1"])
      let back = try JSONDecoder().decode(Coded<P>.self, from: data)
      #expect(back.value == Labelled(1) && back.optional == Labelled(0))
      #expect(Array(back.list) == [Labelled(1), Labelled(0)])
      #expect(back.map["a"] == Labelled(1))
    }
    try check(type.type)
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 67: the elements of a set have the mapped type's own form too`(
    _ type: PersistedSampleType
  ) throws {
    func check<P: PersistedSample>(_: P.Type) throws {
      let object = CodedSet<P>()
      object.set.insert(Labelled(1))
      let data = try JSONEncoder().encode(object)
      #expect(String(decoding: data, as: UTF8.self) == #"{"set":["label 1"]}"#)
      #expect(try Array(JSONDecoder().decode(CodedSet<P>.self, from: data).set) == [Labelled(1)])
    }
    try check(type.type)
  }

  @Test func `rule 67: null for an optional is nil, and so is a missing key`() throws {
    for json in [
      #"{"value":"label 1","optional":null,"list":[],"map":{}}"#,
      #"{"value":"label 1","list":[],"map":{}}"#,
    ] {
      let object = try JSONDecoder().decode(Coded<Int>.self, from: Data(json.utf8))
      #expect(object.value == Labelled(1) && object.optional == nil)
    }
  }

  @Test func `rule 67: synthesised encoding of a managed object throws`() throws {
    let folder = TemporaryStore([Coded<Int>.self])
    let store = try folder.open()
    let object = try store.write { store.create(Coded<Int>.self) }
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(object) }
  }

  @Test func `rule 67: an embedded mapping has its own form, and not the class's`() throws {
    let object = CodedPlace()
    object.place = CodablePlace(latitude: 1)
    let data = try JSONEncoder().encode(object)
    #expect(String(decoding: data, as: UTF8.self) == #"{"place":{"north":1}}"#)
    #expect(try JSONDecoder().decode(CodedPlace.self, from: data).place.latitude == 1)
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 68: null for a required mapping that cannot fail is the default`(
    _ type: PersistedSampleType
  ) throws {
    func check<P: PersistedSample>(_: P.Type) throws {
      let json = Data(#"{"value":null,"optional":null,"list":[],"map":{}}"#.utf8)
      let object = try JSONDecoder().decode(Coded<P>.self, from: json)
      #expect(object.value.origin == .persisted)
    }
    try check(type.type)
  }

  @Test func `rule 68: null for other required types is an error`() {
    for json in [#"{"name":null,"level":"low"}"#, #"{"name":"a","level":null}"#] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(CodedPlain.self, from: Data(json.utf8))
      }
    }
    #expect(throws: Never.self) {
      try JSONDecoder().decode(CodedPlain.self, from: Data(#"{"name":"a","level":"low"}"#.utf8))
    }
  }
}

/// A mapped type whose form in JSON has nothing to do with what is stored.
struct Labelled<P: PersistedSample>: CustomPersistable, Codable {
  enum Origin { case made, persisted }
  var index: Int
  var origin = Origin.made

  init(_ index: Int) { self.index = index }

  init(persistedValue: P) {
    index = P.samples.firstIndex(of: persistedValue) ?? 0
    origin = .persisted
  }

  var persistableValue: P { P.samples[index % P.samples.count] }

  static func == (a: Labelled, b: Labelled) -> Bool { a.index == b.index }

  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    index = Int(text.dropFirst("label ".count)) ?? -1
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode("label \(index)")
  }
}

final class Coded<P: PersistedSample>: Object, Codable {
  @Persisted(.either) var value: Labelled<P>
  @Persisted(.either) var optional: Labelled<P>?
  @Persisted(.either) var list: List<Labelled<P>>
  @Persisted(.either) var map: Map<String, Labelled<P>>
}

final class CodedSet<P: PersistedSample>: Object, Codable {
  @Persisted(.either) var set: MutableSet<Labelled<P>>
}

struct CodablePlace: CustomPersistable, Codable {
  enum CodingKeys: String, CodingKey { case latitude = "north" }
  var latitude: Double
  init(latitude: Double) { self.latitude = latitude }
  init(persistedValue: Location) { latitude = persistedValue.latitude }
  var persistableValue: Location { Location(value: [latitude, 0]) }
}

final class CodedPlace: Object, Codable {
  @Persisted(.either) var place: CodablePlace
}

extension MappedLevel: Codable {}

final class CodedPlain: Object, Codable {
  @Persisted(.either) var name: String
  @Persisted var level = MappedLevel.low
}
