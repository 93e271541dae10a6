import Atoll
import Foundation
import Testing

/// Rules 40 to 43: order, aggregates, sections, and paths to what is ordered.
@Suite struct OrderRuleTests {
  @Test(arguments: OrderedCase.all)
  func `rule 40: results are sorted by persisted values, nil first`(_ rule: OrderedCase) throws {
    func check<M: MappedSample, P: OrderedSample>(_: M.Type, _: P.Type) throws
    where M.PersistedType == P {
      let rules = try filled(M.self)
      let results = rules.store.objects(Bearer<M>.self)
      let ascending = M.samples.sorted { P.isLess($0.persistableValue, $1.persistableValue) }
      #expect(results.sorted(by: \.value).compactMap(\.optional) == ascending)
      #expect(results.sorted(by: \.optional).map(\.optional) == [nil] + ascending)
      #expect(
        results.sorted(by: \.optional, ascending: false).map(\.optional)
          == ascending.reversed() + [nil])
      #expect(results.sorted(byKeyPath: "optional").map(\.optional) == [nil] + ascending)
    }
    func both<P: OrderedSample>(_ type: P.Type) throws {
      try check(Box<P>.self, type)
      try check(FailableBox<P>.self, type)
    }
    try both(rule.type)
  }

  @Test(arguments: RuleCase.scalar)
  func `rule 40: distinct tells persisted values apart`(_ rule: RuleCase) throws {
    func check<M: MappedSample>(_: M.Type) throws {
      let rules = try filled(M.self)
      let first = M.samples.count + 1
      try rules.store.write {
        for (index, sample) in M.samples.enumerated() {
          rules.store.create(
            Bearer<M>.self,
            value: ["id": first + index, "value": sample, "optional": sample])
        }
      }
      let distinct = rules.store.objects(Bearer<M>.self).distinct(by: ["optional"])
      #expect(distinct.count == M.samples.count + 1)
      #expect(Set(distinct.map(\.optional)) == Set(M.samples.map { $0 } + [nil]))
    }
    try check(rule.type)
  }

  @Test func `rule 40: what the persisted type does not support is not offered`() {
    for type in PersistedSampleType.all.map(\.type) {
      let isNumber = NumberCase.all.contains { $0.type == type }
      #expect((type is any _Sortable.Type) == SortableCase.all.contains { $0.type == type })
      #expect((type is any _MinMaxable.Type) == (isNumber || type == Date.self), "\(type)")
      #expect((type is any _Addable.Type) == isNumber, "\(type)")
    }
    #expect(!(Location.self is any _Sortable.Type) && !(Location.self is any _MinMaxable.Type))
  }

  @Test(arguments: NumberCase.all)
  func `rule 41: aggregates of persisted values come back as the mapped type`(
    _ rule: NumberCase
  ) throws {
    func check<M: MappedSample, P: NumberSample>(_: M.Type, _: P.Type) throws
    where M.PersistedType == P {
      let rules = try RuleStore<M>()
      let results = rules.store.objects(Bearer<M>.self)
      #expect(results.min(of: \.value) == nil && results.max(of: \.optional) == nil)
      #expect(results.sum(of: \.value).persistableValue == P.zero)
      let none: Double? = results.average(of: \.value)
      #expect(none == nil)
      for (id, number) in [3, 1, 5].enumerated() {
        let number = try #require(P(exactly: number))
        try rules.create(["id": id, "value": number, "optional": number])
      }
      try rules.create(["id": 9, "value": try #require(P(exactly: 7))])
      #expect(results.min(of: \.value)?.persistableValue == P(exactly: 1))
      #expect(results.max(of: \.value)?.persistableValue == P(exactly: 7))
      #expect(results.sum(of: \.value).persistableValue == P(exactly: 16))
      #expect(results.min(of: \.optional)?.persistableValue == P(exactly: 1))
      #expect(results.max(of: \.optional)?.persistableValue == P(exactly: 5))
      #expect(results.sum(of: \.optional).persistableValue == P(exactly: 9))
      let average: Double? = results.average(of: \.value)
      #expect(average == 4)
      let optional: Box<Double>? = results.average(of: \.optional)
      #expect(optional == Box(3))
    }
    func both<P: NumberSample>(_ type: P.Type) throws {
      try check(Box<P>.self, type)
      try check(FailableBox<P>.self, type)
    }
    try both(rule.type)
  }

  @Test func `rule 41: the least and the greatest date come back mapped`() throws {
    let rules = try filled(Box<Date>.self)
    let results = rules.store.objects(Bearer<Box<Date>>.self)
    #expect(results.min(of: \.optional)?.value == Date.samples.min())
    #expect(results.max(of: \.optional)?.value == Date.samples.max())
  }

  @Test(arguments: SortableCase.all)
  func `rule 42: sections have mapped keys, and are told apart by what is stored`(
    _ rule: SortableCase
  ) throws {
    func check<M: MappedSample>(_: M.Type) throws where M.PersistedType: _Sortable {
      let rules = try RuleStore<M>()
      for (id, sample) in (M.samples + M.samples).enumerated() {
        try rules.create(["id": id, "value": sample, "optional": sample])
      }
      let results = rules.store.objects(Bearer<M>.self)
      let sections = results.sectioned(by: \.value)
      #expect(Set(sections.map(\.key)) == Set(M.samples))
      #expect(
        sections.map(\.key) == results.sorted(by: \.value).distinct(by: ["value"]).map(\.value))
      for section in sections { #expect(section.map(\.value) == [section.key, section.key]) }
      let computed = results.sectioned(by: { $0.value }, sortDescriptors: ["id"])
      #expect(computed.map(\.key) == M.samples)
    }
    func both<P: SortableSample>(_: P.Type) throws {
      try check(Box<P>.self)
      try check(FailableBox<P>.self)
    }
    try both(rule.type)
  }

  @Test(arguments: SortableCase.all)
  func `rule 42: mapped values that are stored alike are one section`(
    _ rule: SortableCase
  ) throws {
    func check<P: SortableSample>(_: P.Type) throws {
      let rules = try RuleStore<Marked<P>>()
      for id in 0..<3 { try rules.create(["id": id, "value": Marked(P.samples[0], id)]) }
      let results = rules.store.objects(Bearer<Marked<P>>.self)
      #expect(results.sectioned(by: \.value).map(\.count) == [3])
    }
    try check(rule.type)
  }

  @Test func `rule 43: a key path into a mapped value stops and names the persisted path`() async {
    let sorted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let rules = try RuleStore<Coordinate>()
      _ = rules.store.objects(Bearer<Coordinate>.self).sorted(by: \.value.latitude)
    }
    #expect(said(sorted, "goes into the value of Property 'Bearer<Coordinate>.value'"))
    #expect(said(sorted, "\"value.<member>\""))
    let aggregate = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let rules = try RuleStore<Box<Int>>()
      _ = rules.store.objects(Bearer<Box<Int>>.self).min(of: \.value.value)
    }
    #expect(said(aggregate, "goes into the value of Property 'Bearer<Box<Int>>.value'"))
    #expect(said(aggregate, "\"value\""))
  }

  @Test func `rule 43: the persisted path sorts by a member of an embedded mapping`() throws {
    let rules = try filled(Coordinate.self)
    let results = rules.store.objects(Bearer<Coordinate>.self)
    let sorted = results.sorted(byKeyPath: "value.latitude").compactMap(\.optional?.latitude)
    #expect(sorted == sorted.sorted() && sorted.count == Coordinate.samples.count)
  }

  /// A bearer for each sample, and one whose optional property is nil.
  private func filled<M: MappedSample>(_: M.Type) throws -> RuleStore<M> {
    let rules = try RuleStore<M>()
    for (id, sample) in M.samples.enumerated() {
      try rules.create(["id": id, "value": sample, "optional": sample])
    }
    try rules.create(["id": M.samples.count, "value": M.sample])
    return rules
  }
}

/// A persisted type that has an order, as an argument of a test.
struct OrderedCase: Sendable, CustomTestStringConvertible {
  let type: any OrderedSample.Type
  var testDescription: String { "\(type)" }

  static let all: [OrderedCase] =
    NumberCase.all.map { OrderedCase(type: $0.type) }
    + [String.self, Data.self, Date.self].map { OrderedCase(type: $0) }
}

/// A persisted type that can be added up, as an argument of a test.
struct NumberCase: Sendable, CustomTestStringConvertible {
  let type: any NumberSample.Type
  var testDescription: String { "\(type)" }

  static let all: [NumberCase] = [
    Int.self, Int8.self, Int16.self, Int32.self, Int64.self, Float.self, Double.self,
    Decimal128.self,
  ].map { NumberCase(type: $0) }
}

/// A persisted type that results can be sorted by, as an argument of a test.
struct SortableCase: Sendable, CustomTestStringConvertible {
  let type: any SortableSample.Type
  var testDescription: String { "\(type)" }

  static let all: [SortableCase] =
    OrderedCase.all.map { SortableCase(type: $0.type) }
    + [Bool.self, UUID.self, ObjectId.self].map { SortableCase(type: $0) }
}

protocol SortableSample: PersistedSample, _Sortable {}

protocol OrderedSample: SortableSample, _Ordered {
  /// Tells whether a value comes before another in the order of the file.
  static func isLess(_ a: Self, _ b: Self) -> Bool
}

protocol NumberSample: OrderedSample, Numeric, _MinMaxable, _Addable {}

extension OrderedSample where Self: Comparable {
  static func isLess(_ a: Self, _ b: Self) -> Bool { a < b }
}

extension Data: OrderedSample {
  static func isLess(_ a: Data, _ b: Data) -> Bool { a.lexicographicallyPrecedes(b) }
}

extension Bool: SortableSample {}
extension UUID: SortableSample {}
extension ObjectId: SortableSample {}
extension String: OrderedSample {}
extension Date: OrderedSample {}
extension Int: NumberSample {}
extension Int8: NumberSample {}
extension Int16: NumberSample {}
extension Int32: NumberSample {}
extension Int64: NumberSample {}
extension Float: NumberSample {}
extension Double: NumberSample {}
extension Decimal128: NumberSample {}
