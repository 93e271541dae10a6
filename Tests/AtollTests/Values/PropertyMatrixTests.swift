import Atoll
import Foundation
import Testing

/// The rules about single properties, for every persisted type, mapped failably and not.
@Suite struct PropertyMatrixTests {
  @Test(arguments: PersistedSampleType.all)
  func `rule 12: without an explicit default a property starts with its persisted type's`(
    _ type: PersistedSampleType
  ) throws { try type.run(DefaultBody()) }

  @Test(arguments: PersistedSampleType.all)
  func `rule 13: a mapping that rejects its default cannot be added, and says so`(
    _ type: PersistedSampleType
  ) throws { try type.run(RejectingBody()) }

  @Test(arguments: PersistedSampleType.all)
  func `rules 15 and 26: persisted and mapped values are both taken and read as mapped ones`(
    _ type: PersistedSampleType
  ) throws { try type.run(ReadingBody()) }

  @Test(arguments: PersistedSampleType.all)
  func `rules 16 and 17: an optional reads nil for null and for what does not convert`(
    _ type: PersistedSampleType
  ) throws { try type.run(OptionalBody()) }

  @Test(arguments: PersistedSampleType.all)
  func `rules 18 and 30: what a required mapping rejects is stored, and an error when asked for`(
    _ type: PersistedSampleType
  ) throws { try type.run(RequiredBody()) }

  @Test(arguments: PersistedSampleType.all)
  func `rule 21: assignment stores the persisted value, nil stores null`(
    _ type: PersistedSampleType
  ) throws { try type.run(AssignmentBody()) }

  @Test(arguments: PersistedSampleType.all)
  func `rules 22 and 24: an unmanaged object refuses a rejected value, or reads it as nil`(
    _ type: PersistedSampleType
  ) throws { try type.run(UnmanagedBody()) }

  @Test(arguments: PersistedSampleType.all)
  func `rule 29: null for a required scalar mapping is refused, for an optional it is nil`(
    _ type: PersistedSampleType
  ) throws { try type.run(NullBody()) }
}

/// A store with one class, and what was created in it, read by another store as well.
private struct Created<Value: _PropertyValue> {
  let folder: TemporaryStore
  let store: Store
  let object: ValueOf<Value>

  init(_ value: Any?, _: Value.Type = Value.self) throws {
    folder = try TemporaryStore([ValueOf<Value>.self])
    store = try folder.open()
    object = try store.write { [store] in
      store.create(ValueOf<Value>.self, value: value.map { ["value": $0] } ?? [:])
    }
  }

  var elsewhere: ValueOf<Value> {
    get throws { try #require(try folder.open().objects(ValueOf<Value>.self).first) }
  }
}

private struct DefaultBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    let unmanaged = ValueOf<Box<P>>()
    let first = unmanaged.value
    #expect(unmanaged.value == first)
    let managed = try Created<Box<P>>(nil)
    #expect(try managed.elsewhere.value == managed.object.value)
    #expect(ValueOf<Box<P>?>().value == nil && ValueOf<P?>().value == nil)
    switch first.value {
    case is UUID, is ObjectId:
      #expect(ValueOf<Box<P>>().value != first && managed.object.value != first)
    case let date as Date: #expect(abs(date.timeIntervalSinceNow) < 60)
    default: #expect(first.value == P() && managed.object.value.value == P())
    }
  }
}

/// A type that converts from nothing.
struct Rejecting<Value: PersistedSample>: FailableCustomPersistable {
  init?(persistedValue: Value) { nil }
  var persistableValue: Value { Value() }
}

private struct RejectingBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    let folder = try TemporaryStore([ValueOf<Rejecting<P>>.self, ValueOf<Rejecting<P>?>.self])
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

private struct ReadingBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    for sample in P.samples {
      for form: Any in [sample, Box(sample), Optional(Box(sample)) as Any] {
        #expect(ValueOf<Box<P>>(value: ["value": form]).value.value == sample)
        #expect(ValueOf<Box<P>?>(value: [1, form] as [Any]).value?.value == sample)
        #expect(ValueOf<P>(value: ["value": form]).value == sample)
      }
      let managed = try Created<Box<P>>(sample)
      #expect(managed.object.value.value == sample)
      #expect(managed.object.$value.persistedValue == sample)
      #expect(try managed.elsewhere.value.value == sample)
    }
    for sample in FailableBox<P>.samples {
      #expect(try Created<FailableBox<P>>(sample).elsewhere.value == sample)
      #expect(try Created<FailableBox<P>>(sample.value).elsewhere.value == sample)
    }
  }
}

private struct OptionalBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    let null = try Created<Box<P>?>(NSNull())
    #expect(try null.object.value == nil && null.elsewhere.$value.persistedValue == nil)
    #expect(null.object.$value.isConvertible)
    let bad = try Created<FailableBox<P>?>(P.rejected)
    #expect(bad.object.value == nil && bad.object.$value.persistedValue == P.rejected)
    let other = try bad.elsewhere
    #expect(other.value == nil && other.$value.persistedValue == P.rejected)
    #expect(!other.$value.isConvertible)
    #expect(throws: Store.Error.self) { try other.$value.value() }
  }
}

private struct RequiredBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    let bad = try Created<FailableBox<P>>(P.rejected)
    #expect(bad.object.$value.persistedValue == P.rejected && !bad.object.$value.isConvertible)
    let error = #expect(throws: Store.Error.self) { try bad.elsewhere.$value.value() }
    #expect(error?.message.contains("to type 'FailableBox<\(P.self)>'") == true)
    #expect(error?.message.contains(".value', in the object ValueOf") == true)
  }
}

private struct AssignmentBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    let required = try Created<Box<P>>(P.samples[0])
    let optional = try Created<FailableBox<P>?>(NSNull())
    for sample in FailableBox<P>.samples {
      try required.store.write { required.object.value = Box(sample.value) }
      try optional.store.write { optional.object.value = sample }
      #expect(try required.elsewhere.$value.persistedValue == sample.value)
      #expect(try optional.elsewhere.$value.persistedValue == sample.value)
    }
    try optional.store.write { optional.object.value = nil }
    #expect(try optional.elsewhere.$value.persistedValue == nil)
  }
}

private struct UnmanagedBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    let error = #expect(throws: Store.Error.self) {
      try ValueOf<FailableBox<P>>(checking: ["value": P.rejected])
    }
    #expect(error?.message.contains("Could not convert value '") == true)
    #expect(error?.message.contains("to type 'FailableBox<\(P.self)>'") == true)
    #expect(ValueOf<FailableBox<P>?>(value: ["value": P.rejected]).value == nil)
  }
}

private struct NullBody: PersistedBody {
  func run<P: PersistedSample>(_: P.Type) throws {
    for null: Any in [NSNull(), P??.none as Any] {
      #expect(throws: Store.Error.self) { try ValueOf<Box<P>>(checking: ["value": null]) }
      #expect(throws: Store.Error.self) { try ValueOf<P>(checking: ["value": null]) }
      let optional = ValueOf<Box<P>?>(value: ["value": null])
      #expect(optional.value == nil)
    }
  }
}
