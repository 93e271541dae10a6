import Atoll
import AtollStorage
import Foundation
import StoreTestKit
import Testing

/// Rules 60 to 65: access by name, migrations, notifications.
@Suite struct DynamicRuleTests {
  private static func isStored<M: MappedSample>(_ any: Any?, for value: M?) -> Bool {
    M.isStored(any as? M.PersistedType, for: value)
  }

  /// Tells whether the dynamic interface gives a value, where every integer is an `Int`.
  private static func isDynamic<M: MappedSample>(_ any: Any?, for value: M?) -> Bool {
    guard let any, let value else { return any == nil && value == nil }
    let stored = value.persistableValue
    if let object = any as? DynamicObject, let location = stored as? Location {
      return object["latitude"] as? Double == location.latitude
        && object["longitude"] as? Double == location.longitude
    }
    if let integer = any as? Int, let expected = stored as? any BinaryInteger {
      return integer == Int(expected)
    }
    return isStored(any, for: value)
  }

  @Test(arguments: RuleCase.all)
  func `rule 60: a property read by name is the persisted value, null is nil`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      for (id, sample) in M.samples.enumerated() {
        let values: [String: Any] = ["id": id, "value": sample, "optional": sample]
        for bearer in [Bearer<M>(value: values), try rules.create(values)] {
          #expect(Self.isStored(bearer["value"], for: sample))
          #expect(Self.isStored(bearer["optional"], for: sample))
          #expect(Self.isStored(bearer.value(forKey: "value"), for: sample))
        }
      }
      let without = try rules.create(["id": -1])
      #expect(without["optional"] == nil && Bearer<M>()["optional"] == nil)
    }
    try check(rule.type)
  }

  @Test(arguments: RejectingCase.all)
  func `rule 60: what is optional and does not convert reads nil by name`(
    _ rule: RejectingCase
  ) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create(["optional": M.rejected])
      #expect(bearer["optional"] == nil)
      #expect(bearer.$optional.persistedValue != nil)
    }
    try check(rule.type)
  }

  @Test(arguments: RejectingCase.all)
  func `rule 60: what is required and does not convert stops when read by name`(
    _ rule: RejectingCase
  ) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [rule = rule as RejectingCase] in
      try Misdeed.rule60ByName(rule)
    }
    func sentence<M: RejectingSample>(_: M.Type) -> String {
      "Failed to convert persisted value '\(M.rejectedText)' to type '\(M.self)' in a non-optional "
        + "context."
    }
    #expect(said(result, sentence(rule.type)))
  }

  @Test(arguments: RuleCase.embedded)
  func `rule 60: an embedded mapping read by name is the managed embedded object`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create(["value": M.sample])
      let location = try #require(bearer["value"] as? Location)
      #expect(location.store === rules.store)
      try rules.store.write { location.latitude = 12 }
      #expect(bearer.value.persistableValue is Location)
      #expect((bearer.value.persistableValue as? Location)?.latitude == 12)
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 61: a dynamic object gives what is stored`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      for (id, sample) in M.samples.enumerated() {
        try rules.create(["id": id, "value": sample, "optional": sample])
      }
      try rules.create(["id": -1, "optional": NSNull()])
      for (id, sample) in M.samples.enumerated() {
        let object = try #require(
          rules.store.dynamicObject(ofType: Bearer<M>.className(), forPrimaryKey: id))
        #expect(Self.isDynamic(object["value"], for: sample))
        #expect(Self.isDynamic(object["optional"], for: sample))
      }
      let without = rules.store.dynamicObject(ofType: Bearer<M>.className(), forPrimaryKey: -1)
      #expect(without?["optional"] == nil)
    }
    try check(rule.type)
  }

  @Test(arguments: RejectingCase.all)
  func `rule 61: a dynamic object gives what does not convert, also where it is required`(
    _ rule: RejectingCase
  ) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      try rules.create(["value": M.rejected, "optional": M.rejected])
      let object = try #require(rules.store.dynamicObjects(Bearer<M>.className()).first)
      for name in ["value", "optional"] {
        let value = try #require(object[name])
        if let location = value as? DynamicObject {
          #expect(location["latitude"] as? Double == -1)
        } else {
          #expect(M.PersistedType._coerce(value).map { "\($0)" } == M.rejectedText)
        }
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 62: writes by name take mapped and persisted values`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let managed = try rules.create()
      let dynamic = try #require(rules.store.dynamicObjects(Bearer<M>.className()).first)
      let unmanaged = Bearer<M>()
      for form in [M.sample] + M.rawForms(of: M.sample) {
        unmanaged["value"] = form
        unmanaged["optional"] = form
        #expect(unmanaged.value == M.sample && unmanaged.optional == M.sample, "\(form)")
        for object in [managed, dynamic] as [Object] {
          try rules.store.write {
            (managed.value, managed.optional) = (M.other, nil)
            object["value"] = form
            object["optional"] = form
          }
          #expect(managed.value == M.sample && managed.optional == M.sample, "\(form)")
        }
      }
      try rules.store.write { managed["optional"] = nil }
      #expect(managed.optional == nil)
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 62: collections written by name take mapped and persisted values`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create()
      for form in [M.sample] + M.rawForms(of: M.sample) {
        try rules.store.write {
          bearer["list"] = [form, form]
          bearer["map"] = ["a": form]
        }
        #expect(Array(bearer.list) == [M.sample, M.sample], "\(form)")
        #expect(bearer.map.keys == ["a"] && bearer.map["a"] == M.sample, "\(form)")
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 63: a migration writes mapped values, and reads stored ones`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      try rules.create(["id": 1, "value": M.sample])
      rules.store.close()
      var configuration = rules.folder.configuration
      configuration.schemaVersion = 1
      configuration.migrationBlock = { migration, _ in
        migration.enumerateObjects(ofType: Bearer<M>.className()) { old, new in
          #expect(Self.isDynamic(old?["value"], for: M.sample))
          new?["value"] = M.other
          new?["optional"] = M.sample
          #expect(Self.isDynamic(new?["value"], for: M.other))
          #expect(Self.isDynamic(new?["optional"], for: M.sample))
        }
        for (id, form) in ([M.sample] + M.rawForms(of: M.sample)).enumerated() {
          let made = migration.create(
            Bearer<M>.className(), value: ["id": id + 2, "value": form, "list": [form]])
          #expect(Self.isDynamic(made["value"], for: M.sample))
        }
      }
      let store = try Store(configuration: configuration)
      let first = try #require(store.object(ofType: Bearer<M>.self, forPrimaryKey: 1))
      #expect(first.value == M.other && first.optional == M.sample)
      for bearer in store.objects(Bearer<M>.self) where bearer.id > 1 {
        #expect(bearer.value == M.sample && Array(bearer.list) == [M.sample])
      }
      #expect(store.objects(Bearer<M>.self).count == M.rawForms(of: M.sample).count + 2)
    }
    try check(rule.type)
  }

  @Test(arguments: EnumCase.all)
  func `rule 63: a migration writes cases of enums, and reads raw values`(
    _ rule: EnumCase
  ) throws {
    func check<E: EnumSample>(_: E.Type) throws {
      let folder = TemporaryStore([EnumBearer<E>.self])
      let store = try folder.open()
      let cases = Array(E.allCases)
      try store.write { _ = store.create(EnumBearer<E>.self, value: ["id": 1]) }
      store.close()
      var configuration = folder.configuration
      configuration.schemaVersion = 1
      configuration.migrationBlock = { migration, _ in
        let cases = Array(E.allCases)
        migration.enumerateObjects(ofType: EnumBearer<E>.className()) { _, new in
          new?["value"] = cases[1]
          #expect(new?["value"].map { "\($0)" } == "\(cases[1].rawValue)")
        }
        migration.create(
          EnumBearer<E>.className(), value: ["id": 2, "value": cases[1], "all": [cases[0]]])
      }
      let migrated = try Store(configuration: configuration)
      let objects = migrated.objects(EnumBearer<E>.self).sorted(by: \.id)
      #expect(objects.map(\.value) == [cases[1], cases[1]])
      #expect(objects.map { Array($0.all) } == [[], [cases[0]]])
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 65: key-value coding over results takes mapped values, and gives persisted ones`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      for id in 0..<3 { try rules.create(["id": id]) }
      let all = rules.store.objects(Bearer<M>.self)
      for form in [M.sample] + M.rawForms(of: M.sample) {
        try rules.store.write {
          all.setValue(M.other, forKey: "value")
          all.setValue(form, forKey: "value")
        }
        #expect(all.map(\.value) == [M.sample, M.sample, M.sample], "\(form)")
        let values = try #require(all.value(forKey: "value") as? [Any?])
        #expect(values.count == 3 && values.allSatisfy { Self.isStored($0, for: M.sample) })
      }
    }
    try check(rule.type)
  }
}

// The uses that must stop the process; the closures of exit tests cannot be generic.
extension Misdeed {
  fileprivate static func rule60ByName(_ rule: RejectingCase) throws {
    func commit<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      _ = try rules.create(["value": M.rejected])["value"]
    }
    try commit(rule.type)
  }
}
