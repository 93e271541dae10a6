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

  @Test(arguments: RuleCase.all)
  func `rule 64: an object's observer is told persisted values before and after`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create(["value": M.other])
      let reports = Heard<[Told<M>]>()
      let token = bearer.observe(on: reports.queue) { change in
        if case .change(_, let changes) = change { reports.note(changes.map(Told.init)) }
      }
      try rules.store.write { bearer.value = M.sample }
      #expect(reports.next() == [Told("value", from: M.other, to: M.sample)])
      try rules.store.write { bearer.optional = M.sample }
      #expect(reports.next() == [Told("optional", from: nil, to: M.sample)])
      try rules.store.write { bearer.optional = M.other }
      #expect(reports.next() == [Told("optional", from: M.sample, to: M.other)])
      try rules.store.write { bearer.optional = nil }
      #expect(reports.next() == [Told("optional", from: M.other, to: nil)])
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
}

/// The report of an observer about one property: the samples stored before and after.
///
/// Worked out where it is told, for embedded objects are not for other threads.
private struct Told<M: MappedSample>: Equatable {
  private var name: String
  private var old: M?
  private var new: M?
  /// True if a value was told of that is no sample.
  private var hasOthers = false

  init(_ name: String, from old: M?, to new: M?) {
    self.name = name
    self.old = old
    self.new = new
  }

  init(_ change: PropertyChange) {
    self.init(change.name, from: Self.sample(change.oldValue), to: Self.sample(change.newValue))
    hasOthers = (old == nil) != (change.oldValue == nil) || (new == nil) != (change.newValue == nil)
  }

  private static func sample(_ value: Any?) -> M? {
    guard let value = value as? M.PersistedType else { return nil }
    return [M.sample, M.other].first { M.isStored(value, for: $0) }
  }
}
