import AtollEdit
import AtollStorage
import Foundation
import TestKit
import Testing

@testable import AtollCommand

/// Files as other programs write them, and an import that is cut off.
@Suite struct ImportFormsTests {
  private let folder = TemporaryFolder()

  private static let schema = """
    {"classes":[{"name":"City","isEmbedded":false,"key":{"name":"name","type":"String"},"properties":[
    {"name":"inhabitants","type":"Int"},{"name":"founded","type":"Date"},{"name":"isCapital","type":"Bool"},
    {"name":"height","type":"Double"},{"name":"width","type":"Float"},{"name":"id","type":"UUID"},
    {"name":"seal","type":"Data"},{"name":"area","type":"Decimal128"},{"name":"oid","type":"ObjectId"},
    {"name":"extra","type":"any value"}]},
    {"name":"Note","isEmbedded":false,"properties":[{"name":"text","type":"String"},
    {"name":"next","type":"link","target":"Note"}]},
    {"name":"Reader","isEmbedded":false,"key":{"name":"id","type":"Int"},"properties":[
    {"name":"note","type":"link","target":"Note"}]}]}
    """

  private func atoll(_ arguments: String...) throws -> Command.Ending {
    try Command.run(arguments)
  }

  private func file(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    return folder.path(name)
  }

  private func store(_ name: String = "a.atoll") throws -> String {
    #expect(try atoll("init", folder.path(name)).code == 0)
    let schema = try file("schema.json", Self.schema)
    #expect(
      try atoll("import", folder.path(name), try file("none", ""), "--schema", schema).code == 0)
    return folder.path(name)
  }

  @Test(arguments: [
    ("founded", "2024-02-30T00:00:00Z", "2024-02 has no day 30"),
    ("founded", "2024-02-29T25:00:00Z", "there is no hour 25"),
    ("founded", "2016-12-31T23:59:60Z", "there is no second 60"),
    ("founded", "2024-13-01T00:00:00Z", "there is no month 13"),
    ("founded", "0000-01-01T00:00:00Z", "there is no year 0"),
    ("founded", "2024-01-01T00:00:00+25:00", "there is no offset of 25 hours"),
    ("founded", "2024-02-29", "expected Date: such as 2024-02-29T12:30:00Z"),
    ("founded", "29.2.2024", "expected Date: such as 2024-02-29T12:30:00Z"),
    ("isCapital", "TRUE", "expected Bool: true or false"),
    ("isCapital", "1", "expected Bool: true or false"),
    ("isCapital", "yes", "expected Bool: true or false"),
    ("inhabitants", "1'000", "expected Int: a whole number"),
    ("inhabitants", "9223372036854775808", "expected Int: a whole number"),
    ("height", "1,5", "expected Double: a number"),
    ("height", "1e999", "expected Double: a number within its range"),
    ("width", "1e39", "expected Float: a number within its range"),
    ("id", "6F9619FF", "expected UUID: such as"),
    ("seal", "AA==", "expected Data: two hexadecimal digits a byte"),
    ("area", "12,50", "expected Decimal128: a decimal number"),
    ("oid", "507f", "expected ObjectId: 24 hexadecimal digits"),
    ("extra", "Bern", "the cell is JSON, in which a text has quotes"),
    ("extra", "18446744073709551616", "expected Int: a whole number"),
    ("extra", #"{"date":5}"#, #"a map of this one key is {"map":{"date":…}}"#),
  ])
  func `issue 28.6: a value that is refused is named with the form it should have`(
    property: String, value: String, problem: String
  ) throws {
    let a = try store()
    let table = try file("c.csv", "name,\(property)\nBern,\(CSVField.written(value))\n")
    let ended = try atoll("import", a, table, "--class", "City")
    #expect(ended.code == 65)
    #expect(ended.text.contains("line 2: \(property): "), "\(ended.text)")
    #expect(ended.text.contains(problem), "\(ended.text)")
    guard property != "extra" else { return }
    let text = JSONValue.object([
      .init(name: "class", value: .string("City")), .init(name: "key", value: .string("x")),
      .init(name: property, value: .string(value)),
    ]).text
    let lines = try atoll("import", a, try file("c.jsonl", text))
    #expect(lines.code == 65)
    #expect(lines.text.contains(problem), "\(lines.text)")
    #expect(try atoll("export", a).lines == [])
  }

  @Test(
    arguments: [("\u{FEFF}", "\n"), ("\u{FEFF}", "\r\n"), ("", "\n"), ("", "\r\n")], [true, false])
  func `issue 28.6: a byte order mark, CRLF, empty lines and no last line end are read`(
    form: (mark: String, end: String), hasLastEnd: Bool
  ) throws {
    let (mark, end) = form
    let a = try store()
    let text =
      (["", "name,inhabitants", "", #""Bern, ""x""",1"#, "", "Basel,2"] + (hasLastEnd ? [""] : []))
      .joined(separator: end)
    let ended = try atoll("import", a, try file("c.csv", mark + text), "--class", "City")
    #expect(ended.text == "2 objects made, 0 changed")
    let lines = [#"{"class":"City","key":"Zug"}"#, "", #"{"class":"City","key":"Chur"}"#]
    let json = try file("c.jsonl", mark + lines.joined(separator: end) + (hasLastEnd ? end : ""))
    #expect(try atoll("import", a, json).text == "2 objects made, 0 changed")
    #expect(
      try atoll("export", a).lines == [
        #"{"class":"City","key":"Basel","inhabitants":2}"#,
        #"{"class":"City","key":"Bern, \"x\"","inhabitants":1}"#, lines[2], lines[0],
      ])
  }

  @Test(arguments: [
    String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian,
    .utf32BigEndian,
  ])
  func `issue 28.6: a file of UTF-16 or UTF-32 is refused as such`(encoding: String.Encoding) throws
  {
    let a = try store()
    let data = try #require("name,inhabitants\nBern,1\n".data(using: encoding))
    try data.write(to: folder.url.appendingPathComponent("c.csv"))
    let ended = try atoll("import", a, folder.path("c.csv"), "--class", "City")
    #expect(ended.code == 65)
    #expect(ended.text.contains("line 1: the file is UTF-16 or UTF-32, expected UTF-8; save it so"))
  }

  @Test(arguments: [
    ("name;inhabitants\nBern;1\n", "line 1: found semicolons between the names, expected commas"),
    ("name\tinhabitants\nBern\t1\n", "line 1: found tabs between the names, expected commas"),
    ("name,name\nBern,1\n", "line 1: two columns have the name \"name\""),
    ("name,inhabitants\n5\" disk,1\n6\" disk,2\n", "line 2: a quote stands inside a cell"),
    ("name,inhabitants\rBern,1\r", "line 1: found a carriage return"),
  ])
  func `issue 28.6: a table that would be read as something else is refused`(
    text: String, problem: String
  ) throws {
    let a = try store()
    let ended = try atoll("import", a, try file("c.csv", text), "--class", "City")
    #expect(ended.code == 65)
    #expect(ended.text.contains(problem), "\(ended.text)")
    #expect(try atoll("export", a).lines == [])
  }

  @Test func `issue 28.6: a name that an object has twice is refused`() throws {
    let a = try store()
    let line = #"{"class":"City","key":"Bern","inhabitants":1,"inhabitants":2}"#
    let ended = try atoll("import", a, try file("c.jsonl", line))
    #expect(ended.code == 65)
    #expect(ended.text.contains(#"an object has the name "inhabitants" twice"#))
  }

  @Test func `issue 28.6: an import on a full disk says up to which line it is in`() throws {
    let a = try store()
    let table = try file(
      "c.csv",
      (["name,inhabitants"] + (1...20_000).map { "City \($0),\($0)" }).joined(separator: "\n"))
    let small = try StoreFile.open(a, options: StoreOptions(maximumPageCount: 300))
    var run = try ImportRun(into: small)
    let source = try #require(FileHandle(forReadingAtPath: table))
    let failure = #expect(throws: ImportFailure.self) {
      try run.table(RecordReader(source, quotes: true), of: "City")
    }
    small.close()
    let text = try #require(failure?.description)
    #expect(failure?.isOfTheFile == false)
    #expect(text.contains("is full"))
    #expect(!text.contains("as it was"))
    let count = try atoll("export", a).lines.count
    #expect(count >= 1000 && count.isMultiple(of: 1000))
    #expect(text.contains("everything up to line \(count + 1) is imported: \(count) objects made"))
    #expect(text.contains("--from-line \(count + 2)"), "\(text)")
    let rest = try atoll("import", a, table, "--class", "City", "--from-line", "\(count + 2)")
    #expect(rest.text == "\(20_000 - count) objects made, 0 changed")
    #expect(try atoll("export", a).lines.count == 20_000)
    #expect(try atoll("verify", a).code == 0)
  }

  @Test
  func `issue 28.6: going on does not make objects without a key twice, and empty ones are told`()
    throws
  {
    let a = try store()
    let lines =
      (1...1001).map { #"{"class":"Note","key":{"identity":"x:1:\#($0)"},"text":"\#($0)"}"# }
      + [#"{"class":"Note","text":5}"#]
    let ended = try atoll("import", a, try file("n.jsonl", lines.joined(separator: "\n")))
    #expect(ended.code == 65)
    #expect(ended.text.contains("everything up to line 1000 is imported"))
    #expect(ended.text.contains("without it, objects that have no primary key are made twice"))
    let good =
      lines.dropLast() + [
        #"{"class":"Note","text":"5","next":{"class":"Note","key":{"identity":"y:1:0"}}}"#
      ]
    let rest = try atoll(
      "import", a, try file("n.jsonl", good.joined(separator: "\n")), "--from-line", "1001")
    #expect(rest.lines.first == "2 objects made, 0 changed")
    #expect(rest.text.contains("1 objects without a primary key made empty: links lead to them"))
    #expect(try atoll("objects", a, "Note", "--format", "csv").lines.count == 1 + 1003)
    let table = try atoll(
      "import", a, try file("r.csv", "id,note\n1,x:1:1\n"), "--class", "Reader")
    #expect(table.code == 65)
    #expect(table.text.contains("objects of Note have no primary key"), "\(table.text)")
  }
}
