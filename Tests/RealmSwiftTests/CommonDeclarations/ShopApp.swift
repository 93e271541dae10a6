// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

enum ShopCategory: String, PersistableEnum, Codable, CaseIterable {
  case tools, books
  case kitchen = "home-kitchen"
}

class ShopProduct: Object {
  @Persisted(primaryKey: true) var sku: String
  @Persisted var name: String
  @Persisted var price: Decimal128 = 0
  @Persisted var category: ShopCategory = .tools
  @Persisted var stock: Int?
  @Persisted var tags: MutableSet<String>

  var isAvailable: Bool { (stock ?? 0) > 0 }
}

class ShopOrderLine: EmbeddedObject {
  @Persisted var product: ShopProduct?
  @Persisted var quantity = 1

  var total: Decimal128 { (product?.price ?? 0) * Decimal128(value: quantity) }
}

class ShopOrder: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var placedAt = Date()
  @Persisted var lines: List<ShopOrderLine>
  @Persisted var shipping: ShopAddress?

  func add(_ product: ShopProduct, quantity: Int = 1) {
    if let line = lines.first(where: { $0.product?.sku == product.sku }) {
      line.quantity += quantity
    } else {
      let line = ShopOrderLine()
      line.product = product
      line.quantity = quantity
      lines.append(line)
    }
  }
}

class ShopAddress: EmbeddedObject {
  @Persisted var street: String?
  @Persisted var city: String = "Basel"
}

extension CommonDeclarations {
  @Test func `a shop that fills its shelves from dictionaries`() throws {
    try withDefaultRealm(
      of: ShopProduct.self, ShopOrder.self, ShopOrderLine.self, ShopAddress.self
    ) {
      let realm = try Realm()
      let response: [[String: Any]] = [
        ["sku": "H-1", "name": "Hammer", "price": 12.5, "stock": 3, "tags": ["steel", "wood"]],
        ["sku": "B-1", "name": "Book of Nails", "price": "30.00", "category": "books"],
        ["sku": "K-1", "name": "Pan", "price": 45, "category": "home-kitchen", "stock": 0],
      ]
      try realm.write {
        for value in response {
          realm.create(ShopProduct.self, value: value, update: .modified)
        }
        realm.create(ShopProduct.self, value: ["sku": "H-1", "stock": 7], update: .modified)
      }
      let hammer = try #require(realm.object(ofType: ShopProduct.self, forPrimaryKey: "H-1"))
      #expect(hammer.stock == 7 && hammer.isAvailable && hammer.tags.contains("wood"))
      let dear = realm.objects(ShopProduct.self).where { $0.price > 20 && $0.category != .tools }
      #expect(dear.sorted(byKeyPath: "price", ascending: false).map(\.name).first == "Pan")
      let order = try realm.write {
        let order = realm.create(
          ShopOrder.self, value: ["shipping": ["street": "Rheingasse 1"], "lines": []])
        order.add(hammer, quantity: 2)
        order.add(hammer)
        order.add(dear[0])
        return order
      }
      let total = order.lines.map(\.total).reduce(0, +)
      #expect(total == 67.5 && order.lines.count == 2 && order.shipping?.city == "Basel")
      let items: Int = order.lines.sum(ofProperty: "quantity")
      #expect(items == 4 && order.lines.sum(of: \.quantity) == 4)
      #expect(realm.objects(ShopOrder.self).filter("ANY lines.product.sku == %@", "H-1").count == 1)
      let mean: Double? = realm.objects(ShopProduct.self).average(ofProperty: "price")
      #expect(mean.map { Int($0) } == 29)
      try realm.write { order.shipping = nil }
      #expect(realm.objects(ShopOrder.self).where { $0.shipping == nil }.count == 1)
    }
  }
}
