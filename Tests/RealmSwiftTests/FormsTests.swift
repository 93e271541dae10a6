import Dispatch
import Foundation
import RealmSwift
import TestKit
import Testing

final class Shelter: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var title: String
  @Persisted var whelps: List<Whelp>
  @Persisted var anything: AnyRealmValue
  @Persisted var label: Label?
  @Persisted var words: List<String>
  @Persisted var marks: MutableSet<Int>
  @Persisted var prices: Map<String, Double>
}

final class Whelp: Object {
  @Persisted(primaryKey: true) var pk: Int
  @Persisted var name: String
  @Persisted var age: Int
  @Persisted(originProperty: "whelps") var shelters: LinkingObjects<Shelter>
}

final class Label: EmbeddedObject {
  @Persisted var text: String
}

final class WhelpCard: Projection<Whelp> {
  @Projected(\Whelp.name) var title
  @Projected(\Whelp.age) var years
}

@Suite struct FormsTests {
  let folder = TemporaryFolder()
  let realm: Realm
  let shelter: Shelter

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: folder.file("a.realm"),
        objectTypes: [Shelter.self, Whelp.self, Label.self, Whelp.self]))
    shelter = try realm.write { [realm] in
      realm.create(
        Shelter.self,
        value: [
          "id": 1, "title": "North", "label": ["text": "x"],
          "whelps": [["pk": 1, "name": "Ada", "age": 3], ["pk": 2, "name": "Bo", "age": 3]],
          "words": ["b", "a", "bb"], "marks": [1, 2, 11], "prices": ["dog": 1.5],
        ] as [String: Any])
    }
  }

  /// The changes that an observer is told during `change`, in turn.
  private func told<Change>(
    _ observe: (DispatchQueue, @escaping (Change) -> Void) -> NotificationToken,
    _ change: () throws -> Void
  ) throws -> [Change] {
    let queue = DispatchQueue(label: "observer")
    let box = Box<Change>()
    let token = observe(queue) { box.append($0) }
    _ = box.wait(1, .milliseconds(300))
    try change()
    _ = box.wait(box.count + 1, .seconds(5))
    token.invalidate()
    queue.sync {}
    return box.all
  }

  @Test func `a class named twice is there once`() {
    #expect(realm.schema.objectSchema.map(\.className).sorted() == ["Label", "Shelter", "Whelp"])
  }

  @Test func `an embedded object is found by itself`() {
    let label = shelter.label
    #expect(realm.objects(Shelter.self).where { $0.label == label }.count == 1)
    #expect(realm.objects(Shelter.self).filter("label == %@", label as Any).count == 1)
    #expect(realm.objects(Shelter.self).filter("label != nil").count == 1)
  }

  @Test func `a list inside an any-typed value is observed`() throws {
    try realm.write { shelter.anything = .list(List()) }
    try realm.write { shelter.anything.listValue?.append(.int(1)) }
    let changes: [ObjectChange<Shelter>] = try told({ shelter.observe(on: $0, $1) }) {
      try realm.write { shelter.anything.listValue?.append(.int(2)) }
    }
    guard case .change(_, let properties) = changes.last else {
      Issue.record("\(changes)")
      return
    }
    #expect(properties.map(\.name) == ["anything"])
    let list = try #require(shelter.anything.listValue)
    let listChanges: [RealmCollectionChange<List<AnyRealmValue>>] = try told({
      list.observe(on: $0, $1)
    }) {
      try realm.write { list.append(.int(3)) }
    }
    guard case .update(_, _, let insertions, _) = listChanges.last else {
      Issue.record("\(listChanges)")
      return
    }
    #expect(insertions == [2])
    let replaced: [RealmCollectionChange<List<AnyRealmValue>>] = try told({
      list.observe(on: $0, $1)
    }) {
      try realm.write { shelter.anything = .list(List(["new"])) }
    }
    guard case .update(_, let deletions, _, _) = replaced.last else {
      Issue.record("\(replaced)")
      return
    }
    #expect(deletions == [0, 1, 2])
  }

  @Test func `a map inside a list inside an any-typed value is observed`() throws {
    try realm.write { shelter.anything = [["a": 1], 2] }
    let map = try #require(shelter.anything[0]?.dictionaryValue)
    let changes: [RealmMapChange<Map<String, AnyRealmValue>>] = try told({
      map.observe(on: $0, $1)
    }) {
      try realm.write {
        map["a"] = 3
        map["b"] = "new"
      }
    }
    guard case .update(_, _, let insertions, let modifications) = changes.last else {
      Issue.record("\(changes)")
      return
    }
    #expect(insertions == ["b"] && modifications == ["a"])
  }

  @Test func `a property of a list's element is observed by a key path with an index`() throws {
    let changes: [ObjectChange<Shelter>] = try told({
      shelter.observe(keyPaths: [\Shelter.whelps[0].name], on: $0, $1)
    }) { try realm.write { shelter.whelps[0].name = "Eva" } }
    #expect(changes.count == 1)
    let results: [RealmCollectionChange<Results<Shelter>>] = try told({
      realm.objects(Shelter.self).observe(keyPaths: [\Shelter.whelps[0].name], on: $0, $1)
    }) { try realm.write { shelter.whelps[0].name = "Zoe" } }
    #expect(results.count == 2)
  }

  @Test func `a key path with an index is no order`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryFolder()
      let realm = try Realm(
        configuration: Realm.Configuration(
          fileURL: folder.file("a.realm"), objectTypes: [Shelter.self, Whelp.self, Label.self]))
      _ = realm.objects(Shelter.self).sorted(by: \.whelps[0].name).count
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("whelps.name"), "\(text)")
  }

  @Test func `a projection is frozen, referred to, and knows its realm`() throws {
    let card = try #require(realm.objects(WhelpCard.self).first)
    #expect(card.realm === realm)
    let frozen = card.freeze()
    #expect(frozen.isFrozen && !card.isFrozen && frozen.title == "Ada")
    #expect(frozen.thaw()?.title == "Ada")
    let reference = ThreadSafeReference(to: card)
    #expect(realm.resolve(reference)?.title == "Ada")
    let cards = realm.objects(WhelpCard.self).where { $0.age == 3 }.filter("name == 'Bo'")
    #expect(cards.map(\.title) == ["Bo"])
    let changes: [ObjectChange<WhelpCard>] = try told({
      card.observe(keyPaths: ["title"], on: $0, $1)
    }) {
      try realm.write { card.years = 4 }
      try realm.write { card.title = "Eva" }
    }
    guard case .change(_, let properties) = changes.last else {
      Issue.record("\(changes)")
      return
    }
    #expect(changes.count == 1 && properties.map(\.name) == ["title"])
  }

  @Test func `a migration does not visit what it deleted`() throws {
    realm.close()
    let configuration = Realm.Configuration(
      fileURL: folder.file("a.realm"), schemaVersion: 1,
      migrationBlock: { migration, _ in
        migration.enumerateObjects(ofType: "Whelp") { old, new in
          if old?["pk"] as? Int == 1, let new { migration.delete(new) }
        }
        var left: [Int] = []
        migration.enumerateObjects(ofType: "Whelp") { old, new in
          if let pk = old?["pk"] as? Int, new != nil { left.append(pk) }
        }
        #expect(left == [2])
      }, objectTypes: [Shelter.self, Whelp.self, Label.self])
    #expect(try Realm(configuration: configuration).objects(Whelp.self).count == 1)
  }

  @Test func `collections are read by name`() throws {
    let object = try #require(realm.dynamicObjects("Shelter").first)
    #expect(object.dynamicList("whelps").compactMap { $0["name"] as? String } == ["Ada", "Bo"])
    #expect(shelter.dynamicList("whelps").count == 2)
  }

  @Test func `a copy is written as a configuration says`() throws {
    let copy = Realm.Configuration(
      fileURL: folder.file("b.realm"), objectTypes: [Shelter.self, Whelp.self, Label.self])
    try realm.writeCopy(configuration: copy)
    #expect(try Realm(configuration: copy).objects(Whelp.self).count == 2)
  }

  @Test func `maps are read and written by name`() throws {
    #expect(shelter.prices.value(forKey: "dog") as? Double == 1.5)
    try realm.write { shelter.prices.setValue(2.5, forKey: "cat") }
    #expect(shelter.prices["cat"] == 2.5)
  }

  @Test func `collections have aggregates by key path`() {
    #expect(shelter.whelps.sum(of: \.age) == 6 && shelter.whelps.max(of: \.age) == 3)
    #expect(shelter.whelps.average(of: \.age) == 3.0)
    #expect(shelter.whelps[0].shelters.min(of: \.id) == 1)
  }

  @Test func `the schema of a file without a realm is told`() {
    #expect(Shelter.sharedSchema()?.className == "Shelter")
    #expect(Shelter.sharedSchema()?["whelps"]?.isArray == true)
  }
}

/// The reports of observers, from any thread.
private final class Box<Value>: @unchecked Sendable {
  private let condition = NSCondition()
  private var values: [Value] = []

  var all: [Value] { condition.withLock { values } }
  var count: Int { condition.withLock { values.count } }

  func append(_ value: Value) {
    condition.withLock {
      values.append(value)
      condition.broadcast()
    }
  }

  /// Waits until there are so many.
  func wait(_ count: Int, _ bound: DispatchTimeInterval) -> Bool {
    let end = Date(timeIntervalSinceNow: bound.seconds)
    return condition.withLock {
      while values.count < count { if !condition.wait(until: end) { return false } }
      return true
    }
  }
}

extension DispatchTimeInterval {
  fileprivate var seconds: Double {
    switch self {
    case .seconds(let value): Double(value)
    case .milliseconds(let value): Double(value) / 1000
    default: 1
    }
  }
}
