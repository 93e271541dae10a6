import Foundation
import RealmSwift
import TestKit
import Testing

/// Aggregates of collections that no store manages, and of embedded objects: the same as in a store.
@Suite(.serialized) struct UnmanagedAggregateTests {
  private let fixture: PoundFixture

  init() throws { fixture = try PoundFixture() }

  private func answers(_ pound: Pound) -> [String] {
    let average: Double? = pound.hounds.average(ofProperty: "age")
    let ofMap: Double? = pound.byName.average(ofProperty: "weight")
    let least: Double? = pound.pack.min(ofProperty: "weight")
    let litres: Double = pound.bowls.sum(ofProperty: "litres")
    let mean: Double? = pound.scores.average()
    let weights: Double? = pound.weights.average()
    let whole: Int = pound.hounds.sum(ofProperty: "weight")
    return [
      "\(pound.hounds.max(of: \.age) ?? 0) \(pound.pack.sum(of: \.age)) \(average ?? 0)",
      "\(least ?? 0) \(pound.byName.max(ofProperty: "age") ?? 0) \(ofMap ?? 0) \(whole)",
      "\(litres) \(pound.bowls.max(of: \.litres) ?? 0) \(mean ?? 0)",
      "\(pound.numbers.min() ?? 0) \(pound.numbers.max() ?? 0) \(pound.numbers.sum())",
      "\((pound.weights.max() ?? 0) ?? 0) \(pound.weights.sum() ?? 0) \(weights ?? 0)",
      "\(pound.scores.min() ?? 0) \(pound.scores.sum())",
    ]
  }

  private static let expected = [
    "7 15 5.0", "10.5 7 15.25 30", "2.0 1.5 6.5", "2 6 12", "2.5 4.0 2.0", "5 13",
  ]

  @Test func `unmanaged and managed collections have the same aggregates`() {
    #expect(answers(fixture.pound) == Self.expected)
    #expect(answers(PoundFixture.unmanaged()) == Self.expected)
  }

  @Test func `aggregates of nothing are nil and zero`() {
    let pound = Pound()
    #expect(pound.numbers.min() == nil && pound.numbers.sum() == 0)
    #expect(pound.hounds.max(of: \.age) == nil && pound.pack.sum(of: \.weight) == 0)
    let average: Double? = pound.scores.average()
    #expect(average == nil && Hound().followers.sum(of: \.age) == 0)
  }

  @Test func `a path leads through links, of which nil ones count for nothing`() {
    let pound = PoundFixture.unmanaged()
    pound.hounds[0].leader = fixture.leader
    pound.hounds[1].leader = pound.hounds[2]
    #expect(pound.hounds.sum(ofProperty: "leader.age") == 16)
    #expect(pound.hounds.max(of: \.leader?.age) == 11)
  }

  @Test func `numbers of several types are added and compared as the file does`() throws {
    let values: [AnyRealmValue] = [.int(3), .double(0.5), .none, .string("x"), .decimal128("2.25")]
    let unmanaged = Mixture()
    unmanaged.values.append(objectsIn: values)
    unmanaged.whole.append(objectsIn: [.max, 1])
    let configuration = Realm.Configuration(
      fileURL: fixture.folder.file("mixture.realm"), objectTypes: [Mixture.self])
    let realm = try Realm(configuration: configuration)
    let managed = try realm.write { realm.create(Mixture.self, value: unmanaged) }
    for mixture in [unmanaged, managed] {
      let sum: Decimal128 = mixture.values.sum(ofProperty: "self")
      let average: Decimal128? = mixture.values.average(ofProperty: "self")
      #expect(sum == 5.75 && average == sum / 3)
      #expect(mixture.whole.sum() == .min)
      let mean: Double? = mixture.whole.average()
      #expect(mean == Double(Int.max) / 2)
    }
  }
}

final class Mixture: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var values: List<AnyRealmValue>
  @Persisted var whole: List<Int>
}
