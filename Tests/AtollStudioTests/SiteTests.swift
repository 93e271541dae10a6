import Foundation
import Testing

@testable import AtollStudio

/// The files of the site, as they are in the binary.
struct SiteTests {
  private static let module = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/AtollStudio")

  private static var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(
        atPath: module.appendingPathComponent("Site").path
      ).sorted()
    }
  }

  @Test func `every file of the folder is in the binary, and no other`() throws {
    #expect(SiteFile.all.keys.sorted() == (try Self.names + ["openapi.yaml"]).sorted())
    for name in try Self.names {
      let file = try Data(contentsOf: Self.module.appendingPathComponent("Site/\(name)"))
      #expect(SiteFile.named(name)?.data == file)
    }
  }

  @Test func `the site has at most 200 KB`() throws {
    let bytes = try Self.names.reduce(0) { $0 + (SiteFile.named($1)?.data.count ?? 0) }
    #expect(bytes <= 200_000)
  }

  @Test func `the first page has its modules at once, and no more than these`() {
    let modules = SiteFile.modules(importedBy: ["main.js", "page-objects.js"])
    #expect(modules.isSuperset(of: ["main.js", "page-objects.js", "dom.js", "rows.js"]))
    #expect(modules.isDisjoint(with: ["page-log.js", "lanes.js", "ring.js"]))
    #expect(modules.isSubset(of: SiteFile.all.keys))
    let links = SiteFile.firstPage.split(separator: ", ")
    #expect(links.count == modules.count + 1)
    #expect(links.contains("</rows.js>; rel=modulepreload"))
    #expect(links.first == "</api/v1/session>; rel=preload; as=fetch; crossorigin")
  }

  @Test func `no file asks another machine, and the page has no scripts of its own`() throws {
    for name in try Self.names {
      let text = String(decoding: SiteFile.named(name)?.data ?? Data(), as: UTF8.self)
      let addresses = text.matches(of: /https?:\/\/[\w.\-]+/).map { String($0.0) }
      // The name of a vocabulary is no address that anything is loaded from.
      #expect(addresses.filter { $0 != "http://www.w3.org" } == [], "\(name)")
      #expect(!text.contains("innerHTML"), "\(name)")
      #expect(!text.contains("eval("), "\(name)")
      if name.hasSuffix(".html") {
        #expect(text.matches(of: /<script(?![^>]*\bsrc=)/).isEmpty)
        #expect(text.matches(of: /\s(style|on\w+)=/).isEmpty)
      }
    }
  }

  @Test func `the description of the API has every resource`() throws {
    let text = String(decoding: SiteFile.named("openapi.yaml")?.data ?? Data(), as: UTF8.self)
    let described = Set(text.matches(of: /\n  (\/\S+):\n    get:/).map { String($0.1) })
    let answered = Set(ReadResource.allCases.map { "/stores/{store}/\($0.rawValue)" })
    #expect(described == answered.union(["/session"]))
    let changing = Set(text.matches(of: /\n  (\/\S+):\n    post:/).map { String($0.1) })
    let changed = Set(WriteResource.allCases.map { "/stores/{store}/\($0.rawValue)" })
    #expect(changing == changed)
  }
}
