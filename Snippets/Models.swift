// The code of the page "Models and objects". `Tests/HouseTests` sees that every block of the page stands
// here, and `Tests/SnippetTests` runs it.

import Atoll
import Foundation

enum Cover: String, PersistableEnum { case paperback, hardback }

final class Author: Object {
  @Persisted(primaryKey: true) var id: UUID
  @Persisted(indexed: true) var name: String
  @Persisted(originProperty: "author") var books: LinkingObjects<Book>
}

final class Size: EmbeddedObject {
  @Persisted var width: Double
  @Persisted var height: Double
}

final class Book: Object {
  @Persisted(primaryKey: true) var isbn: String
  @Persisted var title: String
  @Persisted var subtitle: String?
  @Persisted var pages = 100
  @Persisted var published: Date?
  @Persisted var cover: Cover
  @Persisted var author: Author?
  @Persisted var size: Size?

  /// Computed, and not stored: no `@Persisted`.
  var fullTitle: String { subtitle.map { "\(title): \($0)" } ?? title }
}

let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("models-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let store = try Store(
  configuration: .init(fileURL: folder.appendingPathComponent("books.atoll")))

// Creating.

let walden = Book()
walden.isbn = "978-0691096124"
walden.title = "Walden"
walden.author = Author(value: ["name": "Henry David Thoreau"])
walden.size = Size(value: ["width": 13.3, "height": 20.3])
try store.write {
  store.add(walden)
}

let emma = try store.write {
  store.create(
    Book.self,
    value: [
      "isbn": "978-0141439587", "title": "Emma", "subtitle": "A Novel",
      "author": ["name": "Jane Austen"],
    ])
}
print(emma.fullTitle, emma.pages, emma.cover, emma.published == nil)

// Reading.

let book = store.object(ofType: Book.self, forPrimaryKey: "978-0691096124")
print(book?.title ?? "nobody", book?.author?.books.map(\.title) ?? [])

let thick = store.objects(Book.self)
  .where { $0.pages >= 100 && $0.author.name.starts(with: "J") }
  .sorted(by: \.title)
for book in thick {
  print(book.title, "by", book.author?.name ?? "nobody")
}

// Writing.

try store.write {
  emma.pages = 512
  emma.size = Size(value: ["width": 12.9, "height": 19.8])
  walden.author?.name = "H. D. Thoreau"
}

// If it is there already.

try store.write {
  store.create(
    Book.self, value: ["isbn": "978-0141439587", "title": "Emma."], update: .modified)
}
print(emma.title, emma.pages)

do {
  try store.write {
    try store.add(checking: Book(value: ["isbn": "978-0141439587"]))
  }
} catch let error as Store.Error where error.code == .duplicatePrimaryKey {
  print("there is one already")
}

// Deleting.

try store.write {
  store.delete(walden)
  store.delete(store.objects(Author.self).where { $0.books.isEmpty })
}
print(walden.isInvalidated, store.objects(Author.self).count)
