// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

class TodoCategory: Object {
  @Persisted var name: String = ""
  @Persisted var colour: String = "#ffffff"
  @Persisted var items = List<TodoItem>()
}

class TodoItem: Object {
  @Persisted var title: String = ""
  @Persisted var done: Bool = false
  @Persisted var dateCreated: Date?
  @Persisted(originProperty: "items") var parentCategory: LinkingObjects<TodoCategory>
}

/// The state of a table's view controller, with `Results` that are there after it has loaded.
class TodoListController {
  let realm = try! Realm()
  var todoItems: Results<TodoItem>?
  var categories: Results<TodoCategory>!

  var selectedCategory: TodoCategory? {
    didSet { loadItems() }
  }

  func loadItems() {
    todoItems = selectedCategory?.items.sorted(byKeyPath: "title", ascending: true)
  }

  func loadCategories() {
    categories = realm.objects(TodoCategory.self)
  }

  func save(category: TodoCategory) {
    do {
      try realm.write {
        realm.add(category)
      }
    } catch {
      Issue.record("Error saving category \(error)")
    }
  }

  func addItem(_ title: String) {
    if let currentCategory = self.selectedCategory {
      do {
        try self.realm.write {
          let newItem = TodoItem()
          newItem.title = title
          newItem.dateCreated = Date()
          currentCategory.items.append(newItem)
        }
      } catch {
        Issue.record("Error saving new items, \(error)")
      }
    }
  }

  func didSelect(row: Int) {
    if let item = todoItems?[row] {
      try? realm.write { item.done = !item.done }
    }
  }

  func search(_ text: String) {
    todoItems = todoItems?.filter("title CONTAINS[cd] %@", text)
      .sorted(byKeyPath: "dateCreated", ascending: true)
  }

  func delete(row: Int) {
    guard let item = self.todoItems?[row] else { return }
    try! realm.write { realm.delete(item) }
  }
}

extension CommonDeclarations {
  @Test func `a list of things to do, with categories`() {
    withDefaultRealm(of: TodoCategory.self, TodoItem.self) {
      let controller = TodoListController()
      controller.loadCategories()
      let home = TodoCategory()
      home.name = "Home"
      controller.save(category: home)
      controller.selectedCategory = controller.categories?[0]
      ["Water plants", "Äpfel kaufen", "Buy bread"].forEach(controller.addItem)
      #expect(controller.todoItems?.count ?? 1 == 3)
      controller.didSelect(row: 0)
      #expect(controller.todoItems?.map { $0.done } == [true, false, false])
      #expect(controller.todoItems?.first?.parentCategory.first?.name == "Home")
      controller.search("apfel")
      #expect(controller.todoItems?.count == 1)
      controller.delete(row: 0)
      #expect(controller.todoItems?.isEmpty == true && home.items.count == 2)
    }
  }
}
