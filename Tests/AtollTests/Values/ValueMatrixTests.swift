import Atoll
import Foundation
import StoreTestKit
import Testing

/// Rules about values, for every persisted type.
@Suite struct ValueMatrixTests {
  @Test(arguments: PersistedSampleType.all)
  func `rule 13: a mapping that rejects its default cannot be added, and says so`(
    _ type: PersistedSampleType
  ) throws { try type.run(RejectingBody()) }

  @Test(arguments: PersistedSampleType.all)
  func `rule 67: json has the mapped type's own form, whatever is stored`(
    _ type: PersistedSampleType
  ) throws { try type.run(CodingBody()) }

  @Test(arguments: PersistedSampleType.all)
  func `rule 68: null is the default of a mapping that cannot fail, else a mismatch`(
    _ type: PersistedSampleType
  ) throws { try type.run(NullCodingBody()) }
}

/// A type that converts from nothing.
struct Rejecting<Value: PersistedSample>: FailableCustomPersistable {
  init?(persistedValue: Value) { nil }
  var persistableValue: Value { Value() }
}

private struct RejectingBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    let folder = TemporaryStore([ValueOf<Rejecting<P>>.self, ValueOf<Rejecting<P>?>.self])
    let store = try folder.open()
    try store.beginWrite()
    let error = #expect(throws: Store.Error.self) {
      try store.add(checking: ValueOf<Rejecting<P>>())
    }
    #expect(
      error?.message.contains(
        "Failed to default construct a Rejecting<\(P.self)> using the default value for persisted "
          + "type \(P.self). ") == true, "\(error?.message ?? "")")
    store.add(ValueOf<Rejecting<P>?>())
    store.cancelWrite()
  }
}

/// A model class that Swift makes `Codable`.
final class CodedOf<Value: _PropertyValue & Codable>: Object, Codable {
  @Persisted(.either) var value: Value
}

/// A type of two words in JSON, mapped to one value.
struct CodedBox<Value: PersistedSample>: CustomPersistable, Codable {
  var value: Value
  init(persistedValue: Value) { value = persistedValue }
  var persistableValue: Value { value }

  private enum Key: CodingKey { case place, form }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let place = try container.decode(Int.self, forKey: .place)
    value = Value.samples[place]
    _ = try container.decode(String.self, forKey: .form)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Value.samples.firstIndex(of: value), forKey: .place)
    try container.encode("own", forKey: .form)
  }
}

/// A number in JSON, and a mapping that may fail.
struct CodedFailable<Value: PersistedSample>: FailableCustomPersistable, Codable {
  var value: Value

  init?(persistedValue: Value) { value = persistedValue }
  var persistableValue: Value { value }

  init(from decoder: any Decoder) throws {
    value = Value.samples[try decoder.singleValueContainer().decode(Int.self)]
  }

  func encode(to encoder: any Encoder) throws {
    try Value.samples.firstIndex(of: value).encode(to: encoder)
  }
}

private struct CodingBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    for (place, sample) in P.samples.enumerated() {
      let object = CodedOf<CodedBox<P>>(value: ["value": sample])
      let json = String(decoding: try JSONEncoder().encode(object), as: UTF8.self)
      #expect(json.contains("\"place\":\(place)") && json.contains("\"form\":\"own\""))
      let back = try JSONDecoder().decode(CodedOf<CodedBox<P>>.self, from: Data(json.utf8))
      #expect(back.value.value == sample)
      let optional = try JSONDecoder().decode(CodedOf<CodedBox<P>?>.self, from: Data(json.utf8))
      #expect(optional.value?.value == sample)
    }
    for json in ["{}", #"{"value": null}"#] {
      let none = try JSONDecoder().decode(CodedOf<CodedBox<P>?>.self, from: Data(json.utf8))
      #expect(none.value == nil)
    }
  }
}

private struct NullCodingBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    let null = Data(#"{"value": null}"#.utf8)
    let made = try JSONDecoder().decode(CodedOf<CodedBox<P>>.self, from: null)
    switch made.value.value {
    case let date as Date: #expect(abs(date.timeIntervalSinceNow) < 60)
    case is UUID, is ObjectId: #expect(made.value == made.value)
    default: #expect(made.value.value == P())
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(CodedOf<CodedFailable<P>>.self, from: null)
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(CodedOf<CodedBox<P>>.self, from: Data("{}".utf8))
    }
  }
}
