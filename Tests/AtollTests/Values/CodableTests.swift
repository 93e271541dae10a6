import Atoll
import Foundation
import StoreTestKit
import Testing

@Suite struct CodableTests {
  private func decode(_ json: String) throws -> CodableModel {
    try JSONDecoder().decode(CodableModel.self, from: Data(json.utf8))
  }

  private let minimal =
    #""name": "a", "count": 1, "wrapped": {"value": 1}, "kind": "grass", "id": "507f1f77bcf86cd799439011""#

  @Test func `an unmanaged object is written and read with every property`() throws {
    let model = CodableModel()
    let id = model.id
    model.name = "Zürich"
    model.count = 5
    model.kind = .gravel
    model.optional = 2.5
    model.wrapped = CodableWrapped(value: 7)
    model.amount = try Decimal128(string: "12.50")
    model.child = CodableChild(value: ["inner"])
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let json = try encoder.encode(model)
    let back = try JSONDecoder().decode(CodableModel.self, from: json)
    #expect(back.name == "Zürich" && back.count == 5 && back.kind == .gravel)
    #expect(back.optional == 2.5 && back.wrapped == CodableWrapped(value: 7))
    #expect(back.amount?.description == "12.50" && back.id == id)
    #expect(back.child?.text == "inner")
    #expect(try encoder.encode(back) == json)
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.contains(#""amount":"12.50""#) && text.contains(#""id":"\#(id)""#))
  }

  @Test func `rule 67: a mapped type's own conformance counts, not its persisted form`() throws {
    let model = CodableModel()
    model.wrapped = CodableWrapped(value: 7)
    let json = String(decoding: try JSONEncoder().encode(model), as: UTF8.self)
    #expect(json.contains(#""wrapped":{"value":7}"#))
    #expect(throws: DecodingError.self) {
      try decode(
        #"{"name": "a", "count": 1, "wrapped": 7, "kind": "grass", "id": "507f1f77bcf86cd799439011"}"#
      )
    }
  }

  @Test func `rule 67: null and a missing key are nil for an optional property`() throws {
    #expect(try decode("{\(minimal)}").optional == nil)
    let null = try decode(#"{\#(minimal), "optional": null, "mapped": null, "child": null}"#)
    #expect(null.optional == nil && null.mapped == nil && null.child == nil)
    #expect(
      try decode(#"{\#(minimal), "mapped": {"value": 3}}"#).mapped == CodableWrapped(value: 3))
  }

  @Test func `rule 67: a managed object refuses to encode itself`() throws {
    let folder = TemporaryStore([CodableModel.self, CodableChild.self])
    let store = try folder.open()
    let model = CodableModel()
    try store.write { store.add(model) }
    let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(model) }
    #expect("\(String(describing: error))".contains("Only unmanaged objects encode themselves."))
  }

  @Test func `rule 68: null for a required mapping that cannot fail is its default`() throws {
    let model = try decode(
      #"{"name": "a", "count": 1, "wrapped": null, "kind": "grass", "id": "507f1f77bcf86cd799439011"}"#
    )
    #expect(model.wrapped == CodableWrapped(value: 0))
  }

  @Test func `rule 68: null for any other required property is a mismatch`() throws {
    for json in [
      #"{"name": null, "count": 1, "wrapped": {"value": 1}, "kind": "grass", "id": "507f1f77bcf86cd799439011"}"#,
      #"{"name": "a", "count": null, "wrapped": {"value": 1}, "kind": "grass", "id": "507f1f77bcf86cd799439011"}"#,
      #"{"name": "a", "count": 1, "wrapped": {"value": 1}, "kind": null, "id": "507f1f77bcf86cd799439011"}"#,
      #"{"name": 5, "count": 1, "wrapped": {"value": 1}, "kind": "grass", "id": "507f1f77bcf86cd799439011"}"#,
    ] { #expect(throws: DecodingError.self) { try decode(json) } }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(CodableFailable.self, from: Data(#"{"even": null}"#.utf8))
    }
    #expect(throws: DecodingError.self) { try decode(#"{"count": 1}"#) }
  }

  @Test func `what was decoded counts as assigned when the object is added`() throws {
    let folder = TemporaryStore([CodableModel.self, CodableChild.self])
    let store = try folder.open()
    let model = try decode("{\(minimal)}")
    try store.write { store.add(model) }
    #expect(model.name == "a" && model.count == 1 && model.kind == .grass)
    #expect(try folder.open().objects(CodableModel.self).first?.wrapped == CodableWrapped(value: 1))
  }

  @Test func `an ObjectId that is no ObjectId is an error`() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([ObjectId].self, from: Data(#"["short"]"#.utf8))
    }
  }
}

final class CodableModel: Object, Codable {
  @Persisted(.either) var name: String
  @Persisted(.either) var count: Int
  @Persisted(.either) var kind: ValuesKind
  @Persisted(.either) var optional: Double?
  @Persisted(.either) var wrapped: CodableWrapped
  @Persisted(.either) var mapped: CodableWrapped?
  @Persisted(.either) var amount: Decimal128?
  @Persisted(.either) var id: ObjectId
  @Persisted(.either) var child: CodableChild?
}

final class CodableChild: EmbeddedObject, Codable {
  @Persisted(.either) var text: String
}

final class CodableFailable: Object, Codable {
  @Persisted(.either) var even: CodableEven
}

struct CodableWrapped: CustomPersistable, Codable {
  var value: Int
  init(value: Int) { self.value = value }
  init(persistedValue: Int) { value = persistedValue }
  var persistableValue: Int { value }
}

struct CodableEven: FailableCustomPersistable, Codable {
  var value: Int
  init?(persistedValue: Int) {
    if persistedValue % 2 != 0 { return nil }
    value = persistedValue
  }
  var persistableValue: Int { value }
}
