import AtollRealm
import Foundation
import TestKit
import Testing

// A larger model with its data access, as one writes them for Realm Swift: every kind of property,
// creation and updates, queries in both languages, observation, a migration.

enum Genre: String, PersistableEnum {
  case novel, poetry, science
}

final class Publisher: EmbeddedObject {
  @Persisted var name: String
  @Persisted var city: String?
}

final class Author: Object {
  @Persisted(primaryKey: true) var id: UUID
  @Persisted(indexed: true) var name: String
  @Persisted(originProperty: "authors") var books: LinkingObjects<Book>
}

final class Book: Object {
  @Persisted(primaryKey: true) var isbn: String
  @Persisted var title: String
  @Persisted var genre: Genre
  @Persisted var price: Decimal128
  @Persisted var published: Date?
  @Persisted var publisher: Publisher?
  @Persisted var authors: List<Author>
  @Persisted var tags: MutableSet<String>
  @Persisted var ratings: Map<String, Int>
  @Persisted var note: AnyRealmValue
}

struct Library {
  let realm: Realm

  func add(_ title: String, isbn: String, by author: Author, price: Decimal128) throws {
    try realm.write {
      realm.create(
        Book.self,
        value: [
          "isbn": isbn, "title": title, "price": price, "authors": [author],
          "publisher": ["name": "Diogenes", "city": "Zürich"], "tags": ["new", "paper"],
          "ratings": ["ann": 5, "bob": 3],
        ] as [String: Any],
        update: .modified)
    }
  }

  func rename(_ isbn: String, to title: String) throws {
    guard let book = realm.object(ofType: Book.self, forPrimaryKey: isbn) else { return }
    try realm.write {
      book.title = title
      book.note = .string("renamed")
      book.ratings["cat"] = 4
      book.tags.remove("new")
    }
  }

  func wellRated(atLeast rating: Int) -> Results<Book> {
    realm.objects(Book.self).where { $0.ratings.values >= rating }.sorted(byKeyPath: "title")
  }

  func titles<Books: RealmCollection>(of books: Books) -> [String] where Books.Element == Book {
    books.map(\.title)
  }
}

@Suite struct LibraryModelTests {
  private let folder = TemporaryFolder()

  private var configuration: Realm.Configuration {
    folder.configuration([Book.self, Author.self, Publisher.self])
  }

  private func makeLibrary() throws -> (Library, Author) {
    let library = Library(realm: try Realm(configuration: configuration))
    let author = Author(value: ["name": "Max Frisch"])
    try library.realm.write { library.realm.add(author) }
    try library.add("Homo faber", isbn: "1", by: author, price: 24.9)
    try library.add("Stiller", isbn: "2", by: author, price: 30)
    return (library, author)
  }

  @Test func `a model of every kind of property is written, read and asked for`() throws {
    let (library, author) = try makeLibrary()
    let books = library.realm.objects(Book.self)
    #expect(library.titles(of: author.books).sorted() == ["Homo faber", "Stiller"])
    #expect(library.titles(of: AnyRealmCollection(library.wellRated(atLeast: 5))).count == 2)
    #expect(books.sum(of: \.price) == 54.9)
    #expect(
      books.filter("publisher.city BEGINSWITH[cd] 'zu' AND ANY authors.name == %@", author.name)
        .count == 2)
    #expect(books.filter("ANY tags == 'new' AND price > 25").map(\.isbn) == ["2"])
    #expect(books.where { $0.genre == .novel && $0.published == nil }.count == 2)
  }

  @Test func `updates write what differs, and missing keys stay`() throws {
    let (library, author) = try makeLibrary()
    try library.rename("1", to: "Homo Faber")
    try library.realm.write {
      library.realm.create(
        Book.self, value: ["isbn": "1", "price": 19] as [String: Any], update: .modified)
    }
    let book = try #require(library.realm.object(ofType: Book.self, forPrimaryKey: "1"))
    #expect(book.title == "Homo Faber")
    #expect(book.price == 19)
    #expect(book.note.stringValue == "renamed")
    #expect(book.ratings["cat"] == 4)
    #expect(Array(book.tags) == ["paper"])
    #expect(book.authors.first == author)
    #expect(book.realm === library.realm)
  }

  @Test func `deleting an author leaves the books, without it`() throws {
    let (library, author) = try makeLibrary()
    try library.realm.write { library.realm.delete(author) }
    #expect(author.isInvalidated)
    #expect(library.realm.objects(Book.self).allSatisfy { $0.authors.isEmpty })
  }
}
