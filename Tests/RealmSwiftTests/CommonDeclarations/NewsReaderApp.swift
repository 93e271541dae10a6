// swift-format-ignore-file: NeverForceUnwrap, NeverUseForceTry, NeverUseImplicitlyUnwrappedOptionals

import Foundation
import RealmSwift
import Testing

/// Domain values, and the protocol that takes them to models and back.
protocol NewsPersistable {
  associatedtype ManagedObject: RealmSwift.Object
  init(managedObject: ManagedObject)
  func managedObject() -> ManagedObject
}

struct Article: Identifiable, Equatable, Sendable {
  let id: String
  var title: String
  var isRead = false
  var tags: [String] = []
}

final class ArticleObject: Object {
  @Persisted(primaryKey: true) var id: String
  @Persisted var title: String
  @Persisted var isRead: Bool
  @Persisted var tags: List<String>
  @Persisted var lastUpdated: Date
}

extension Article: NewsPersistable {
  init(managedObject: ArticleObject) {
    id = managedObject.id
    title = managedObject.title
    isRead = managedObject.isRead
    tags = Array(managedObject.tags)
  }

  func managedObject() -> ArticleObject {
    let object = ArticleObject()
    object.id = id
    object.title = title
    object.isRead = isRead
    object.tags.append(objectsIn: tags)
    object.lastUpdated = Date()
    return object
  }
}

/// A store in an actor, with the realm opened in its initializer.
actor ArticleStore {
  private var realm: Realm!

  init(configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  var count: Int { realm.objects(ArticleObject.self).count }

  func save(_ articles: [Article]) async throws {
    try await realm.asyncWrite {
      realm.add(articles.map { $0.managedObject() }, update: .modified)
    }
  }

  func load(ids: [String]? = nil) -> [Article] {
    var objects = realm.objects(ArticleObject.self).sorted(byKeyPath: "id")
    if let ids = ids {
      objects = objects.filter("id IN %@ AND lastUpdated > %@", ids, Date.distantPast)
    }
    return objects.map(Article.init(managedObject:))
  }

  func markRead(_ id: Article.ID) async throws {
    guard let article = realm.object(ofType: ArticleObject.self, forPrimaryKey: id) else { return }
    try await realm.asyncWrite { article.isRead = true }
  }

  func createOrUpdate(id: String, title: String) async throws {
    try await realm.asyncWrite {
      realm.create(ArticleObject.self, value: ["id": id, "title": title], update: .modified)
    }
  }

  func delete(where isIncluded: @Sendable (Query<ArticleObject>) -> Query<Bool>) async throws {
    try await realm.asyncWrite { realm.delete(realm.objects(ArticleObject.self).where(isIncluded)) }
  }

  func close() { realm = nil }
}

extension CommonDeclarations {
  @Test func `a news reader with an actor for its articles`() async throws {
    let files = ApplicationFiles()
    let configuration = files.configuration([ArticleObject.self])
    let store = try await ArticleStore(configuration: configuration)
    try await store.save([
      Article(id: "a", title: "Rain", tags: ["weather", "local"]), Article(id: "b", title: "Sun"),
    ])
    try await store.markRead("a")
    try await store.createOrUpdate(id: "b", title: "More sun")
    try await store.createOrUpdate(id: "c", title: "Wind")
    #expect(await store.count == 3)
    let articles = await store.load()
    #expect(articles.map(\.title) == ["Rain", "More sun", "Wind"])
    #expect(
      articles[0] == Article(id: "a", title: "Rain", isRead: true, tags: ["weather", "local"]))
    #expect(await store.load(ids: ["b", "x"]).count == 1)
    try await store.delete { $0.isRead == true || $0.tags.count > 5 }
    #expect(await store.count == 2)
    await store.close()
  }
}
