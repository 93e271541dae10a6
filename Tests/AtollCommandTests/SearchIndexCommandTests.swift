import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

@testable import AtollCommand

/// Full-text indexes seen from the command line.
@Suite struct SearchIndexCommandTests {
  private let folder = TemporaryFolder()

  private func atoll(_ arguments: String...) throws -> Command.Ending {
    try Command.run(arguments)
  }

  /// A store whose articles are searched by their titles, with nothing in it.
  private func makeStore() throws -> String {
    let file = try StoreFile.open(
      folder.path("a.atoll"), options: StoreOptions(storeID: .test))
    defer { file.close() }
    _ = try file.adopt([
      ClassSchema(
        name: "Article", primaryKey: "id",
        properties: [
          PropertySchema(name: "id", type: .int),
          PropertySchema(name: "title", type: .string, index: .fullText),
        ])
    ])
    return folder.path("a.atoll")
  }

  private func found(_ terms: String, in store: String) throws -> [String] {
    try atoll("objects", store, "Article", "--where", "title TEXT '\(terms)'", "--format", "csv")
      .lines
  }

  @Test func `what is imported is found by its words`() throws {
    let store = try makeStore()
    let table = folder.path("articles.csv")
    try "id,title\n1,The lake of Zürich\n2,Rivers\n"
      .write(toFile: table, atomically: true, encoding: .utf8)
    #expect(try atoll("import", store, table, "--class", "Article").code == 0)
    #expect(try found("zurich", in: store) == ["id,title", "1,The lake of Zürich"])
    try "id,title\n1,The Rhine\n".write(toFile: table, atomically: true, encoding: .utf8)
    #expect(try atoll("import", store, table, "--class", "Article").code == 0)
    #expect(try found("zurich", in: store) == ["id,title"])
    #expect(try found("rhine", in: store) == ["id,title", "1,The Rhine"])
  }

  @Test func `a damaged index is named, and made anew when asked for`() throws {
    let store = try makeStore()
    let table = folder.path("articles.csv")
    try "id,title\n1,The lake\n".write(toFile: table, atomically: true, encoding: .utf8)
    #expect(try atoll("import", store, table, "--class", "Article").code == 0)
    try folder.modifyExternally("DROP TABLE \(try self.table(of: store))", at: "a.atoll")
    let damaged = try atoll("verify", store)
    #expect(damaged.code == 2)
    #expect(damaged.text.contains("full-text index of Article.title is missing"), "\(damaged.text)")
    let made = try atoll("verify", store, "--remake-indexes")
    #expect(made.code == 0)
    #expect(made.lines.first == "made 1 index anew")
    #expect(try found("lake", in: store) == ["id,title", "1,The lake"])
  }

  /// The table of the index of titles.
  private func table(of store: String) throws -> String {
    let file = try StoreFile.open(store, options: StoreOptions(isReadOnly: true, mayCreate: false))
    defer { file.close() }
    let article = try #require(try file.classes.first { $0.name == "Article" })
    return "atoll_text_\(try #require(article.property(named: "title")).id.rawValue)"
  }
}
