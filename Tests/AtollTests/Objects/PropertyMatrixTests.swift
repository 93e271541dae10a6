import Atoll
import AtollVocabulary
import Foundation
import StoreTestKit
import Testing

/// The rules of single properties, for every persisted type, mapped and failable.
@Suite struct PropertyMatrixTests {
  @Test(arguments: PersistedSampleType.all)
  func `rules 9 and 10: the schema of a mapped property is that of its persisted type`(
    _ sample: PersistedSampleType
  ) throws { try sample.run(SchemaBody()) }

  private struct SchemaBody: PersistedBody {
    func run<P: PersistedSample>(_: P.Type) throws {
      let plain = ModelClass.of(ValueOf<P>.self).properties[1].schema
      for form in [ValueOf<Box<P>>.self, ValueOf<FailableBox<P>>.self] as [ObjectBase.Type] {
        #expect(ModelClass.of(form).properties[1].schema == plain)
        #expect(!plain.isOptional)
      }
      let optional = ModelClass.of(ValueOf<P?>.self).properties[1].schema
      for form in [ValueOf<Box<P>?>.self, ValueOf<FailableBox<P>?>.self] as [ObjectBase.Type] {
        #expect(ModelClass.of(form).properties[1].schema == optional)
        #expect(optional.isOptional)
      }
    }
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 12: the default is the mapping of the persisted type's, made once`(
    _ sample: PersistedSampleType
  ) throws { try sample.run(DefaultBody()) }

  private struct DefaultBody: PersistedBody {
    func run<P: PersistedSample>(_: P.Type) throws {
      let object = ValueOf<Box<P>>()
      let first = object.value
      #expect(object.value == first)
      #expect(ValueOf<Box<P>?>().value == nil && ValueOf<FailableBox<P>?>().value == nil)
      let other = ValueOf<FailableBox<P>>().value.value
      if P.self == UUID.self || P.self == ObjectId.self {
        #expect(first.value != other)
      } else if let date = first.value as? Date {
        #expect(abs(date.timeIntervalSinceNow) < 60)
      } else {
        #expect(first.value == P() && other == P())
      }
    }
  }

  @Test(arguments: PersistedSampleType.all)
  func `rules 15, 16 and 21: what is assigned is stored, and read back mapped`(
    _ sample: PersistedSampleType
  ) throws { try sample.run(RoundTripBody()) }

  private struct RoundTripBody: PersistedBody {
    func run<P: PersistedSample>(_: P.Type) throws {
      try check(P.self)
      try check(P?.self)
      try check(Box<P>.self)
      try check(Box<P>?.self)
      try check(FailableBox<P>.self)
      try check(FailableBox<P>?.self)
    }

    private func check<V: Sampled & _PropertyValue & Hashable>(_: V.Type) throws {
      let folder = TemporaryStore([ValueOf<V>.self])
      let store = try folder.open()
      for (id, sample) in V.samples.enumerated() {
        let object = ValueOf<V>()
        object.id = id
        object.value = sample
        #expect(object.value == sample)
        try store.write { store.add(object) }
        #expect(object.value == sample)
      }
      let other = try folder.open()
      for (id, sample) in V.samples.enumerated() {
        let object = try #require(other.object(ofType: ValueOf<V>.self, forPrimaryKey: id))
        #expect(object.value == sample)
        for next in V.samples {
          try other.write { object.value = next }
          #expect(object.value == next)
        }
      }
    }
  }

  @Test(arguments: PersistedSampleType.all)
  func `rules 17, 18 and 30: what does not convert is stored, nil where optional, else refused`(
    _ sample: PersistedSampleType
  ) throws { try sample.run(RejectedBody()) }

  private struct RejectedBody: PersistedBody {
    func run<P: PersistedSample>(_: P.Type) throws {
      let folder = TemporaryStore([
        ValueOf<FailableBox<P>>.self, ValueOf<FailableBox<P>?>.self,
      ])
      let store = try folder.open()
      try store.write {
        let values: [String: Any] = ["id": 1, "value": P.rejected]
        let optional = store.create(ValueOf<FailableBox<P>?>.self, value: values)
        #expect(optional.value == nil && !optional.$value.isConvertible)
        #expect(optional.$value.persistedValue == P.rejected)
        let required = store.create(ValueOf<FailableBox<P>>.self, value: values)
        #expect(required.$value.persistedValue == P.rejected)
        let error = #expect(throws: Store.Error.self) { try required.$value.value() }
        #expect(error?.message.contains(".value', in the object") == true)
        #expect(error?.message.contains("with id 1") == true)
      }
      #expect(store.unconvertible(ValueOf<FailableBox<P>>.self).count == 1)
      #expect(store.unconvertible(ValueOf<FailableBox<P>?>.self).count == 1)
    }
  }

  @Test(arguments: PersistedSampleType.all)
  func `rules 22 and 24: an unmanaged object refuses what does not convert, or has nil`(
    _ sample: PersistedSampleType
  ) throws { try sample.run(UnmanagedBody()) }

  private struct UnmanagedBody: PersistedBody {
    func run<P: PersistedSample>(_: P.Type) throws {
      let values: [String: Any] = ["value": P.rejected]
      let error = #expect(throws: Store.Error.self) {
        try ValueOf<FailableBox<P>>(checking: values)
      }
      #expect(error?.message.hasPrefix("Could not convert value '") == true)
      #expect(error?.message.contains("to type 'FailableBox<\(P.self)>'") == true)
      #expect(ValueOf<FailableBox<P>?>(value: values).value == nil)
      #expect(ValueOf<Box<P>>(value: values).value == Box(P.rejected))
    }
  }

  @Test(arguments: PersistedSampleType.all)
  func `rules 26, 28, 29 and 31: both forms, copies, and null in both its forms`(
    _ sample: PersistedSampleType
  ) throws { try sample.run(FormsBody()) }

  private struct FormsBody: PersistedBody {
    func run<P: PersistedSample>(_: P.Type) throws {
      let folder = TemporaryStore([ValueOf<Box<P>>.self, ValueOf<Box<P>?>.self])
      let store = try folder.open()
      try store.beginWrite()
      for (id, value) in P.samples.enumerated() {
        for form: Any in [value, Box(value), Optional(value) as Any, Optional(Box(value)) as Any] {
          let object = ValueOf<Box<P>>(value: ["id": id, "value": form])
          #expect(object.value == Box(value))
          #expect(ValueOf<Box<P>>(value: object).value == Box(value))
          #expect(ValueOf<Box<P>?>(value: [id, form]).value == Box(value))
          let created = store.create(
            ValueOf<Box<P>>.self, value: ["id": id, "value": form], update: .modified)
          #expect(created.value == Box(value))
        }
      }
      for null: Any in [NSNull(), P?.none as Any, Box<P>?.none as Any] {
        #expect(ValueOf<Box<P>?>(value: ["value": null]).value == nil)
        #expect(store.create(ValueOf<Box<P>?>.self, value: [1, null], update: .all).value == nil)
        #expect(throws: Store.Error.self) { try ValueOf<Box<P>>(checking: ["value": null]) }
        #expect(throws: Store.Error.self) {
          try store.create(checking: ValueOf<Box<P>>.self, value: ["id": -1, "value": null])
        }
      }
      store.cancelWrite()
    }
  }
}
