import Atoll
import AtollQuery
import AtollStorage
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

@Suite struct PersistableEnumTests {
  private let folder: TemporaryStore
  private let store: Store

  init() throws {
    folder = TemporaryStore([ValuesEnums.self, ValuesKeyed.self])
    store = try folder.open()
  }

  /// Writes a raw value without a case, as a newer build may.
  private func assign(_ name: String, _ value: PersistedValue) throws {
    let file = try StoreFile.open(folder.file.path)
    let stored = try #require(try file.storedClass(named: "ValuesEnums"))
    let property = try #require(stored.property(named: name))
    let id = try #require(try file.ids(StoreQuery(stored.id)).first)
    try file.beginWrite()
    try file.assign(stored.id, id: id, FieldPath(property), .scalar(value))
    _ = try file.commitWrite()
    file.close()
    store.refresh()
  }

  @Test func `rule 66: an enum starts with its first case`() throws {
    let unmanaged = ValuesEnums()
    #expect(unmanaged.kind == .asphalt && unmanaged.level == .low && unmanaged.optional == nil)
    #expect(unmanaged.explicit == .gravel)
    let managed = try store.write { store.create(ValuesEnums.self) }
    #expect(managed.kind == .asphalt && managed.level == .low && managed.optional == nil)
    #expect(managed.explicit == .gravel && managed.list.isEmpty)
  }

  @Test func `rule 66: the column is the raw value's`() throws {
    let schema = ValuesEnums().objectSchema
    #expect(schema["kind"]?.type == .string && schema["level"]?.type == .int)
    #expect(schema["optional"]?.isOptional == true && schema["kind"]?.isOptional == false)
    let object = try store.write {
      store.create(ValuesEnums.self, value: ["kind": ValuesKind.grass])
    }
    #expect(object.$kind.persistedValue == "grass" && object.$level.persistedValue == 1)
  }

  @Test func `rule 66: raw values and cases are both accepted`() throws {
    let raw = ValuesEnums(value: [
      "kind": "grass", "level": 9, "list": ["gravel", ValuesKind.grass],
    ])
    #expect(raw.kind == .grass && raw.level == .high && Array(raw.list) == [.gravel, .grass])
    let cases = ValuesEnums(value: ["kind": ValuesKind.grass, "optional": ValuesKind.gravel])
    #expect(cases.kind == .grass && cases.optional == .gravel)
  }

  @Test func `rule 66: an unknown raw value reads nil where the property is optional`() throws {
    let object = try store.write { store.create(ValuesEnums.self) }
    try assign("optional", .string("water"))
    #expect(object.optional == nil)
    #expect(object.$optional.persistedValue == "water" && !object.$optional.isConvertible)
    try store.write { object.optional = .grass }
    #expect(object.optional == .grass && object.$optional.isConvertible)
  }

  @Test func `rule 66: an unknown raw value throws where the property is asked for it`() throws {
    let object = try store.write { store.create(ValuesEnums.self) }
    try assign("kind", .string("water"))
    #expect(object.$kind.persistedValue == "water")
    let error = #expect(throws: Store.Error.self) { try object.$kind.value() }
    #expect(error?.message.contains("'water'") == true)
    #expect(error?.message.contains("ValuesEnums.kind") == true)
  }

  @Test func `rule 66: an unknown raw value of a required property stops, with place and value`()
    async
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryStore([ValuesKeyed.self, ValuesEnums.self])
      let store = try folder.open()
      try store.write {
        _ = store.create(ValuesEnums.self, value: ["level": 7]).level
      }
    }
    #expect(said(result, "'7'"))
    #expect(said(result, "'ValuesLevel'"))
    #expect(said(result, "ValuesEnums.level"))
  }

  @Test func `rule 66: collections of optionals give nil for an unknown raw value`() {
    let object = ValuesEnums(value: ["optionalList": ["grass", "water", NSNull()]])
    #expect(Array(object.optionalList) == [.grass, nil, nil])
  }

  @Test func `rule 66: an unknown raw value in a required list stops when read`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ValuesEnums(value: ["list": ["grass", "water"]]).list[1]
    }
    #expect(said(result, "Could not convert value 'water' to type 'ValuesKind'."))
  }

  @Test func `rule 66: cases are ordered by raw value`() throws {
    #expect(ValuesLevel.allCases.sorted() == [.low, .middle, .high])
    #expect(ValuesKind.asphalt < .grass)
    try store.write {
      for level in ValuesLevel.allCases {
        store.create(ValuesEnums.self, value: ["level": level])
      }
    }
    let sorted = store.objects(ValuesEnums.self).sorted(by: \.level)
    #expect(sorted.map(\.level) == [.low, .middle, .high])
  }

  @Test func `rules 58 and 66: an enum can be a primary key, found by case and by raw value`()
    throws
  {
    try store.write { store.create(ValuesKeyed.self, value: ["kind": "grass", "count": 3]) }
    #expect(store.object(ofType: ValuesKeyed.self, forPrimaryKey: ValuesKind.grass)?.count == 3)
    #expect(store.object(ofType: ValuesKeyed.self, forPrimaryKey: "grass")?.count == 3)
    #expect(store.object(ofType: ValuesKeyed.self, forPrimaryKey: "water") == nil)
  }

  @Test func `a required enum reads its first case where nothing is stored`() throws {
    let object = try store.write { store.create(ValuesEnums.self, value: ["kind": "grass"]) }
    try assign("kind", .null)
    #expect(object.kind == .asphalt)
  }
}
