import Atoll
import Foundation
import StoreTestKit
import Testing

/// Rules 58 and 59: keys and indexes of every type that can be one, mapped and failable.
@Suite struct KeyMatrixTests {
  @Test func `rule 58: every key type serves mapped, failable and optional`() throws {
    try keys(Int.self)
    try keys(Int8.self)
    try keys(Int16.self)
    try keys(Int32.self)
    try keys(Int64.self)
    try keys(String.self)
    try keys(UUID.self)
    try keys(ObjectId.self)
  }

  private func keys<P: PersistedSample & _PrimaryKey>(_: P.Type) throws {
    try key(P.self, \.self)
    try key(P?.self) { $0 as Any }
    try key(Box<P>.self, \.value)
    try key(Box<P>?.self) { $0?.value as Any }
    try key(FailableBox<P>.self, \.value)
    try key(FailableBox<P>?.self) { $0?.value as Any }
  }

  /// `raw` is the persisted form of a key.
  private func key<K: Sampled & _PropertyValue & Hashable>(
    _: K.Type, _ raw: (K) -> Any
  ) throws where K.PersistedType: _PrimaryKey {
    let folder = TemporaryStore([KeyOf<K>.self])
    let store = try folder.open()
    #expect(KeyOf<K>().objectSchema.primaryKeyProperty?.name == "key")
    for sample in K.samples {
      try store.write {
        let object = KeyOf<K>()
        object.key = sample
        store.add(object)
        let again = #expect(throws: Store.Error.self) {
          try store.create(checking: KeyOf<K>.self, value: ["key": raw(sample)])
        }
        #expect(again?.code == .duplicatePrimaryKey, "rule 59: unique by the stored value")
        store.create(KeyOf<K>.self, value: ["key": raw(sample), "text": "x"], update: .modified)
      }
      let mapped = store.object(ofType: KeyOf<K>.self, forPrimaryKey: sample)
      let persisted = store.object(ofType: KeyOf<K>.self, forPrimaryKey: raw(sample))
      #expect(mapped?.key == sample && mapped?.text == "x")
      #expect(persisted == mapped)
    }
    #expect(store.objects(KeyOf<K>.self).count == K.samples.count)
  }

  @Test func `rule 59: a raw key that its mapping rejects is found all the same`() throws {
    let folder = TemporaryStore([KeyOf<FailableBox<String>>.self])
    let store = try folder.open()
    try store.write {
      store.create(KeyOf<FailableBox<String>>.self, value: ["key": String.rejected])
    }
    let found = store.object(
      ofType: KeyOf<FailableBox<String>>.self, forPrimaryKey: String.rejected)
    #expect(found?.$key.isConvertible == false)
  }

  @Test func `rule 59: a key of neither form is refused`() throws {
    let folder = TemporaryStore([KeyOf<Box<Int>>.self])
    let store = try folder.open()
    let error = #expect(throws: Store.Error.self) {
      try store.object(checking: KeyOf<Box<Int>>.self, forPrimaryKey: "five")
    }
    #expect(error?.message.contains("'five' to type 'Box<Int>'. Property 'KeyOf") == true)
    #expect(try store.object(checking: KeyOf<Box<Int>>.self, forPrimaryKey: 5) == nil)
  }

  @Test func `rule 58: every indexable type can be indexed, mapped, failable and optional`() throws
  {
    try indexes(Bool.self)
    try indexes(Int.self)
    try indexes(Int8.self)
    try indexes(Int16.self)
    try indexes(Int32.self)
    try indexes(Int64.self)
    try indexes(String.self)
    try indexes(Date.self)
    try indexes(UUID.self)
    try indexes(ObjectId.self)
  }

  private func indexes<P: PersistedSample & _Indexable>(_: P.Type) throws {
    try index(P.self)
    try index(P?.self)
    try index(Box<P>.self)
    try index(Box<P>?.self)
    try index(FailableBox<P>.self)
    try index(FailableBox<P>?.self)
  }

  private func index<V: Sampled & _PropertyValue & Hashable>(
    _: V.Type
  ) throws where V.PersistedType: _Indexable {
    #expect(IndexOf<V>().objectSchema["value"]?.isIndexed == true)
    let folder = TemporaryStore([IndexOf<V>.self])
    let store = try folder.open()
    try store.write {
      for sample in V.samples {
        let object = IndexOf<V>()
        object.value = sample
        store.add(object)
      }
    }
    #expect(Set(store.objects(IndexOf<V>.self).map(\.value)) == Set(V.samples))
  }

  @Test func `rule 58: floats and data are no keys, and are not offered as such`() {
    func isKey(_ type: Any.Type) -> Bool { type is any _PrimaryKey.Type }
    func isIndexable(_ type: Any.Type) -> Bool { type is any _Indexable.Type }
    #expect(!isKey(Float.self) && !isKey(Double.self) && !isKey(Data.self) && !isKey(Date.self))
    #expect(!isIndexable(Float.self) && !isIndexable(Data.self))
    #expect(isKey(Box<Int>.PersistedType.self) && !isKey(Box<Float>.PersistedType.self))
  }
}

final class KeyOf<Key: _PropertyValue>: Object where Key.PersistedType: _PrimaryKey {
  @Persisted(primaryKey: .either) var key: Key
  @Persisted(.either) var text: String
}

final class IndexOf<Value: _PropertyValue>: Object where Value.PersistedType: _Indexable {
  @Persisted(indexed: .either) var value: Value
}
