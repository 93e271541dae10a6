import Foundation
import TestKit
import Testing

@testable import AtollCommand

/// `atoll import`, `export` and `schema`, with the real program.
@Suite struct ImportTests {
  private let folder = TemporaryFolder()
  private static let schema = """
    {"classes":[
    {"name":"City","isEmbedded":false,"key":{"name":"name","type":"String"},"properties":[
    {"name":"inhabitants","type":"Int"},{"name":"height","type":"Double"},
    {"name":"founded","type":"Date"},{"name":"area","type":"Decimal128"},
    {"name":"id","type":"UUID"},{"name":"seal","type":"Data"},{"name":"extra","type":"any value"},
    {"name":"place","type":"embedded object","target":"Place"},
    {"name":"country","type":"link","target":"Country"},
    {"name":"rivers","type":"String","collection":"list"},
    {"name":"twins","type":"link","target":"City","collection":"set"},
    {"name":"names","type":"String","collection":"map"}]},
    {"name":"Country","isEmbedded":false,"key":{"name":"code","type":"String"},"properties":[]},
    {"name":"Note","isEmbedded":false,"properties":[{"name":"text","type":"String"},
    {"name":"next","type":"link","target":"Note"}]},
    {"name":"Place","isEmbedded":true,"properties":[{"name":"latitude","type":"Double"}]}]}
    """
  private static let cities = [
    #"{"class":"City","key":"Bern","area":{"decimal":"51.620"},"country":{"class":"Country","key":"CH"},"#
      + #""extra":{"list":[1,2.5,null,{"date":"0.25"}]},"founded":{"date":"-1.5"},"height":-0.0,"#
      + #""id":{"uuid":"00000000-0000-0000-0000-00000000000A"},"inhabitants":9223372036854775807,"#
      + #""names":{"fr":"Berne","it":"Berna"},"place":{"latitude":46.9},"rivers":["Aare"],"#
      + #""seal":{"data":"00ff"},"twins":[{"class":"City","key":"Basel"}]}"#,
    #"{"class":"City","key":"Basel","height":{"number":"inf"},"rivers":["Rhein","a \"b\"\n,c"]}"#,
  ]

  private func atoll(_ arguments: String...) throws -> Command.Ending {
    try Command.run(arguments)
  }

  private func file(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    return folder.path(name)
  }

  /// An empty store that has the classes above.
  private func store(_ name: String) throws -> String {
    #expect(try atoll("init", folder.path(name)).code == 0)
    let schema = try file("schema.json", Self.schema)
    let empty = try file("empty.jsonl", "")
    #expect(try atoll("import", folder.path(name), empty, "--schema", schema).code == 0)
    return folder.path(name)
  }

  @Test func `what is exported and imported again is the same, as JSON lines and as CSV`() throws {
    let (a, b, c) = (try store("a.atoll"), try store("b.atoll"), try store("c.atoll"))
    let lines = try file("cities.jsonl", Self.cities.joined(separator: "\n") + "\n")
    let imported = try atoll("import", a, lines)
    #expect(imported.code == 0)
    #expect(imported.text == "1 objects made, 1 changed")
    let export = folder.path("export.jsonl")
    #expect(try atoll("export", a, "--output", export).code == 0)
    let text = try String(contentsOfFile: export, encoding: .utf8)
    for part in [
      #""height":-0.0"#, #""inhabitants":9223372036854775807"#, #"{"decimal":"51.620"}"#,
      #"{"date":"2000-12-31T23:59:58.5Z"}"#, #""number":"inf""#,
      #""extra":{"list":[1,2.5,null,{"date":"2001-01-01T00:00:00.25Z"}]}"#,
      #""twins":[{"class":"City","key":"Basel"}]"#, #""names":{"fr":"Berne","it":"Berna"}"#,
      #"{"class":"Country","key":"CH"}"#,
    ] { #expect(text.contains(part), "\(part)") }
    #expect(try atoll("import", b, export).code == 0)
    #expect(try atoll("export", b).lines == text.split(separator: "\n").map(String.init))
    let table = folder.path("cities.csv")
    #expect(
      try atoll("export", a, "--class", "City", "--format", "csv", "--output", table).code == 0)
    #expect(try atoll("import", c, table, "--class", "City").code == 0)
    #expect(try atoll("export", c).lines == text.split(separator: "\n").map(String.init))
  }

  @Test func `objects are found by their keys, so that an import can be repeated`() throws {
    let a = try store("a.atoll")
    let lines = try file("c.csv", "name,inhabitants\nBern,1\nBasel,2\n")
    #expect(try atoll("import", a, lines, "--class", "City").text == "2 objects made, 0 changed")
    let again = try file("d.csv", "name,inhabitants,place.latitude\r\nBern,3,46.9\r\n")
    #expect(try atoll("import", a, again, "--class", "City").text == "0 objects made, 1 changed")
    let shown = try atoll("export", a).text
    #expect(shown.contains(#""key":"Bern","inhabitants":3"#))
    #expect(shown.contains(#""latitude":46.9"#))
    #expect(shown.contains(#""key":"Basel","inhabitants":2"#))
  }

  @Test func `objects without a primary key keep their links to each other`() throws {
    let a = try store("a.atoll")
    let (first, second) = ("{\"identity\":\"x:1:0\"}", "{\"identity\":\"x:1:1\"}")
    let lines = try file(
      "n.jsonl",
      """
      {"class":"Note","key":\(first),"text":"one","next":{"class":"Note","key":\(second)}}
      {"class":"Note","key":\(second),"text":"two","next":null}
      """)
    #expect(try atoll("import", a, lines).code == 0)
    let shown = try atoll("objects", a, "Note", "--where", "next.text == 'two'", "--format", "csv")
    #expect(shown.lines.count == 2)
    #expect(shown.text.contains("one"))
  }

  @Test func `an empty cell is nil, and quotes make it an empty string`() throws {
    let a = try store("a.atoll")
    let lines = try file("c.csv", "name,extra,inhabitants\n\"\",\"\"\"x, y\"\"\",\n")
    #expect(try atoll("import", a, lines, "--class", "City").code == 0)
    #expect(try atoll("export", a).text.contains(#"{"class":"City","key":"","#))
    #expect(try atoll("export", a).text.contains(#""extra":"x, y"}"#))
  }

  @Test func `a dry run names every wrong line, writes nothing, and ends with code 65`() throws {
    let a = try store("a.atoll")
    let lines = try file(
      "bad.jsonl",
      """
      {"class":"City","key":"Bern","inhabitants":1.5}
      {"class":"City","key":"Basel"}

      {"class":"Town","key":"x"}
      {"class":"City","key":"x","mayor":1}
      {"class":"City"
      {"class":"City","inhabitants":1}
      {"class":"City","key":"x","rivers":"Aare"}
      {"class":"City","key":"x","country":"CH"}
      """)
    let dry = try atoll("import", a, lines, "--dry-run")
    #expect(dry.code == 65)
    for words in [
      "line 1: inhabitants: found 1.5, expected Int", "line 4: the store has no class \"Town\"",
      "line 5: City has no property \"mayor\"", "line 6: at byte 16: expected `}`",
      "line 7: the key \"name\" is missing", "line 8: rivers: found \"Aare\", expected a list",
      "line 9: country: found \"CH\", expected {\"class\":",
    ] { #expect(dry.text.contains(words), "\(words)") }
    #expect(try atoll("export", a).lines == [])
    let fine = try file("fine.jsonl", Self.cities[1])
    #expect(
      try atoll("import", a, fine, "--dry-run").text
        == "1 objects would be made, 0 would be changed")
    #expect(try atoll("export", a).lines == [])
  }

  @Test func `an error says up to which line everything is imported`() throws {
    let a = try store("a.atoll")
    let good = (1...1500).map { "City \($0),\($0)" }
    let table = try file(
      "c.csv", (["name,inhabitants"] + good + ["Bern,many"]).joined(separator: "\n"))
    let ended = try atoll("import", a, table, "--class", "City")
    #expect(ended.code == 65)
    #expect(ended.text.contains("line 1502: inhabitants: found \"many\", expected Int"))
    #expect(ended.text.contains("everything up to line 1001 is imported"))
    #expect(try atoll("export", a).lines.count == 1000)
  }

  @Test(arguments: [
    ("name,inhabitants\nBern,1,2", "line 2: it has 3 cells, the first line 2"),
    ("name,mayor\nBern,1", "line 2: City has no property \"mayor\""),
    ("name,rivers\nBern,[1", "line 2: rivers: at byte 3 of the cell"),
    ("name\n\"Bern", "line 2: a quoted cell has no end"),
    ("name\n\"Bern\"x", "line 2: found \"x\" after a quoted cell"),
    ("name\nBern\n\n\"two\nlines\"\n\"x", "line 6: a quoted cell has no end"),
  ])
  func `a CSV file that is wrong is named with its line`(text: String, problem: String) throws {
    let a = try store("a.atoll")
    let ended = try atoll(
      "import", a, try file("c.csv", text), "--class", "City", "--dry-run")
    #expect(ended.code == 65)
    #expect(ended.text.contains(problem))
  }

  @Test func `a schema is shown, and declared elsewhere by what --json writes`() throws {
    let a = try store("a.atoll")
    #expect(
      try atoll("schema", a).text.contains("class City, key name: String\n  inhabitants: Int"))
    #expect(try atoll("schema", a).text.contains("  rivers: list of String"))
    let schema = try file("written.json", try atoll("schema", a, "--json").text)
    #expect(try atoll("init", folder.path("b.atoll")).code == 0)
    let b = folder.path("b.atoll")
    #expect(
      try atoll("import", b, try file("none.jsonl", ""), "--schema", schema).code == 0)
    #expect(try atoll("schema", a).lines == atoll("schema", b).lines)
    let broken = try atoll(
      "import", b, folder.path("none.jsonl"), "--schema", folder.path("none.jsonl"))
    #expect(broken.code == 1)
    #expect(broken.text.contains("atoll schema STORE --json"))
  }

  @Test func `compact gives unused space back and keeps what there is`() throws {
    let a = try store("a.atoll")
    let table = try file(
      "c.csv",
      (["name,inhabitants"] + (1...2000).map { "City \($0),\($0)" }).joined(separator: "\n"))
    #expect(try atoll("import", a, table, "--class", "City").code == 0)
    try folder.modifyExternally(
      "CREATE TABLE junk AS SELECT randomblob(4000000) AS x", at: "a.atoll")
    try folder.modifyExternally("DROP TABLE junk", at: "a.atoll")
    let before = try atoll("export", a).lines
    let ended = try atoll("compact", a)
    #expect(ended.code == 0)
    let sizes = ended.lines.compactMap { line in
      line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
    #expect(sizes.count == 2 && sizes[0] > sizes[1] + 3_900_000)
    #expect(try atoll("export", a).lines == before)
    #expect(try atoll("verify", a).code == 0)
  }

  @Test func `bench measures and leaves nothing behind`() throws {
    let ended = try atoll("bench", folder.url.path, "--json")
    #expect(ended.code == 0)
    for key in ["commits", "objects", "lookups", "rows"] {
      #expect(ended.text.contains("\"\(key)\":"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    let wrong = try atoll("bench", folder.path("none"))
    #expect(wrong.code == 1)
    #expect(wrong.text.contains(folder.path("none")))
  }
}
