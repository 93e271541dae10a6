import Atoll
import Dispatch
import Foundation
import Testing

/// Rules 39 and 64: what observers of mapped properties and collections are told.
@Suite struct ObservationRuleTests {
  private struct Places: Equatable {
    var deletions: [Int] = []
    var insertions: [Int] = []
    var modifications: [Int] = []
  }

  @Test(arguments: RejectingCase.all)
  func `rule 39: indices are those of the stored list, whatever converts`(
    _ rule: RejectingCase
  ) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let raw = M.sample.persistableValue
      let bearer = try rules.create(["list": [M.rejected, raw, M.rejected, raw]])
      let reports = Heard<Places>()
      let token = bearer.list.observe(on: reports.queue) { change in
        switch change {
        case .initial: reports.note(Places())
        case .update(_, let deletions, let insertions, let modifications):
          reports.note(
            Places(
              deletions: deletions, insertions: insertions, modifications: modifications))
        case .error: break
        }
      }
      #expect(reports.next() == Places())
      try rules.store.write { bearer.list.append(M.sample) }
      #expect(reports.next() == Places(insertions: [4]))
      try rules.store.write { bearer.list.remove(at: 2) }
      #expect(reports.next() == Places(deletions: [2]))
      try rules.store.write { bearer.list[0] = M.other }
      #expect(reports.next() == Places(modifications: [0]))
      token.invalidate()
    }
    try check(rule.type)
  }

  @Test(arguments: RejectingCase.all)
  func `rule 39: a map's observer is told the keys, whatever converts`(
    _ rule: RejectingCase
  ) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create(["map": ["a": M.rejected]])
      let reports = Heard<[[String]]>()
      let token = bearer.map.observe(on: reports.queue) { change in
        switch change {
        case .initial: reports.note([])
        case .update(_, let deletions, let insertions, let modifications):
          reports.note([deletions, insertions, modifications])
        case .error: break
        }
      }
      #expect(reports.next() == [])
      try rules.store.write { bearer.map["b"] = M.sample }
      #expect(reports.next() == [[], ["b"], []])
      try rules.store.write { bearer.map["a"] = M.sample }
      #expect(reports.next() == [[], [], ["a"]])
      try rules.store.write { bearer.map["b"] = nil }
      #expect(reports.next() == [["b"], [], []])
      token.invalidate()
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.scalar)
  func `rule 64: an object's observer is told persisted values before and after`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create(["value": M.other])
      let reports = Heard<[PropertyChange]>()
      let token = bearer.observe(on: reports.queue) { change in
        if case .change(_, let changes) = change { reports.note(changes) }
      }
      try rules.store.write { bearer.value = M.sample }
      let first = try #require(reports.next()?.first)
      #expect(first.name == "value")
      #expect(M.isStored(first.oldValue as? M.PersistedType, for: M.other))
      #expect(M.isStored(first.newValue as? M.PersistedType, for: M.sample))
      try rules.store.write { bearer.optional = M.sample }
      let second = try #require(reports.next()?.first)
      #expect(second.name == "optional" && second.oldValue == nil)
      #expect(M.isStored(second.newValue as? M.PersistedType, for: M.sample))
      token.invalidate()
    }
    try check(rule.type)
  }

  @Test(arguments: RejectingCase.scalar)
  func `rule 64: an object's observer is told of what does not convert`(
    _ rule: RejectingCase
  ) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create()
      let reports = Heard<[PropertyChange]>()
      let token = bearer.observe(on: reports.queue) { change in
        if case .change(_, let changes) = change { reports.note(changes) }
      }
      try rules.store.write { bearer["optional"] = M.rejected }
      let change = try #require(reports.next()?.first)
      let new = try #require(change.newValue as? M.PersistedType)
      #expect("\(new._encode())" == M.rejectedText)
      token.invalidate()
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.embedded)
  func `rule 64: an object's observer is told of an embedded mapping's assignment`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create()
      let reports = Heard<[PropertyChange]>()
      let token = bearer.observe(on: reports.queue) { change in
        if case .change(_, let changes) = change { reports.note(changes) }
      }
      try rules.store.write { bearer.value = M.sample }
      #expect(reports.next()?.map(\.name) == ["value"])
      token.invalidate()
    }
    try check(rule.type)
  }
}
