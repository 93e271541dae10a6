import Atoll
import Foundation
import Testing

/// Rules 34 to 39, where the tests of the collections do not show them for every type.
@Suite struct CollectionRuleTests {
  @Test(arguments: RuleCase.all)
  func `rule 34: a managed list takes, replaces and finds elements by way of the mapping`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create()
      try rules.store.write {
        bearer.list.append(M.sample)
        bearer.list.insert(M.other, at: 0)
        bearer.list.append(objectsIn: M.samples)
        bearer.list[2] = M.sample
        bearer.list.remove(at: bearer.list.count - 1)
      }
      var expected = [M.other, M.sample] + M.samples
      expected[2] = M.sample
      expected.removeLast()
      #expect(Array(bearer.list) == expected)
      #expect(try Array(rules.reopened().list) == expected)
      #expect(bearer.list.contains(M.sample) && bearer.list.elementsEqual(expected))
    }
    try check(rule.type)
  }

  @Test(arguments: RejectingCase.all)
  func `rule 34: an unconvertible element of a managed list stops when read`(
    _ rule: RejectingCase
  ) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [rule = rule as RejectingCase] in
      try Misdeed.rule34(rule)
    }
    #expect(said(result, sentence(rule)))
    #expect(said(result, ".list', in the object"))
  }

  @Test(arguments: RejectingCase.scalar)
  func `rule 34: an unconvertible element among optionals is nil`(_ rule: RejectingCase) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let form = [M.sample.persistableValue, M.rejected]
      let bearer = try rules.createScalars(["optionalList": form])
      for bearer in [bearer, try rules.reopenedScalars()] {
        #expect(Array(bearer.optionalList) == [M.sample, nil])
        #expect(bearer.optionalList[1] == nil)
      }
    }
    try check(rule.type)
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 34: a list contains what is stored alike, whatever the mapped type's equality says`(
    _ type: PersistedSampleType
  ) throws {
    func check<P: PersistedSample>(_: P.Type) throws {
      let rules = try RuleStore<Marked<P>>()
      let bearer = try rules.create(["list": [Marked(P.samples[0], 1)]])
      for list in [bearer.list, List([Marked(P.samples[0], 1)])] {
        #expect(list.contains(Marked(P.samples[0], 2)))
        #expect(!list.contains(Marked(P.samples[1], 1)))
      }
    }
    try check(type.type)
  }

  @Test(arguments: RuleCase.scalar)
  func `rule 35: index compares persisted values, managed and not`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = Bearer<M>()
      bearer.list.append(objectsIn: M.samples + M.samples)
      for (index, sample) in M.samples.enumerated() {
        #expect(bearer.list.index(of: sample) == index)
      }
      try rules.store.write { rules.store.add(bearer) }
      for (index, sample) in M.samples.enumerated() {
        #expect(bearer.list.index(of: sample) == index)
      }
      try rules.store.write { bearer.list.remove(at: 0) }
      #expect(bearer.list.index(of: M.samples[0]) == M.samples.count - 1)
      try rules.store.write { bearer.list.remove(at: M.samples.count - 1) }
      #expect(bearer.list.index(of: M.samples[0]) == nil)
    }
    try check(rule.type)
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 35: index does not ask the mapped type's own equality`(
    _ type: PersistedSampleType
  ) throws {
    func check<P: PersistedSample>(_: P.Type) throws {
      let rules = try RuleStore<Marked<P>>()
      let bearer = try rules.create(["list": [Marked(P.samples[0], 1)]])
      #expect(bearer.list.index(of: Marked(P.samples[0], 2)) == 0)
      #expect(List([Marked(P.samples[0], 1)]).index(of: Marked(P.samples[0], 2)) == 0)
    }
    try check(type.type)
  }

  @Test(arguments: RuleCase.embedded)
  func `rule 35: index finds no value mapped to an embedded object`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create(["list": [M.sample]])
      #expect(bearer.list.index(of: M.sample) == nil)
      #expect(bearer.list[0] == M.sample)
    }
    try check(rule.type)
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 36: a set's elements are told apart by their persisted values`(
    _ type: PersistedSampleType
  ) throws {
    func check<P: PersistedSample>(_: P.Type) throws {
      let rules = try RuleStore<Marked<P>>()
      let bearer = ScalarBearer<Marked<P>>()
      for round in 0..<2 {
        let change = {
          for tag in 0..<3 {
            bearer.set.insert(Marked(P.samples[0], tag))
            bearer.optionalSet.insert(Marked(P.samples[0], tag))
            bearer.optionalSet.insert(nil)
          }
        }
        if round == 0 { change() } else { try rules.store.write(change) }
        #expect(bearer.set.count == 1 && bearer.optionalSet.count == 2)
        #expect(bearer.set.contains(Marked(P.samples[0], 9)))
        #expect(!bearer.set.contains(Marked(P.samples[1], 0)))
        if round == 0 { try rules.store.write { rules.store.add(bearer) } }
      }
      try rules.store.write { bearer.set.remove(Marked(P.samples[0], 9)) }
      #expect(bearer.set.isEmpty)
    }
    try check(type.type)
  }

  @Test(arguments: RejectingCase.scalar)
  func `rule 36: first of a set stops at what does not convert`(_ rule: RejectingCase) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [rule = rule as RejectingCase] in
      try Misdeed.rule36(rule)
    }
    #expect(said(result, sentence(rule)))
  }

  @Test(arguments: RejectingCase.scalar)
  func `rule 36: first of a set of optionals is nil for what does not convert`(
    _ rule: RejectingCase
  ) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.createScalars([
        "optionalSet": [M.rejected, NSNull()], "set": [M.rejected, M.sample],
      ])
      for bearer in [bearer, try rules.reopenedScalars()] {
        #expect(bearer.optionalSet.first == .some(nil))
        #expect(Array(bearer.optionalSet) == [nil, nil], "two, because two are stored")
        let found = bearer.set.indices.map { try? bearer.set.element(checking: $0) }
        #expect(found.count == 2 && Set(found) == [nil, M.sample])
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 37: a managed map removes by nil, and stores nil among optionals`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create()
      try rules.store.write {
        bearer.map["a"] = M.sample
        bearer.map["b"] = M.other
        bearer.map["b"] = nil
        bearer.optionalMap["a"] = .some(M.sample)
        bearer.optionalMap["b"] = .some(nil)
        bearer.optionalMap["c"] = .some(M.other)
        bearer.optionalMap["c"] = nil
      }
      for bearer in [bearer, try rules.reopened()] {
        #expect(bearer.map.keys == ["a"] && bearer.map["a"] == M.sample && bearer.map["b"] == nil)
        #expect(bearer.optionalMap.keys == ["a", "b"])
        #expect(bearer.optionalMap["a"] == .some(M.sample))
        #expect(bearer.optionalMap["b"] == .some(nil))
        #expect(bearer.optionalMap["c"] == nil)
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RejectingCase.all)
  func `rule 37: an unconvertible value of a managed map stops when read`(
    _ rule: RejectingCase
  ) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [rule = rule as RejectingCase] in
      try Misdeed.rule37(rule)
    }
    #expect(said(result, sentence(rule)))
  }

  @Test(arguments: RejectingCase.all)
  func `rule 37: an unconvertible value among optionals is there and nil`(
    _ rule: RejectingCase
  ) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create(["optionalMap": ["a": M.rejected], "map": ["a": M.rejected]])
      for bearer in [bearer, try rules.reopened()] {
        #expect(bearer.optionalMap["a"] == .some(nil) && bearer.optionalMap.count == 1)
        #expect(throws: Store.Error.self) { try bearer.map.value(checking: "a") }
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 38: assigning a collection copies its elements into the one that is there`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = Bearer<M>()
      let (list, map) = (bearer.list, bearer.map)
      for round in 0..<2 {
        let given = List([M.sample, M.other])
        let change = {
          bearer.list = given
          bearer.map = Map(["a": M.sample])
        }
        if round == 0 { change() } else { try rules.store.write(change) }
        #expect(bearer.list === list && bearer.map === map)
        given.append(M.sample)
        #expect(Array(list) == [M.sample, M.other] && map.keys == ["a"])
        if round == 0 { try rules.store.write { rules.store.add(bearer) } }
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.scalar)
  func `rule 38: assigning a set copies its elements into the one that is there`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = ScalarBearer<M>()
      let (set, list) = (bearer.set, bearer.optionalList)
      for round in 0..<2 {
        let change = {
          bearer.set = MutableSet([M.sample])
          bearer.optionalList = List([nil, M.sample])
        }
        if round == 0 { change() } else { try rules.store.write(change) }
        #expect(bearer.set === set && bearer.optionalList === list)
        #expect(Array(set) == [M.sample] && Array(list) == [nil, M.sample])
        if round == 0 { try rules.store.write { rules.store.add(bearer) } }
      }
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 38: a collection assigned to itself stays, and nothing is written`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create(["list": [M.sample, M.other], "map": ["a": M.sample]])
      let written = try rules.folder.lastOperations()
      try rules.store.write {
        bearer.list = bearer.list
        bearer.map = bearer.map
      }
      #expect(Array(bearer.list) == [M.sample, M.other] && bearer.map["a"] == M.sample)
      #expect(try rules.folder.lastOperations() == written)
    }
    try check(rule.type)
  }

  /// Everything but the place.
  private func sentence(_ rule: RejectingCase) -> String {
    func text<M: RejectingSample>(_: M.Type) -> String {
      "Could not convert value '\(M.rejectedText)' to type '\(M.self)'."
    }
    return text(rule.type)
  }
}

/// A mapped type whose equality asks for more than is stored.
struct Marked<P: PersistedSample>: CustomPersistable {
  var value: P
  var tag: Int

  init(_ value: P, _ tag: Int) {
    self.value = value
    self.tag = tag
  }

  init(persistedValue: P) { self.init(persistedValue, 0) }
  var persistableValue: P { value }
}

extension Marked: MappedSample {
  static var isEmbedded: Bool { false }
  static var initial: Marked? { P.initial.map { Marked($0, 0) } }
  static var samples: [Marked] { P.samples.map { Marked($0, 0) } }
  var raw: Any { value }
  static func isStored(_ persisted: P?, for value: Marked?) -> Bool { persisted == value?.value }
  static func rawForms(of value: Marked) -> [Any] { [value.value] }
}

// The uses that must stop the process; the closures of exit tests cannot be generic.
extension Misdeed {
  fileprivate static func rule34(_ rule: RejectingCase) throws {
    func commit<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      _ = try rules.create(["list": [M.sample.persistableValue, M.rejected]]).list[1]
    }
    try commit(rule.type)
  }

  fileprivate static func rule36(_ rule: RejectingCase) throws {
    func commit<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      _ = try rules.createScalars(["set": [M.rejected]]).set.first
    }
    try commit(rule.type)
  }

  fileprivate static func rule37(_ rule: RejectingCase) throws {
    func commit<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      _ = try rules.create(["map": ["a": M.rejected]]).map["a"]
    }
    try commit(rule.type)
  }
}
