import Atoll
import AtollStorage
import Foundation
import StoreTestKit
import Testing

/// Rules 58 and 59: keys and indexes of mapped types.
@Suite struct KeyRuleTests {
  @Test(arguments: KeyCase.all)
  func `rule 58: a mapped type can be a primary key, optional and not`(_ rule: KeyCase) throws {
    func check<M: MappedSample>(_: M.Type) throws where M.PersistedType: _PrimaryKey {
      let folder = TemporaryStore([KeyedBy<M>.self, OptionallyKeyed<M>.self])
      let store = try folder.open()
      #expect(KeyedBy<M>().objectSchema.primaryKeyProperty?.name == "key")
      #expect(OptionallyKeyed<M>().objectSchema.primaryKeyProperty?.isOptional == true)
      try store.write {
        for sample in M.samples {
          store.create(KeyedBy<M>.self, value: ["key": sample])
          store.create(OptionallyKeyed<M>.self, value: ["key": sample])
        }
        store.create(OptionallyKeyed<M>.self, value: ["key": NSNull()])
      }
      #expect(store.objects(KeyedBy<M>.self).map(\.key) == M.samples)
      #expect(store.objects(OptionallyKeyed<M>.self).map(\.key) == M.samples + [nil])
    }
    func both<P: KeySample>(_: P.Type) throws {
      try check(Box<P>.self)
      try check(FailableBox<P>.self)
    }
    try both(rule.type)
  }

  @Test(arguments: IndexCase.all)
  func `rule 58: a mapped type can be indexed, optional and not`(_ rule: IndexCase) throws {
    func check<M: MappedSample>(_: M.Type) throws where M.PersistedType: _Indexable {
      let folder = TemporaryStore([Indexed<M>.self])
      let store = try folder.open()
      let schema = Indexed<M>().objectSchema
      #expect(schema["value"]?.isIndexed == true && schema["optional"]?.isIndexed == true)
      try store.write {
        for sample in M.samples {
          store.create(Indexed<M>.self, value: ["value": sample, "optional": sample])
        }
      }
      let all = store.objects(Indexed<M>.self)
      for sample in M.samples {
        #expect(all.where { $0.value == sample }.map(\.value) == [sample])
        #expect(all.where { $0.optional == sample }.map(\.optional) == [sample])
        #expect(all.where { $0.value == sample }.explain().contains("INDEX"))
        #expect(all.where { $0.optional == sample }.explain().contains("INDEX"))
      }
    }
    func both<P: IndexSample>(_: P.Type) throws {
      try check(Box<P>.self)
      try check(FailableBox<P>.self)
    }
    try both(rule.type)
  }

  @Test func `rule 58: what the persisted type does not allow is not offered`() {
    for type in PersistedSampleType.all.map(\.type) {
      let isKey = KeyCase.all.contains { $0.type == type }
      #expect((type is any _PrimaryKey.Type) == isKey, "\(type)")
      let isIndexed = IndexCase.all.contains { $0.type == type }
      #expect((type is any _Indexable.Type) == isIndexed, "\(type)")
    }
    #expect(!(Location.self is any _PrimaryKey.Type) && !(Location.self is any _Indexable.Type))
  }

  @Test func `rule 58: a mapped Float named as the primary key is refused`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      ModelClass.of(KeyedByFloat.self).validate()
    }
    #expect(said(result, "Property 'KeyedByFloat.key' cannot be a primary key"))
  }

  @Test(arguments: KeyCase.all)
  func `rule 59: objects are found by mapped and by raw keys`(_ rule: KeyCase) throws {
    func check<M: MappedSample>(_: M.Type) throws where M.PersistedType: _PrimaryKey {
      let folder = TemporaryStore([KeyedBy<M>.self, OptionallyKeyed<M>.self])
      let store = try folder.open()
      try store.write {
        store.create(KeyedBy<M>.self, value: ["key": M.sample, "note": "it"])
        store.create(OptionallyKeyed<M>.self, value: ["key": NSNull(), "note": "nil"])
      }
      for key in [M.sample, M.sample.persistableValue, Optional(M.sample) as Any] {
        #expect(store.object(ofType: KeyedBy<M>.self, forPrimaryKey: key)?.note == "it")
      }
      #expect(store.object(ofType: KeyedBy<M>.self, forPrimaryKey: M.other) == nil)
      #expect(store.object(ofType: OptionallyKeyed<M>.self, forPrimaryKey: nil)?.note == "nil")
      #expect(store.object(ofType: OptionallyKeyed<M>.self, forPrimaryKey: M.other) == nil)
    }
    func both<P: KeySample>(_: P.Type) throws {
      try check(Box<P>.self)
      try check(FailableBox<P>.self)
    }
    try both(rule.type)
  }

  @Test(arguments: KeyCase.all)
  func `rule 59: keys are unique as stored`(_ rule: KeyCase) throws {
    func check<P: KeySample>(_: P.Type) throws {
      let folder = TemporaryStore([KeyedBy<Marked<P>>.self])
      let store = try folder.open()
      try store.write {
        let first = store.create(KeyedBy<Marked<P>>.self, value: ["key": Marked(P.samples[0], 1)])
        let error = #expect(throws: Store.Error.self) {
          try store.create(
            checking: KeyedBy<Marked<P>>.self, value: ["key": Marked(P.samples[0], 2)])
        }
        #expect(error?.code == .duplicatePrimaryKey)
        let again = store.create(
          KeyedBy<Marked<P>>.self, value: ["key": Marked(P.samples[0], 3), "note": "again"],
          update: .modified)
        #expect(again == first && first.note == "again")
      }
      #expect(store.objects(KeyedBy<Marked<P>>.self).count == 1)
    }
    try check(rule.type)
  }
}

/// A persisted type that can be a primary key, as an argument of a test.
struct KeyCase: Sendable, CustomTestStringConvertible {
  let type: any KeySample.Type
  var testDescription: String { "\(type)" }

  static let all: [KeyCase] = [
    Int.self, Int8.self, Int16.self, Int32.self, Int64.self, String.self, UUID.self, ObjectId.self,
  ].map { KeyCase(type: $0) }
}

/// A persisted type that can be indexed, as an argument of a test.
struct IndexCase: Sendable, CustomTestStringConvertible {
  let type: any IndexSample.Type
  var testDescription: String { "\(type)" }

  static let all: [IndexCase] = [
    Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, String.self, Date.self,
    UUID.self, ObjectId.self,
  ].map { IndexCase(type: $0) }
}

protocol IndexSample: PersistedSample, _Indexable {}
protocol KeySample: IndexSample, _PrimaryKey {}

extension Bool: IndexSample {}
extension Date: IndexSample {}
extension Int: KeySample {}
extension Int8: KeySample {}
extension Int16: KeySample {}
extension Int32: KeySample {}
extension Int64: KeySample {}
extension String: KeySample {}
extension UUID: KeySample {}
extension ObjectId: KeySample {}

final class KeyedBy<M: MappedSample>: Object where M.PersistedType: _PrimaryKey {
  @Persisted(primaryKey: .either) var key: M
  @Persisted(.either) var note: String
}

final class OptionallyKeyed<M: MappedSample>: Object where M.PersistedType: _PrimaryKey {
  @Persisted(primaryKey: .either) var key: M?
  @Persisted(.either) var note: String
}

final class Indexed<M: MappedSample>: Object where M.PersistedType: _Indexable {
  @Persisted(indexed: .either) var value: M
  @Persisted(indexed: .either) var optional: M?
}

final class KeyedByFloat: Object {
  @Persisted(.either) var key: Box<Float>
  override class func primaryKey() -> String? { "key" }
}
