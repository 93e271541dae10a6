import Foundation
import RealmSwift
import TestKit
import Testing

final class Shipment: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var label: String
  @Persisted var sentAt: Date
  @Persisted var isPaid: Bool
  @Persisted var weight: Double?
  @Persisted var batch: UUID
  @Persisted var seal: Data
  @Persisted var price: Decimal128
  @Persisted var state: State
  @Persisted var next: Shipment?

  enum State: Int, PersistableEnum {
    case waiting, sent
  }
}

/// `NSPredicate` as applications make it, in every collection.
@Suite struct PredicateTests {
  private let fixture: PoundFixture
  private let hounds: Results<Hound>
  private var pound: Pound { fixture.pound }

  init() throws {
    fixture = try PoundFixture()
    hounds = fixture.realm.objects(Hound.self).sorted(byKeyPath: "name")
  }

  private func names(_ predicate: NSPredicate) -> [String] {
    hounds.filter(predicate).map(\.name)
  }

  @Test func `a format takes its arguments in their order`() {
    #expect(names(NSPredicate(format: "name == %@", "Bo")) == ["Bo"])
    #expect(names(NSPredicate(format: "age > %d AND name != %@", 3, "Dux")) == ["Bo", "Cy"])
    #expect(names(NSPredicate(format: "%K BEGINSWITH[c] %@", "name", "a")) == ["Ada"])
    #expect(names(NSPredicate(format: "%K == %@", "leader.name", "Dux")).count == 3)
    #expect(names(NSPredicate(format: "weight == nil")) == ["Bo", "Dux"])
    #expect(names(NSPredicate(format: "weight == %@", NSNull())) == ["Bo", "Dux"])
    #expect(names(NSPredicate(format: "name IN %@", ["Ada", "Cy"])) == ["Ada", "Cy"])
    #expect(
      names(NSPredicate(format: "age BETWEEN {%@, %@}", 4 as NSNumber, 8 as NSNumber)) == [
        "Bo", "Cy",
      ])
    #expect(names(NSPredicate(format: "followers.@count > 0")) == ["Dux"])
    #expect(names(NSPredicate(format: "leader == %@", fixture.leader)) == ["Ada", "Bo", "Cy"])
  }

  @Test func `a format takes arguments from an array`() {
    #expect(names(NSPredicate(format: "name == %@", argumentArray: ["Bo"])) == ["Bo"])
    #expect(names(NSPredicate(format: "age == 11", argumentArray: nil)) == ["Dux"])
  }

  @Test func `compound predicates join texts and arguments`() {
    let young = NSPredicate(format: "age < %d", 6)
    let named = NSPredicate(format: "name == %@ OR name == %@", "Ada", "Bo")
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [young, named])
    #expect(names(both) == ["Ada"])
    let either = NSCompoundPredicate(orPredicateWithSubpredicates: [young, named])
    #expect(names(either) == ["Ada", "Bo", "Cy"])
    #expect(names(NSCompoundPredicate(notPredicateWithSubpredicate: either)) == ["Dux"])
    let type = NSCompoundPredicate(
      type: .and, subpredicates: [either, NSPredicate(format: "age > 3")])
    #expect(names(type) == ["Bo", "Cy"])
    #expect(names(NSCompoundPredicate(andPredicateWithSubpredicates: [])).count == 4)
    #expect(names(NSCompoundPredicate(orPredicateWithSubpredicates: [])).isEmpty)
    #expect(names(NSPredicate(value: true)).count == 4)
    #expect(names(NSPredicate(value: false)).isEmpty)
  }

  @Test func `every collection of objects is filtered`() {
    let old = NSPredicate(format: "age >= %d", 5)
    #expect(pound.hounds.filter(old).map(\.name) == ["Bo", "Cy"])
    #expect(Set(pound.pack.filter(old).map(\.name)) == ["Bo", "Cy"])
    #expect(pound.byName.filter(old).map(\.name) == ["Bo", "Cy"])
    #expect(Set(fixture.leader.followers.filter(old).map(\.name)) == ["Bo", "Cy"])
    #expect(AnyRealmCollection(pound.hounds).filter(old).map(\.name) == ["Bo", "Cy"])
    func generic<C: RealmCollection>(_ collection: C) -> [C.Element] where C.Element: Object {
      Array(collection.filter(old))
    }
    #expect(generic(hounds).map(\.name) == ["Bo", "Cy", "Dux"])
    func firstIndex<C: RealmCollection>(_ collection: C) -> Int? where C.Element: Object {
      collection.index(matching: "name == %@", "Cy")
    }
    #expect(firstIndex(hounds) == 2 && firstIndex(AnyRealmCollection(pound.hounds)) == 2)
    #expect(hounds.index(matching: old) == 1)
    #expect(pound.hounds.index(matching: NSPredicate(format: "name == 'Cy'")) == 2)
    #expect(hounds.index(matching: NSPredicate(format: "name == 'Ex'")) == nil)
  }

  @Test func `values are filtered by what they are`() {
    let large = NSPredicate(format: "SELF > %d", 3)
    #expect(Array(pound.numbers.filter(large)) == [4, 6])
    #expect(Array(pound.scores.filter(large)) == [8, 5])
    #expect(pound.numbers.index(matching: NSPredicate(format: "self == 6")) == 2)
    #expect(Array(pound.weights.filter(NSPredicate(format: "SELF > 2"))) == [2.5])
    #expect(Array(pound.numbers.sorted().filter(large)) == [4, 6])
  }

  @Test func `arguments are mapped values, references and casts`() throws {
    let folder = TemporaryFolder()
    let realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: folder.file("parcels.realm"), objectTypes: [Shipment.self]))
    let (batch, day, seal) = (UUID(), Date(timeIntervalSince1970: 1_700_000_000), Data([1, 2]))
    let parcel = Shipment(
      value: [
        "label": "Ruler", "sentAt": day, "isPaid": true, "weight": 1.5, "batch": batch,
        "seal": seal, "price": Decimal128("12.50"), "state": Shipment.State.sent,
      ] as [String: Any])
    try realm.write {
      realm.add(parcel)
      realm.add(Shipment(value: ["label": "Other", "next": parcel] as [String: Any]))
    }
    func labels(_ predicate: NSPredicate) -> [String] {
      realm.objects(Shipment.self).filter(predicate).map(\.label)
    }
    let id = parcel.id
    let predicates = [
      NSPredicate(format: "id == %@", id as any CVarArg),
      NSPredicate(format: "sentAt <= %@", day as any CVarArg),
      NSPredicate(format: "sentAt == %@", day as NSDate),
      NSPredicate(format: "batch == %@", batch as any CVarArg),
      NSPredicate(format: "batch == %@", batch as NSUUID),
      NSPredicate(format: "seal == %@", seal as any CVarArg),
      NSPredicate(format: "seal == %@", seal as NSData),
      NSPredicate(format: "price == %@", parcel.price as any CVarArg),
      NSPredicate(format: "isPaid == true"),
      NSPredicate(format: "isPaid == %@", true as NSNumber),
      NSPredicate(format: "isPaid == %@", NSNumber(value: true)),
      NSPredicate(format: "weight == %f", 1.5),
      NSPredicate(format: "weight == %@", NSNumber(value: 1.5)),
      NSPredicate(format: "state == %d", Shipment.State.sent.rawValue),
      NSPredicate(format: "state == %@", Shipment.State.sent),
      NSPredicate(format: "label == %@", NSString(string: "Ruler")),
      NSPredicate(format: "label IN %@", NSArray(array: ["Ruler"])),
    ]
    for predicate in predicates {
      #expect(labels(predicate) == ["Ruler"], "\(predicate)")
    }
    #expect(labels(NSPredicate(format: "next.label == %@", "Ruler")) == ["Other"])
  }

  @Test func `a block cannot be searched by`() async {
    let exit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let fixture = try PoundFixture()
      _ = fixture.pound.hounds.filter(NSPredicate { _, _ in true }).count
    }
    let text = String(decoding: exit?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("a predicate made of a block, which a store cannot search by"))
  }

  @Test func `evaluating a text says what to do`() async {
    let exit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NSPredicate(format: "age > %d", 3).evaluate(with: nil)
    }
    let text = String(decoding: exit?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Evaluating the predicate \"age > %d\", whose text only stores can read"))
  }

  @Test func `a predicate is one that Foundation knows`() {
    let predicate = NSPredicate(format: "age > %d", 3)
    #expect(predicate == predicate && "\(predicate)" == "age > %d")
    #expect(predicate.copy() as? NSPredicate === predicate)
    #expect(predicate != NSPredicate(format: "age > %d", 4))
  }
}
