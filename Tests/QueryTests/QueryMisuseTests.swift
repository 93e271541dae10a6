import Atoll
import Foundation
import StoreTestKit
import Testing

/// Queries that cannot be, and the words that say so.
@Suite struct QueryMisuseTests {
  private let place: TemporaryStore
  private let store: Store

  init() throws {
    place = TemporaryStore(Wide.types)
    store = try place.open()
  }

  enum Misuse: String, CaseIterable, Codable {
    case aggregateOfOne, twoCollections, computedOfTwo, twoAggregates, sortedByLink, sortedByList
    case sortedByNothing, sortedIntoValue, distinctThroughList, unknownInText, aggregateOfText

    var sentence: String {
      switch self {
      case .aggregateOfOne: "'Wide.next.int' is one value, of which there is no aggregate."
      case .twoCollections:
        "Comparing 'Wide.many.int' with 'Wide.others.int': one side only may lead through a collection."
      case .computedOfTwo:
        "'Wide.many.int + Wide.others.int': one side only may lead through a collection."
      case .twoAggregates: "one side only may be an aggregate."
      case .sortedByLink:
        "Sorting by 'Wide.next', which is not a value. Name one of its properties."
      case .sortedByList: "Sorting by 'Wide.ints', which leads through a collection."
      case .sortedByNothing: "class 'Wide' has no property 'nothing'. It has: "
      case .sortedIntoValue: "'Wide.int' is a value and has no 'more'."
      case .distinctThroughList:
        "Telling apart by 'Wide.many.int', which leads through a collection."
      case .unknownInText: "expected a property of Wide, which has "
      case .aggregateOfText: "expected numbers to aggregate; \"strings\" is of type String"
      }
    }
  }

  private func commit(_ misuse: Misuse) {
    let all = store.objects(Wide.self)
    switch misuse {
    case .aggregateOfOne: _ = all.where { $0.next.int.max > 1 }
    case .twoCollections: _ = all.where { $0.many.int == $0.others.int }
    case .computedOfTwo: _ = all.where { $0.many.int + $0.others.int > 1 }
    case .twoAggregates: _ = all.where { $0.ints.count > $0.intSet.count }
    case .sortedByLink: _ = all.sorted(byKeyPath: "next")
    case .sortedByList: _ = all.sorted(byKeyPath: "ints")
    case .sortedByNothing: _ = all.sorted(byKeyPath: "nothing")
    case .sortedIntoValue: _ = all.sorted(byKeyPath: "int.more")
    case .distinctThroughList: _ = all.distinct(by: ["many.int"])
    case .unknownInText: _ = all.filter("nothing == 1")
    case .aggregateOfText: _ = all.filter("strings.@max == 'a'")
    }
  }

  @Test(arguments: Misuse.allCases)
  func `a query that cannot be stops with what is wrong`(_ misuse: Misuse) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [misuse = misuse as Misuse] in
      try QueryMisuseTests().commit(misuse)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains(misuse.sentence), "\(message)")
  }

  @Test(arguments: [
    ("ints.@max > ints.@min", "the other side is an aggregate already"),
    ("ints.@count == intSet.@count", "the other side is an aggregate already"),
    ("1 + ints.@sum < many.@count", "the other side is an aggregate already"),
    ("many.@max.ints > 1", "one collection in a path, and one aggregate"),
    ("many.@max.many.@count > 1", "one collection in a path, and one aggregate"),
    ("dates.@sum > 0", "numbers to aggregate"), ("dates.@avg == nil", "numbers to aggregate"),
    ("many.@sum.date > 0", "numbers to aggregate"), ("many.@avg.date > 0", "numbers to aggregate"),
    ("many.int > 1", "ANY, NONE or ALL before"), ("ANY next.int > 1", "a list, set or map after"),
  ])
  func `what text must not say is refused, and nothing stops`(text: String, expected: String) {
    let error = #expect(throws: PredicateParsingError.self) {
      try store.objects(Wide.self).filter(parsing: text)
    }
    #expect(error?.expected.contains(expected) == true, "\(error?.message ?? "")")
  }

  @Test func `no condition holds of everything, and no alternative of nothing`() throws {
    try store.write { for id in 1...3 { store.create(Wide.self, value: ["id": id]) } }
    let all = store.objects(Wide.self)
    #expect(all.filter("TRUEPREDICATE").count == 3 && all.filter("FALSEPREDICATE").isEmpty)
    #expect(all.filter("NOT TRUEPREDICATE").isEmpty && all.filter("NOT FALSEPREDICATE").count == 3)
    #expect(all.where { $0.int.in([]) }.isEmpty && all.where { !$0.int.in([]) }.count == 3)
    #expect(all.filter("int IN {}").isEmpty && all.filter("NOT int IN %@", [Int]()).count == 3)
    #expect(all.where { $0.ints.containsAny(in: []) }.isEmpty)
    #expect(all.where { ($0.int == 0) == true }.count == 3)
    #expect(all.where { ($0.int == 0) != true }.isEmpty)
  }
}
