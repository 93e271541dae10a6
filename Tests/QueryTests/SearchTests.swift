import Atoll
import Dispatch
import Foundation
import StoreTestKit
import Synchronization
import TestKit
import Testing

final class Article: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: .fullText) var title: String = "untitled"
  @Persisted(indexed: .fullText) var tag: Tag?
  @Persisted var notes: String
  @Persisted var related: Article?
  @Persisted var sources: List<Article>
}

/// The ids that an observer was told of, each time it was.
private final class Heard: Sendable {
  private let told = Mutex<[[Int]]>([])
  private let isTold = DispatchSemaphore(value: 0)

  func note(_ change: ResultsChange<Results<Article>>) {
    switch change {
    case .initial(let results), .update(let results, _, _, _):
      told.withLock { $0.append(results.map(\.id)) }
    case .error: told.withLock { $0.append([]) }
    }
    isTold.signal()
  }

  /// Returns the next report; nil if there was none for ten seconds.
  func next() -> [Int]? {
    guard isTold.wait(timeout: .now() + 10) == .success else { return nil }
    return told.withLock { $0.removeFirst() }
  }
}

/// Searches by words: what they find, how, and what they refuse.
@Suite struct SearchTests {
  private let place: TemporaryStore
  private let store: Store
  private var all: Results<Article> { store.objects(Article.self) }

  init() throws {
    place = TemporaryStore([Article.self])
    store = try place.open()
    let titles = ["Zürich airport", "The lake of Zurich", "Full-text search", "Lake side, full"]
    try store.write {
      for (id, title) in titles.enumerated() {
        store.create(Article.self, value: ["id": id, "title": title, "notes": title])
      }
      for article in store.objects(Article.self).sorted(byKeyPath: "id").dropFirst() {
        article.related = store.object(ofType: Article.self, forPrimaryKey: 0)
        article.sources.append(objectsIn: store.objects(Article.self).where { $0.id < article.id })
        article.tag = Tag("tag \(article.id)")
      }
    }
  }

  private func found(_ terms: String) throws -> [Int] {
    let found = all.where { $0.title.search(terms) }.map(\.id)
    #expect(try all.filter(parsing: "title TEXT %@", terms).map(\.id) == found)
    return found
  }

  @Test func `terms are all sought, without case and diacritics`() throws {
    #expect(try found("zurich") == [0, 1])
    #expect(try found("ZÜRICH") == [0, 1])
    #expect(try found("lake zurich") == [1])
    #expect(try found("zurich -airport") == [1])
    #expect(try found("full text") == [2])
    #expect(try found("full-text") == [2])
    #expect(try found("text-full") == [2])
    #expect(try found("\"text full\"") == [])
    #expect(try found("\"lake side\"") == [3])
    #expect(try found("lak* -\"of zurich\"") == [3])
    #expect(try found("zur") == [])
    #expect(try found("zur*") == [0, 1])
    for nothing in ["", " ", "-", "-airport", "*", "\"\"", "( ) ^ :"] {
      #expect(try found(nothing) == [])
    }
  }

  @Test func `whatever a person types is a search, and never a syntax of SQLite's`() throws {
    #expect(try found("zurich AND airport") == [])
    #expect(try found("title: zurich") == [])
    #expect(try found("zurich') OR 1=1 --") == [])
    var random = SeededRandom.announced("hostile searches")
    let signs = Array("\"'*-+:^(){}[]\\%@,.;! aZüNOT AND OR NEAR/2\0\n")
    for _ in 0..<500 {
      let terms = String((0..<random.below(20)).map { _ in signs[random.below(signs.count)] })
      _ = try found(terms)
    }
    // More words than are looked at.
    #expect(try found(String(repeating: "zurich ", count: 5000)) == [0, 1])
  }

  @Test func `searches go through links and lists, and combine`() throws {
    #expect(all.where { $0.related.title.search("airport") }.map(\.id) == [1, 2, 3])
    #expect(all.where { $0.sources.title.search("lake") }.map(\.id) == [2, 3])
    #expect(try all.filter(parsing: "NONE sources.title TEXT 'lake'").map(\.id) == [0, 1])
    #expect(all.where { !$0.title.search("zurich") }.map(\.id) == [2, 3])
    #expect(all.where { !$0.related.title.search("airport") }.map(\.id) == [0])
    #expect(all.where { $0.title.search("full") && $0.id > 2 }.map(\.id) == [3])
    #expect(all.where { $0.tag.search("tag -2") }.map(\.id) == [1, 3])
  }

  @Test func `one statement asks the index, and its plan says so`() throws {
    let explained = all.where { $0.title.search("zurich -airport") }.explain()
    #expect(explained.contains("(title TEXT %@)"))
    #expect(explained.contains("SEARCH t USING INTEGER PRIMARY KEY"), "\(explained)")
    #expect(explained.contains("VIRTUAL TABLE INDEX"), "\(explained)")
    #expect(explained.components(separatedBy: "SELECT rowid FROM atoll_text_").count == 2)
  }

  @Test func `results stay live, inside a transaction too`() throws {
    let lakes = all.where { $0.title.search("lake") }
    #expect(lakes.count == 2)
    try store.write {
      let article = try #require(store.object(ofType: Article.self, forPrimaryKey: 0))
      article.title = "A lake"
      #expect(lakes.map(\.id) == [0, 1, 3])
      store.create(Article.self, value: ["id": 9, "title": "LAKE"])
      store.delete(try #require(store.object(ofType: Article.self, forPrimaryKey: 1)))
      #expect(lakes.map(\.id) == [0, 3, 9])
      for lake in lakes { lake.title = "river \(lake.id)" }
      #expect(lakes.isEmpty)
    }
    #expect(lakes.isEmpty && all.where { $0.title.search("river") }.count == 3)
    try store.beginWrite()
    for river in all { river.title = "lake" }
    #expect(lakes.count == 4)
    store.cancelWrite()
    #expect(lakes.isEmpty)
  }

  @Test func `an observer hears of what a search finds anew, and of what it finds no more`() throws
  {
    let heard = Heard()
    let token = all.where { $0.title.search("lake") }
      .observe(keyPaths: ["title"], on: DispatchQueue(label: "searches")) { heard.note($0) }
    defer { token.invalidate() }
    #expect(heard.next() == [1, 3])
    try store.write {
      store.object(ofType: Article.self, forPrimaryKey: 0)?.title = "A lake"
      store.object(ofType: Article.self, forPrimaryKey: 1)?.title = "A river"
    }
    #expect(heard.next() == [0, 3])
    // A change that is not asked for is not reported, though a found object links there; the next
    // one is.
    try store.write { store.object(ofType: Article.self, forPrimaryKey: 2)?.notes = "lake" }
    try store.write { store.object(ofType: Article.self, forPrimaryKey: 2)?.title = "Lakes, lake" }
    #expect(heard.next() == [0, 2, 3])
  }

  @Test func `a property without the index is refused with the remedy`() throws {
    let refused = #expect(throws: PredicateParsingError.self) {
      try all.filter(parsing: "notes TEXT 'zurich'")
    }
    #expect(refused?.message.contains("@Persisted(indexed: .fullText)") == true)
    #expect(throws: PredicateParsingError.self) { try all.filter(parsing: "id TEXT 'zurich'") }
    #expect(throws: PredicateParsingError.self) { try all.filter(parsing: "title TEXT id") }
    #expect(throws: PredicateParsingError.self) { try all.filter(parsing: "'a' TEXT title") }
  }

  @Test func `a property may be named text`() throws {
    let refused = #expect(throws: PredicateParsingError.self) {
      try all.filter(parsing: "text == 'a'")
    }
    #expect(refused?.found == "text")
  }
}
