// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

final class MenuItem: Object, ObjectKeyIdentifiable {
  @Persisted(primaryKey: true) var id: UUID = UUID()
  @Persisted var name: String
  @Persisted var price: Double
  @Persisted var course: Course?
  @Persisted var allergens: MutableSet<Allergen>
  @Persisted var variants: Map<String, Double>

  enum Course: Int, PersistableEnum, CaseIterable, Comparable {
    case starter, main, dessert
    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }
}

enum Allergen: String, PersistableEnum { case nuts, milk, egg }

final class DiningTable: Object {
  @Persisted(primaryKey: true) var number: Int
  @Persisted var seats = 4
  @Persisted var orders: List<DiningOrder>

  var isFree: Bool { orders.allSatisfy { $0.isPaid } }
  var open: Results<DiningOrder> { orders.where { !$0.isPaid } }
}

final class DiningOrder: Object {
  @Persisted var items: List<MenuItem>
  @Persisted var isPaid = false
  @Persisted var note: String?
  @Persisted(originProperty: "orders") var tables: LinkingObjects<DiningTable>

  var total: Double { items.sum(ofProperty: "price") }
}

protocol HasApply {}
extension HasApply {
  func apply(_ block: (Self) -> Void) -> Self {
    block(self)
    return self
  }
}
extension Object: HasApply {}

final class Restaurant {
  static let shared = Restaurant()
  private init() {}
  lazy var realm: Realm = try! Realm()
  private(set) lazy var menu: Results<MenuItem> = realm.objects(MenuItem.self)
    .sorted(by: [
      SortDescriptor(keyPath: "course"), SortDescriptor(keyPath: "price", ascending: false),
    ])

  func order(_ names: [String], at number: Int) -> DiningOrder? {
    guard let table = realm.object(ofType: DiningTable.self, forPrimaryKey: number) else {
      return nil
    }
    let order = DiningOrder().apply { order in
      names.compactMap { name in menu.first(where: { $0.name == name }) }.forEach(
        order.items.append)
    }
    try! realm.write({
      table.orders.append(order)
    })
    return order
  }

  func close() {
    menu = realm.objects(MenuItem.self)
    realm.invalidate()
  }
}

extension CommonDeclarations {
  @Test func `a restaurant with a shared realm`() throws {
    try withDefaultRealm(of: MenuItem.self, DiningTable.self, DiningOrder.self) {
      let restaurant = Restaurant.shared
      let realm = restaurant.realm
      try realm.write {
        realm.add([
          MenuItem().apply {
            $0.name = "Soup"
            $0.price = 8.5
            $0.course = .starter
            $0.variants["small"] = 6
          },
          MenuItem(
            value: ["name": "Flan", "price": 7, "course": 2, "allergens": ["egg", "milk"]]
              as [String: Any]),
          MenuItem(
            value: ["name": "Roast", "price": 28, "course": MenuItem.Course.main] as [String: Any]),
          MenuItem(value: ["name": "Water"]),
        ])
        (1...3).forEach { realm.add(DiningTable(value: ["number": $0])) }
      }
      #expect(restaurant.menu.map(\.name) == ["Water", "Soup", "Roast", "Flan"])
      let order = restaurant.order(["Soup", "Flan", "Pizza", "Flan"], at: 2)
      #expect(order?.total == 22.5 && order?.items.count == 3 && restaurant.order([], at: 9) == nil)
      let table = try #require(order?.tables.first)
      #expect(!table.isFree && table.open.count == 1 && table.number == 2)
      let free = realm.objects(DiningTable.self).filter("NOT (ANY orders.isPaid == NO)")
      #expect(free.map(\.number).sorted() == [1, 3])
      let withEgg = restaurant.menu.where { $0.allergens.containsAny(in: [Allergen.egg, .nuts]) }
      #expect(withEgg.first?.course == .dessert && withEgg.count == 1)
      #expect(
        restaurant.menu.filter("ANY variants.@allKeys == 'small'").first?.variants["small"] == 6)
      #expect(restaurant.menu.compactMap { $0.course }.max() == .dessert)
      #expect(restaurant.menu.where { $0.course == .main || $0.price < 1 }.count == 2)
      let courses = restaurant.menu.distinct(by: [\MenuItem.course]).compactMap(\.course)
      #expect(courses == MenuItem.Course.allCases)
      try realm.write {
        table.orders.setValue(true, forKey: "isPaid")
        order?.items.removeAll(where: { $0.name == "Flan" })
      }
      #expect(table.isFree && order?.total == 8.5 && table.open.isEmpty)
      restaurant.close()
    }
  }
}
