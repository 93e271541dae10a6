// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import RealmSwift
import Testing

class LibraryBook: Object {
  @Persisted(primaryKey: true) var isbn: String
  @Persisted var title: String
  @Persisted var authors: List<LibraryAuthor>
  @Persisted var pages: Int?
  @Persisted var lentTo: LibraryReader?
}

class LibraryAuthor: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted(originProperty: "authors") var books: LinkingObjects<LibraryBook>

  // An initializer that sets properties before and after that of the class above.
  init(id: Int, name: String) {
    super.init()
    self.id = id
    self.name = name
  }

  override init() {
    super.init()
  }
}

class LibraryReader: Object {
  @Persisted(primaryKey: true) var email: String
  @Persisted(originProperty: "lentTo") var books: LinkingObjects<LibraryBook>
}

/// Class functions for everything, in the way of small applications.
final class LibraryService {
  static let deleteIfMigration = Realm.Configuration(deleteRealmIfMigrationNeeded: true)

  class func save<T: Object>(
    items: [T], configuration: Realm.Configuration = .defaultConfiguration,
    update: Realm.UpdatePolicy = .modified
  ) throws {
    let realm = try Realm(configuration: configuration)
    try realm.write {
      realm.add(items, update: update)
    }
  }

  class func load<T: Object>(typeOf: T.Type) throws -> Results<T> {
    let realm = try Realm()
    return realm.objects(T.self)
  }

  class func read<T: Object>(_ object: T.Type, predicateFormat: String, args: Any...) throws -> [T]
  {
    let results = try Realm().objects(object)
    return results.filter(predicateFormat, args).map { $0 }
  }

  class func delete<T: Object>(object: Results<T>) throws {
    let realm = try Realm()
    try realm.write {
      realm.delete(object)
    }
  }
}

extension Results {
  func toArray<T>(ofType: T.Type) -> [T] {
    var array = [T]()
    for i in 0..<count {
      if let result = self[i] as? T {
        array.append(result)
      }
    }
    return array
  }

  func asList() -> [Element] {
    return compactMap {
      $0
    }
  }
}

extension CommonDeclarations {
  @Test func `a library with functions of a class`() throws {
    try withDefaultRealm(of: LibraryBook.self, LibraryAuthor.self, LibraryReader.self) {
      let (ann, ben) = (LibraryAuthor(id: 1, name: "Ann"), LibraryAuthor(id: 2, name: "Ben"))
      try LibraryService.save(items: [ann, ben], update: .error)
      let books = [
        LibraryBook(value: ["isbn": "1", "title": "Tea", "authors": [ann, ben], "pages": 90]),
        LibraryBook(value: ["2", "Milk", [ben], 30]), LibraryBook(value: ["3", "Salt"]),
      ]
      try LibraryService.save(items: books)
      let all = try LibraryService.load(typeOf: LibraryBook.self)
      #expect(all.toArray(ofType: LibraryBook.self).count == 3 && all.asList().count == 3)
      #expect(ben.books.sorted(byKeyPath: "pages").map { $0.title } == ["Milk", "Tea"])
      let thin = try LibraryService.read(
        LibraryBook.self, predicateFormat: "pages IN %@", args: 30, 50)
      #expect(thin.map { $0.isbn } == ["2"])
      try all.realm?.write {
        let reader = LibraryReader(value: ["email": "r@example.org"])
        all.filter("ANY authors.name == %@", "Ben").forEach { $0.lentTo = reader }
      }
      #expect(all.filter("lentTo.email ENDSWITH '.org'").count == 2)
      let lent = all.where { $0.lentTo != nil }
      #expect(lent.first?.lentTo?.books.count == 2)
      try LibraryService.delete(object: lent)
      #expect(
        all.count == 1 && ann.books.isEmpty && LibraryService.deleteIfMigration.schemaVersion == 0)
    }
  }
}
