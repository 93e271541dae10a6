import Atoll
import Foundation
import Testing

/// Rules 21 to 25 and 33: what is stored of what is written.
@Suite struct WritingRuleTests {
  @Test(arguments: RuleCase.all)
  func `rule 21: assignment stores the persisted value, nil stores null`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create()
      for sample in M.samples {
        try rules.store.write {
          bearer.value = sample
          bearer.optional = sample
        }
        for bearer in [bearer, try rules.reopened()] {
          #expect(M.isStored(bearer.$value.persistedValue, for: sample))
          #expect(M.isStored(bearer.$optional.persistedValue, for: sample))
        }
      }
      try rules.store.write { bearer.optional = nil }
      #expect(bearer.$optional.persistedValue == nil)
      #expect(try rules.reopened().$optional.persistedValue == nil)
    }
    try check(rule.type)
  }

  @Test(arguments: RejectingCase.all)
  func `rule 22: an unmanaged object refuses an unconvertible value at once`(
    _ rule: RejectingCase
  ) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [rule = rule as RejectingCase] in
      Misdeed.rule22(rule)
    }
    func sentence<M: RejectingSample>(_: M.Type) -> String {
      "Could not convert value '\(M.rejected)' to type '\(M.self)'. "
        + "Property '\(Bearer<M>.className()).value'"
    }
    #expect(said(result, sentence(rule.type)))
  }

  @Test(arguments: RejectingCase.all)
  func `rule 22: a managed object stores an unconvertible value, and fails at read`(
    _ rule: RejectingCase
  ) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create()
      try rules.store.write { bearer["value"] = M.rejected }
      #expect("\(bearer.$value.persistedValue.map { $0._encode() } ?? .null)" == M.rejectedText)
      #expect(throws: Store.Error.self) { try bearer.$value.value() }
    }
    try check(rule.type)
  }

  @Test(arguments: RejectingCase.all)
  func `rule 23: unmanaged collections take what does not convert, and fail at read`(
    _ rule: RejectingCase
  ) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let bearer = Bearer<M>(value: [
        "list": [M.rejected, M.sample.persistableValue], "map": ["a": M.rejected],
        "optionalMap": ["a": M.rejected],
      ])
      #expect(bearer.list.count == 2 && bearer.map.count == 1)
      #expect(bearer.list[1] == M.sample)
      #expect(bearer.optionalMap["a"] == .some(nil))
      #expect(throws: Store.Error.self) { try bearer.list.element(checking: 0) }
      #expect(throws: Store.Error.self) { try bearer.map.value(checking: "a") }
      if M.isEmbedded { return }
      let scalars = ScalarBearer<M>(value: [
        "optionalList": [M.rejected], "set": [M.rejected], "optionalSet": [M.rejected],
      ])
      #expect(Array(scalars.optionalList) == [nil] && Array(scalars.optionalSet) == [nil])
      #expect(throws: Store.Error.self) { try scalars.set.element(checking: 0) }
    }
    try check(rule.type)
  }

  @Test(arguments: [RejectingCase(FailableBox<String>.self), .embedded])
  func `rule 23: reading such an element stops`(_ rule: RejectingCase) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [rule = rule as RejectingCase] in
      Misdeed.rule23(rule)
    }
    func sentence<M: RejectingSample>(_: M.Type) -> String {
      "Could not convert value '\(M.rejectedText)' to type '\(M.self)'."
    }
    #expect(said(result, sentence(rule.type)))
  }

  @Test(arguments: RejectingCase.all)
  func `rule 24: an unconvertible value becomes nil in an unmanaged object's optional property`(
    _ rule: RejectingCase
  ) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let bearer = Bearer<M>()
      bearer.optional = M.sample
      bearer["optional"] = M.rejected
      #expect(bearer.optional == nil)
      #expect(bearer.$optional.persistedValue == nil)
    }
    try check(rule.type)
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 25: writing into a mapped value assigns the whole, scalar`(
    _ type: PersistedSampleType
  ) throws {
    func check<P: PersistedSample>(_: P.Type) throws {
      let rules = try RuleStore<Box<P>>()
      let bearer = Bearer<Box<P>>()
      let value = P.samples[P.samples.count - 1]
      bearer.value.value = value
      #expect(bearer.value == Box(value))
      try rules.store.write {
        rules.store.add(bearer)
        for sample in P.samples {
          bearer.value.value = sample
          #expect(bearer.$value.persistedValue == sample)
        }
      }
      #expect(try rules.reopened().value.value == value)
    }
    try check(type.type)
  }

  @Test func `rule 25: writing into an embedded mapping assigns the whole`() throws {
    let rules = try RuleStore<Coordinate>()
    let bearer = try rules.create(["value": [1, 2], "list": [[3, 4]], "map": ["a": [5, 6]]])
    try rules.store.write {
      bearer.value.latitude = 9
      bearer.list[0].latitude = 9
      bearer.map["a"]?.latitude = 9
    }
    let written = try rules.folder.lastOperations()
    #expect(written.count == 3 && written.allSatisfy { $0.contains("= {") }, "\(written)")
    let found = try rules.reopened()
    #expect(found.value == Coordinate(latitude: 9, longitude: 2))
    #expect(found.list[0] == Coordinate(latitude: 9, longitude: 4))
    #expect(found.map["a"] == Coordinate(latitude: 9, longitude: 6))
  }

  @Test(arguments: RuleCase.embedded)
  func `rule 33: assignment writes the embedded object whole, update of what differs its members`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create(["value": M.sample])
      let form = M.rawForms(of: M.other)[2]
      let edited = try #require(bearer["value"] as? Location)
      try rules.store.write {
        rules.store.create(Bearer<M>.self, value: ["id": 0, "value": form], update: .modified)
      }
      #expect(!edited.isInvalidated && M.isStored(edited as? M.PersistedType, for: M.other))
      let members = try rules.folder.lastOperations()
      #expect(members.allSatisfy { $0.hasPrefix("assign ") && !$0.contains("= {") })
      try rules.store.write { bearer.value = M.sample }
      let assigned = try rules.folder.lastOperations()
      #expect(bearer.value == M.sample)
      #expect(edited.isInvalidated, "the old one is deleted")
      let second = try #require(bearer["value"] as? Location)
      #expect(!second.isInvalidated && !second.isSameObject(as: edited))
      #expect(assigned.count == 1 && assigned.allSatisfy { $0.contains("= {") })
      try rules.store.write {
        rules.store.create(Bearer<M>.self, value: ["id": 0, "value": form], update: .all)
      }
      let replaced = try rules.folder.lastOperations()
      #expect(bearer.value == M.other && second.isInvalidated)
      #expect(replaced.count == 1 && replaced.allSatisfy { $0.contains("= {") })
    }
    try check(rule.type)
  }
}

// The uses that must stop the process; the closures of exit tests cannot be generic.
extension Misdeed {
  fileprivate static func rule22(_ rule: RejectingCase) {
    func commit<M: RejectingSample>(_: M.Type) { Bearer<M>()["value"] = M.rejected }
    commit(rule.type)
  }

  fileprivate static func rule23(_ rule: RejectingCase) {
    func commit<M: RejectingSample>(_: M.Type) {
      _ = Bearer<M>(value: ["list": [M.rejected]]).list[0]
    }
    commit(rule.type)
  }
}
