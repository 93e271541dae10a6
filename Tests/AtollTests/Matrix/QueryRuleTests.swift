import Atoll
import Foundation
import Testing

/// Rules 44 to 49: conditions on mapped properties.
@Suite struct QueryRuleTests {
  /// A bearer for each sample, with the sample everywhere, and a last one that has nothing.
  private func filled<M: MappedSample>(_: M.Type) throws -> RuleStore<M> {
    let rules = try RuleStore<M>()
    for (id, sample) in M.samples.enumerated() {
      try rules.create([
        "id": id, "value": sample, "optional": sample, "list": [sample], "map": ["a": sample],
        "optionalMap": ["a": sample, "b": NSNull()],
      ])
    }
    try rules.create(["id": M.samples.count, "value": M.sample, "optional": NSNull()])
    return rules
  }

  private func ids<M>(_ results: Results<Bearer<M>>) -> [Int] { results.map(\.id).sorted() }

  @Test(arguments: RuleCase.all)
  func `rule 44: properties compare with mapped values`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try filled(M.self)
      let all = rules.store.objects(Bearer<M>.self)
      let everything = Array(0...M.samples.count)
      for (id, sample) in M.samples.enumerated() {
        #expect(ids(all.where { $0.optional == sample }) == [id])
        #expect(ids(all.where { $0.optional != sample }) == everything.filter { $0 != id })
        #expect(ids(all.where { $0.optional.in([sample]) }) == [id])
        let same = sample == M.sample ? [id, M.samples.count] : [id]
        #expect(ids(all.where { $0.value == sample }) == Set(same).sorted())
        #expect(ids(all.where { !($0.value == sample) }) == ids(all.where { $0.value != sample }))
      }
      #expect(ids(all.where { $0.value.in(M.samples) }) == everything)
      let none: [M?] = []
      #expect(ids(all.where { $0.optional.in(none) }) == [])
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 44: collections are asked for mapped values`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try filled(M.self)
      let all = rules.store.objects(Bearer<M>.self)
      for (id, sample) in M.samples.enumerated() {
        #expect(ids(all.where { $0.list.contains(sample) }) == [id])
        #expect(ids(all.where { $0.list == sample }) == [id])
        #expect(ids(all.where { $0.list != sample }) == M.samples.indices.filter { $0 != id })
        #expect(ids(all.where { $0.list.containsAny(in: [sample]) }) == [id])
        #expect(ids(all.where { $0.map.contains(sample) }) == [id])
        #expect(ids(all.where { $0.map["a"] == sample }) == [id])
        #expect(ids(all.where { $0.map["z"] == sample }) == [])
        #expect(ids(all.where { $0.optionalMap["a"] == sample }) == [id])
      }
      #expect(ids(all.where { $0.list.containsAny(in: M.samples) }) == Array(M.samples.indices))
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.scalar)
  func `rule 44: sets and lists of optionals are asked for mapped values`(
    _ rule: RuleCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      for (id, sample) in M.samples.enumerated() {
        try rules.createScalars([
          "id": id, "set": [sample], "optionalSet": [sample, NSNull()], "optionalList": [sample],
        ])
      }
      let all = rules.store.objects(ScalarBearer<M>.self)
      for (id, sample) in M.samples.enumerated() {
        #expect(all.where { $0.set.contains(sample) }.map(\.id) == [id])
        #expect(all.where { $0.optionalSet.contains(sample) }.map(\.id) == [id])
        #expect(all.where { $0.optionalList.contains(sample) }.map(\.id) == [id])
      }
      #expect(all.where { $0.optionalSet.contains(nil) }.count == M.samples.count)
      #expect(all.where { $0.optionalList.contains(nil) }.isEmpty)
    }
    try check(rule.type)
  }

  @Test(arguments: OrderedCase.all)
  func `rule 44: what is stored in order compares in order, whatever the mapped type is`(
    _ rule: OrderedCase
  ) throws {
    func check<M: MappedSample, P: OrderedSample>(_: M.Type, _: P.Type) throws
    where M.PersistedType == P {
      let rules = try filled(M.self)
      let all = rules.store.objects(Bearer<M>.self)
      for sample in M.samples {
        let less: [M?] = M.samples.filter { P.isLess($0.persistableValue, sample.persistableValue) }
        let greater: [M?] = M.samples.filter {
          P.isLess(sample.persistableValue, $0.persistableValue)
        }
        #expect(Set(all.where { $0.optional < sample }.map(\.optional)) == Set(less))
        #expect(Set(all.where { $0.optional > sample }.map(\.optional)) == Set(greater))
        #expect(all.where { $0.optional <= sample }.count == less.count + 1)
        #expect(all.where { $0.optional >= sample }.count == greater.count + 1)
        #expect(Set(all.where { $0.list < sample }.map(\.optional)) == Set(less))
        #expect(Set(all.where { $0.list >= sample }.map(\.optional)) == Set(greater + [sample]))
      }
    }
    func both<P: OrderedSample>(_ type: P.Type) throws {
      try check(Box<P>.self, type)
      try check(FailableBox<P>.self, type)
    }
    try both(rule.type)
  }

  @Test func `rule 44: what is not stored in order is not compared in order`() {
    for type in PersistedSampleType.all.map(\.type) {
      let isOrdered = OrderedCase.all.contains { $0.type == type }
      #expect((type is any _Ordered.Type) == isOrdered, "\(type)")
      #expect((type is any _TextSearchable.Type) == (type == String.self), "\(type)")
    }
    #expect(!(Location.self is any _Ordered.Type))
  }

  @Test func `rule 44: text is searched by mapped values`() throws {
    let rules = try RuleStore<Box<String>>()
    for (id, text) in ["Zürich", "Genève", "Bern"].enumerated() {
      try rules.create(["id": id, "value": text, "optional": text])
    }
    let all = rules.store.objects(Bearer<Box<String>>.self)
    #expect(ids(all.where { $0.value.contains(Box("e")) }) == [1, 2])
    #expect(ids(all.where { $0.value.starts(with: Box("Z")) }) == [0])
    #expect(ids(all.where { $0.value.ends(with: Box("n")) }) == [2])
    #expect(ids(all.where { $0.value.like(Box("?e*")) }) == [1, 2])
    #expect(ids(all.where { $0.value.equals(Box("bern"), options: .caseInsensitive) }) == [2])
    #expect(ids(all.where { $0.value.equals(Box("er")) }) == [])
    #expect(
      ids(
        all.where {
          $0.optional.contains(Box("ZUR"), options: [.caseInsensitive, .diacriticInsensitive])
        }) == [0])
  }

  @Test func `rule 44: a range is asked for where the mapped type is comparable`() throws {
    let rules = try RuleStore<Ranked>()
    for id in 0..<5 {
      try rules.create(["id": id, "value": id, "optional": id, "list": [id, id + 1]])
    }
    let all = rules.store.objects(Bearer<Ranked>.self)
    #expect(ids(all.where { $0.value.contains(Ranked(1)..<Ranked(3)) }) == [1, 2])
    #expect(ids(all.where { $0.value.contains(Ranked(1)...Ranked(3)) }) == [1, 2, 3])
    #expect(ids(all.where { $0.optional.contains(Ranked(3)...Ranked(9)) }) == [3, 4])
    #expect(ids(all.where { $0.optional.contains(Ranked(1)..<Ranked(3)) }) == [1, 2])
    #expect(ids(all.where { $0.list.contains(Ranked(1)..<Ranked(3)) }) == [1])
    #expect(ids(all.where { $0.list.contains(Ranked(1)...Ranked(3)) }) == [1, 2])
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 45: the persisted form finds what no mapped value can say`(
    _ type: PersistedSampleType
  ) throws {
    func check<P: PersistedSample>(_: P.Type) throws {
      typealias M = FailableBox<P>
      let rules = try RuleStore<M>()
      try rules.create([
        "id": 1, "value": M.rejected, "optional": M.rejected, "list": [M.rejected],
        "map": ["a": M.rejected],
      ])
      try rules.create(["id": 2, "value": M.sample, "optional": NSNull()])
      let all = rules.store.objects(Bearer<M>.self)
      let optional: M.PersistedType? = M.rejected
      #expect(ids(all.where { $0.value.persistableValue == M.rejected }) == [1])
      #expect(ids(all.where { $0.optional.persistableValue == optional }) == [1])
      #expect(ids(all.where { $0.value.persistableValue != M.rejected }) == [2])
      #expect(ids(all.where { $0.value.persistableValue == M.sample.persistableValue }) == [2])
    }
    try check(type.type)
  }

  @Test func `rule 45: the persisted form allows what the persisted type allows`() throws {
    let rules = try RuleStore<Box<String>>()
    try rules.create(["id": 1, "value": "one", "list": ["x", "yz"], "map": ["a": "mapped"]])
    try rules.create(["id": 2, "value": "two", "list": ["y"], "map": ["a": "else"]])
    let all = rules.store.objects(Bearer<Box<String>>.self)
    #expect(ids(all.where { $0.value.persistableValue.starts(with: "o") }) == [1])
    #expect(ids(all.where { $0.value.persistableValue > "p" }) == [2])
    #expect(ids(all.where { $0.list.persistableValue.contains("yz") }) == [1])
    #expect(ids(all.where { $0.map.persistableValue.contains("else") }) == [2])
    let numbers = try RuleStore<Box<Int>>()
    for id in 0..<4 { try numbers.create(["id": id, "value": id]) }
    let found = numbers.store.objects(Bearer<Box<Int>>.self).where {
      $0.value.persistableValue.contains(1...2)
    }
    #expect(ids(found) == [1, 2])
  }

  @Test(arguments: RuleCase.all)
  func `rule 46: optional mapped properties compare with nil`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try filled(M.self)
      let all = rules.store.objects(Bearer<M>.self)
      #expect(ids(all.where { $0.optional == nil }) == [M.samples.count])
      #expect(ids(all.where { $0.optional != nil }) == Array(M.samples.indices))
      #expect(ids(all.where { $0.optional.in([nil, M.sample]) }).last == M.samples.count)
    }
    try check(rule.type)
  }

  @Test(arguments: RejectingCase.all)
  func `rule 46: what does not convert is not nil in the file`(_ rule: RejectingCase) throws {
    func check<M: RejectingSample>(_: M.Type) throws {
      let rules = try RuleStore<M>()
      let bearer = try rules.create(["optional": M.rejected])
      #expect(bearer.optional == nil)
      #expect(rules.store.objects(Bearer<M>.self).where { $0.optional == nil }.isEmpty)
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.all)
  func `rule 47: text predicates take mapped and persisted arguments`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try filled(M.self)
      let all = rules.store.objects(Bearer<M>.self)
      for (id, sample) in M.samples.enumerated() {
        var arguments: [Any] = [sample]
        if !M.isEmbedded { arguments += M.rawForms(of: sample) }
        for argument in arguments {
          #expect(ids(all.filter("optional == %@", argument)) == [id], "\(argument)")
          #expect(ids(all.filter("ANY list == %@", argument)) == [id], "\(argument)")
          #expect(ids(all.filter("optional IN %@", [argument])) == [id], "\(argument)")
        }
        #expect(
          ids(all.filter("optional == %@ AND id == %@", sample, Box(id))) == [id],
          "a mapped argument for a property that is not mapped")
      }
      #expect(ids(all.filter("optional == %@", nil)) == [M.samples.count])
    }
    try check(rule.type)
  }

  @Test func `rule 47: the bounds of a range in text are mapped or persisted`() throws {
    let rules = try RuleStore<Ranked>()
    for id in 0..<5 { try rules.create(["id": id, "value": id]) }
    let all = rules.store.objects(Bearer<Ranked>.self)
    #expect(ids(all.filter("value BETWEEN %@", [Ranked(1), Ranked(3)])) == [1, 2, 3])
    #expect(ids(all.filter("value BETWEEN %@", [1, 3])) == [1, 2, 3])
  }

  @Test(arguments: PersistedSampleType.all)
  func `rule 48: what does not convert takes part in queries and is told apart as stored`(
    _ type: PersistedSampleType
  ) throws {
    func check<P: PersistedSample>(_: P.Type) throws {
      let rules = try RuleStore<FailableBox<P>>()
      let other = try #require(P.samples.first { $0 != P.rejected })
      try rules.create(["id": 1, "optional": P.rejected])
      try rules.create(["id": 2, "optional": other])
      try rules.create(["id": 3, "optional": NSNull()])
      try rules.create(["id": 4, "optional": P.rejected])
      let all = rules.store.objects(Bearer<FailableBox<P>>.self)
      #expect(ids(all.where { $0.optional.persistableValue == P.rejected }) == [1, 4])
      #expect(ids(all.filter("optional == %@", P.rejected)) == [1, 4])
      #expect(ids(all.where { $0.optional != nil }) == [1, 2, 4])
      #expect(ids(all.distinct(by: ["optional"])) == [1, 2, 3])
    }
    try check(type.type)
  }

  @Test(arguments: NumberCase.all)
  func `rule 48: sums, extremes and order count what does not convert`(_ rule: NumberCase) throws {
    func check<P: NumberSample>(_: P.Type) throws {
      let rules = try RuleStore<FailableBox<P>>()
      for (id, number) in [5, 13, 1].enumerated() {
        try rules.create(["id": id, "optional": try #require(P(exactly: number))])
      }
      let all = rules.store.objects(Bearer<FailableBox<P>>.self)
      #expect(all.sorted(by: \.optional).map(\.id) == [2, 0, 1])
      #expect(all.sum(of: \.optional).persistableValue == P(exactly: 19))
      #expect(all.max(of: \.optional) == nil)
      let average: Double? = all.average(of: \.optional)
      #expect(average.map { abs($0 - 19.0 / 3) < 0.001 } == true)
    }
    try check(rule.type)
  }

  @Test(arguments: RuleCase.embedded)
  func `rule 49: the text of a condition names stored paths`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws where M.PersistedType == Location {
      let rules = try filled(M.self)
      let all = rules.store.objects(Bearer<M>.self)
      let found = all.where {
        $0.value.persistableValue.latitude == M.sample.persistableValue.latitude
      }
      #expect(ids(found) == [M.samples.count - 1, M.samples.count])
      #expect(
        ids(found) == ids(all.filter("value.latitude == %@", M.sample.persistableValue.latitude)))
    }
    try rule.type == Coordinate.self ? check(Coordinate.self) : check(Northern.self)
  }
}

/// A mapped type with an order of its own.
struct Ranked: CustomPersistable, Comparable {
  var rank: Int
  init(_ rank: Int) { self.rank = rank }
  init(persistedValue: Int) { rank = persistedValue }
  var persistableValue: Int { rank }
  static func < (a: Ranked, b: Ranked) -> Bool { a.rank < b.rank }
}

extension Ranked: MappedSample {
  static var isEmbedded: Bool { false }
  static var initial: Ranked? { Ranked(0) }
  static var samples: [Ranked] { [0, 1].map { Ranked($0) } }
  var raw: Any { rank }
  static func isStored(_ persisted: Int?, for value: Ranked?) -> Bool { persisted == value?.rank }
  static func rawForms(of value: Ranked) -> [Any] { [value.rank] }
}
