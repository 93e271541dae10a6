// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

open class StockObject: Object {
  @Persisted(primaryKey: true) open var id = UUID().uuidString
  @Persisted open var localUpdatedDate: Date = Date()

  override open class func shouldIncludeInDefaultSchema() -> Bool {
    self != StockObject.self
  }
}

final class StockItem: StockObject {
  @Persisted var name: String
  @Persisted var count: Int16 = 0
  @Persisted var price: Float?
  @Persisted var shelf: StockShelf?
  @Persisted var codes: List<Int64>
}

final class StockShelf: StockObject {
  @Persisted var label: String = "?"
  @Persisted(originProperty: "shelf") var items: LinkingObjects<StockItem>
}

enum StockError: Error { case missing(String) }

/// A manager for every class, with dictionaries of changes.
class StockStore<T: StockObject> {
  private var realm: Realm { try! Realm() }
  let tableName = T.className()

  func all(sortedBy keyPath: String? = nil) -> Results<T> {
    guard let keyPath = keyPath else { return realm.objects(T.self) }
    return realm.objects(T.self).sorted(byKeyPath: keyPath)
  }

  subscript(id: String) -> T? { realm.object(ofType: T.self, forPrimaryKey: id) }

  @discardableResult
  func create(_ values: [String: Any?]) throws -> T {
    let realm = self.realm
    return try realm.write { realm.create(T.self, value: values, update: .all) }
  }

  func update(_ id: String, with dictionary: [String: Any?]) throws {
    guard let object = self[id] else { throw StockError.missing(id) }
    try realm.write {
      for (key, value) in dictionary { object.setValue(value, forKey: key) }
    }
  }

  func set(_ item: T, withValues values: [String: Any]) {
    try! realm.write { item.setValuesForKeys(values) }
  }
}

extension Object {
  func toDictionary() -> [String: Any] {
    let properties = self.objectSchema.properties.map { $0.name }
    var mutable = dictionaryWithValues(forKeys: properties)
    for property in objectSchema.properties {
      if let nested = self[property.name] as? Object {
        mutable[property.name] = nested.toDictionary()
      } else if let list = self[property.name] as? List<Int64> {
        mutable[property.name] = Array(list)
      }
    }
    return mutable
  }
}

extension CommonDeclarations {
  @Test func `an inventory that is changed by names`() throws {
    try withDefaultRealm(of: StockItem.self, StockShelf.self) {
      let items = StockStore<StockItem>()
      let shelves = StockStore<StockShelf>()
      let shelf = try shelves.create(["id": "A", "label": "North"])
      let screw = try items.create(["name": "Screw", "count": 900, "shelf": shelf, "price": nil])
      try items.create(["id": "n", "name": "Nail", "count": NSNumber(value: 4), "codes": [1, 2]])
      try items.update("n", with: ["count": 5, "price": 0.25 as Float, "shelf": shelf])
      #expect(throws: StockError.self) { try items.update("?", with: [:]) }
      items.set(screw, withValues: ["name": "Wood screw", "price": Float(1.5), "codes": [7]])
      #expect(screw.name == "Wood screw" && screw.price == 1.5 && screw.codes.first == 7)
      #expect(items["n"]?["count"] as? Int16 == 5 && items.tableName == "StockItem")
      #expect(shelf.items.sum(of: \.count) == 905 && shelf.items.value(forKey: "name") is [Any])
      let dictionary = items["n"]?.toDictionary()
      #expect((dictionary?["shelf"] as? [String: Any])?["label"] as? String == "North")
      #expect(
        dictionary?["codes"] as? [Int64] == [1, 2] && dictionary?["name"] as? String == "Nail")
      #expect(screw.value(forKeyPath: "shelf.label") as? String == "North")
      #expect(items.all(sortedBy: "shelf.label").count == 2)
      let mixed: [Object] = [StockItem(), StockShelf(value: ["label": "South"])]
      let realm = try Realm()
      try realm.write { realm.add(mixed) }
      let references = mixed.map { ThreadSafeReference(to: $0) }
      let resolved = references.compactMap { realm.resolve($0) }
      #expect(resolved[0] is StockItem && (resolved[1] as? StockShelf)?.label == "South")
      try realm.write { realm.delete(mixed) }
      #expect(shelves.all().count == 1)
    }
  }
}
