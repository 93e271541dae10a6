import Atoll
import Foundation
import StoreTestKit
import Testing

/// The page "Queries" of the documentation: what it says is what happens.
///
/// `ATOLL_PAGES=1` writes the tables anew.
@Suite struct QueriesPageTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let page = root.appendingPathComponent("Sources/Atoll/Atoll.docc/Queries.md")
  private static let source = root.appendingPathComponent("Tests/QueryTests/QueriesPage.swift")
  private static let (begin, end) = ("<!-- tables -->\n\n", "<!-- end of tables -->\n")

  private let place: TemporaryStore
  private let store: Store

  init() throws {
    place = TemporaryStore(Airport.types)
    store = try place.open()
  }

  @Test func `the tables of the page are what the code says`() throws {
    let page = try String(contentsOf: Self.page, encoding: .utf8)
    let source = try String(contentsOf: Self.source, encoding: .utf8)
    let tables = try QueriesPage.tables(
      in: store, source: source.components(separatedBy: "\n"))
    let start = try #require(page.range(of: Self.begin))
    let end = try #require(page.range(of: Self.end))
    if ProcessInfo.processInfo.environment["ATOLL_PAGES"] != nil {
      let new = page[..<start.upperBound] + tables + page[end.lowerBound...]
      try String(new).write(to: Self.page, atomically: true, encoding: .utf8)
    }
    let written = String(page[start.upperBound..<end.lowerBound])
    #expect(written == tables, "write the page anew with ATOLL_PAGES=1")
  }

  @Test func `both forms of a row are one query`() throws {
    let all = store.objects(Airport.self)
    for row in QueriesPage.sections.flatMap(\.rows) {
      let text = QueriesPage.condition(of: try all.filter(parsing: row.text, all: row.arguments))
      #expect(text == QueriesPage.condition(of: all.where(row.query)), "\(row.what)")
    }
  }

  @Test func `what the page says of an explained query`() throws {
    let explained = store.objects(Airport.self).where { $0.elevation > 1500 }.explain()
    #expect(explained.contains("(elevation > %@)"))
    #expect(explained.contains("USING INDEX index Airport.elevation"), "\(explained)")
  }
}
