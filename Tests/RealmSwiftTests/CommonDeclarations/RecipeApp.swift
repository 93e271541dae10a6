// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

/// The base class of a kitchen's models.
class KitchenEntity: Object {
  @Persisted var id: String = UUID().uuidString
  @Persisted var createdAt = Date()
  @Persisted var isDeleted = false

  override class func primaryKey() -> String? {
    return "id"
  }

  override class func indexedProperties() -> [String] {
    return ["createdAt"]
  }
}

class Recipe: KitchenEntity {
  @Persisted var title = ""
  @Persisted var servings: Int = 4
  @Persisted var ingredients: List<Ingredient>
  @Persisted var steps: List<String>
  @Persisted var rating: Float?
  var image: Data?
  lazy var displayTitle: String = { title.uppercased() }()

  override static func ignoredProperties() -> [String] {
    return ["image", "displayTitle", "isFavourite"]
  }

  override class func indexedProperties() -> [String] { super.indexedProperties() + ["title"] }

  convenience init(_ title: String, steps: [String] = [], ingredients: [Ingredient] = []) {
    self.init()
    self.title = title
    self.steps.append(objectsIn: steps)
    self.ingredients.append(objectsIn: ingredients)
  }
}

class Ingredient: KitchenEntity {
  @Persisted var name = String()
  @Persisted var grams = Double()
  let recipes = "not stored"
}

// MARK: - Queries

extension Recipe {
  static func all(in realm: Realm = try! Realm()) -> Results<Recipe> {
    return realm.objects(Recipe.self).filter("isDeleted = false")
      .sorted(by: [SortDescriptor(keyPath: "rating", ascending: false), "title"])
  }

  static func with(ingredient name: String) -> Results<Recipe> {
    return all().filter(
      "SUBQUERY(ingredients, $i, $i.name CONTAINS[c] %@ && $i.grams > 0).@count > 0", name)
  }

  var isQuick: Bool { steps.count < 3 }

  func softDelete() {
    guard let realm = realm else { return }
    try? realm.write {
      isDeleted = true
      ingredients.forEach { $0.isDeleted = true }
    }
  }
}

extension CommonDeclarations {
  @Test func `recipes with a base class`() throws {
    try withDefaultRealm(of: Recipe.self, Ingredient.self) {
      let realm = try Realm()
      let flour = Ingredient(value: ["name": "Flour", "grams": 500])
      let bread = Recipe("Bread", steps: ["Knead", "Wait", "Bake"], ingredients: [flour])
      let toast = Recipe("Toast", steps: ["Toast"])
      toast.image = Data([1])
      let recipes = [bread, toast, Recipe(value: ["title": "Air", "rating": 4.5, "servings": 1])]
      try realm.write { realm.add(recipes) }
      #expect(Recipe.all().map { $0.title } == ["Air", "Bread", "Toast"])
      #expect(Recipe.with(ingredient: "flo").first == bread)
      #expect(Recipe.all().filter { $0.isQuick }.map { $0.title } == ["Air", "Toast"])
      #expect(bread.displayTitle == "BREAD" && toast.image == Data([1]))
      #expect(Recipe.primaryKey() == "id" && Recipe.sharedProperties.contains("isDeleted"))
      #expect(bread.objectSchema.primaryKeyProperty?.name == "id")
      bread.softDelete()
      #expect(Recipe.all().count == 2 && flour.isDeleted)
      let copy = Recipe(value: bread)
      #expect(copy.realm == nil && copy.id == bread.id && copy.steps.count == 3)
      try realm.write {
        copy.isDeleted = false
        realm.add(copy, update: .all)
        bread.steps.swapAt(0, 2)
        bread.steps.removeLast()
        bread.steps.insert("Mix", at: 0)
      }
      #expect(Array(bread.steps) == ["Mix", "Bake", "Wait"] && !bread.isDeleted)
    }
  }
}

extension Recipe {
  static var sharedProperties: [String] { Recipe().objectSchema.properties.map { $0.name } }
}
