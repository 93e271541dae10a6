import Foundation
import TestKit
import Testing

@testable import AtollCommand

/// `export`, `import`, and `export` again: the same bytes for every type, with the real program.
@Suite struct RoundTripTests {
  private let folder = TemporaryFolder()

  /// Values of each type, as JSON lines have them; those that a set can hold apart.
  private static let values: [(name: String, type: String, values: [String])] = [
    ("bool", "Bool", ["true", "false"]),
    ("int", "Int", ["0", "-9223372036854775808", "9223372036854775807"]),
    (
      "float", "Float",
      [
        "0.1", "-0.0", "3.4028235e+38", "1e-45", #"{"number":"nan"}"#, #"{"number":"inf"}"#,
        #"{"number":"-inf"}"#, "16777216.0",
      ]
    ),
    (
      "double", "Double",
      [
        "0.1", "-0.0", "0.0", "5e-324", "1.7976931348623157e+308", "1e+16", #"{"number":"nan"}"#,
        #"{"number":"-inf"}"#, "3.0",
      ]
    ),
    (
      "string", "String",
      [
        #""""#, #"" a, \"b\"\r\n'c' ""#, #""\u0000\u0001\t""#, #""null""#, #""é""#, #""é""#,
        #""{\"date\":\"1.5\"}""#, #""\uFEFFx""#, #""-0.0""#, #""🏔️""#, #""present""#,
      ]
    ),
    ("data", "Data", [#"{"data":""}"#, #"{"data":"00ff"}"#]),
    (
      "date", "Date",
      [
        "2001-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "2024-02-29T12:30:00.123456Z",
        "2024-02-29T12:30:00.1234567Z", "1066-10-14T09:00:00Z",
        "2001-01-01T00:00:00.0000000000001Z",
        "2000-12-31T23:59:59.9999999999999Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.5Z",
        "-0.0", "nan", "-inf", "1e+300",
      ].map { #"{"date":"\#($0)"}"# }
    ),
    ("uuid", "UUID", [#"{"uuid":"6F9619FF-8B86-D011-B42D-00CF4FC964FF"}"#]),
    ("oid", "ObjectId", [#"{"objectId":"507f1f77bcf86cd799439011"}"#]),
    (
      "decimal", "Decimal128",
      ["51.620", "-0", "0", "0.00", "9.999999999999999999999999999999999E+6144", "NaN", "1E-6176"]
        .map { #"{"decimal":"\#($0)"}"# }
    ),
    (
      "link", "link",
      [#"{"class":"Thing","key":"a"}"#, #"{"class":"Thing","key":"later, \"this\""}"#]
    ),
    ("number", "link", [#"{"class":"Number","key":-7}"#]),
  ]

  private static let any: [String] = [
    "true", "7", "7.0", "-0.0", #""""#, #""text""#, #""null""#, #"{"float":"0.1"}"#,
    #"{"float":"nan"}"#,
    #"{"number":"nan"}"#, #"{"data":"00ff"}"#, #"{"date":"1969-12-31T23:59:58.5Z"}"#,
    #"{"date":"-0.0"}"#,
    #"{"uuid":"6F9619FF-8B86-D011-B42D-00CF4FC964FF"}"#,
    #"{"objectId":"507f1f77bcf86cd799439011"}"#,
    #"{"decimal":"1.50"}"#, #"{"class":"Number","key":8}"#, #"[]"#, "{}",
    #"[1,1.5,null,["x"],{"a":{}}]"#,
    #"{"map":{"date":"1.5"}}"#, #"{"map":{"class":"City","key":"x"}}"#, #"{"map":{"map":{}}}"#,
    #"{"map":{"map":{"map":{"float":1}}}}"#, #"{"class":"x"}"#, #"{"date":"x","uuid":1}"#,
    #"[{"map":{"number":2}},{"class":"Thing","key":"a"}]"#,
  ]

  private static func property(_ name: String, _ type: String, _ collection: String?) -> String {
    let target =
      switch name {
      case let name where name.hasPrefix("number"): #","target":"Number""#
      case let name where name.hasPrefix("link"): #","target":"Thing""#
      case let name where name.hasPrefix("embedded"): #","target":"Part""#
      default: ""
      }
    let kind = collection.map { #","collection":"\#($0)""# } ?? ""
    return #"{"name":"\#(name)","type":"\#(type)"\#(kind)\#(target)}"#
  }

  /// `Thing` has every type as one value, list, set and map, and names that mean something elsewhere.
  private static var schema: String {
    var properties = [
      property("anything", "any value", nil), property("anythingList", "any value", "list"),
      property("anythingMap", "any value", "map"), property("embedded", "embedded object", nil),
      property("embeddedList", "embedded object", "list"),
      property("embeddedMap", "embedded object", "map"),
      property("key", "String", nil), property("class", "Int", nil),
    ]
    for (name, type, _) in values {
      for kind in [nil, "list", "set", "map"] {
        properties.append(property(name + (kind ?? ""), type, kind))
      }
    }
    let parts = values.filter { $0.type != "link" }.map { property($0.name, $0.type, nil) }
    return """
      {"classes":[
      {"name":"Thing","isEmbedded":false,"key":{"name":"id","type":"String"},"properties":[
      \(properties.joined(separator: ",\n"))]},
      {"name":"Number","isEmbedded":false,"key":{"name":"n","type":"Int"},"properties":[
      {"name":"twin","type":"link","target":"Number"}]},
      {"name":"ByUUID","isEmbedded":false,"key":{"name":"key","type":"UUID"},"properties":[]},
      {"name":"ByOID","isEmbedded":false,"key":{"name":"id","type":"ObjectId"},"properties":[
      {"name":"x","type":"Int"}]},
      {"name":"Deep","isEmbedded":true,"properties":[{"name":"depth","type":"Int"}]},
      {"name":"Part","isEmbedded":true,"properties":[\(parts.joined(separator: ",")),
      {"name":"deep","type":"embedded object","target":"Deep"}]}]}
      """
  }

  private static var lines: [String] {
    var lines: [String] = []
    for (name, _, values) in values {
      for (index, value) in values.enumerated() {
        lines.append(
          #"{"class":"Thing","key":"\#(name) \#(index)","\#(name)":\#(value),"\#(name)list":[\#(value),\#(value)],"#
            + #""\#(name)set":[\#(value)],"\#(name)map":{"":\#(value),"a.b":\#(value)}}"#)
      }
      let isLink = values[0].contains("class")
      lines.append(
        #"{"class":"Thing","key":"\#(name) all","\#(name)":null,"\#(name)list":[\#(values.joined(separator: ","))],"#
          + #""\#(name)map":{"x":\#(isLink ? values[0] : "null")}}"#)
      if !isLink {
        lines.append(
          #"{"class":"Thing","key":"\#(name) inside","embedded":{"\#(name)":\#(values[0]),"deep":{"depth":1}},"#
            + #""embeddedList":[{"\#(name)":\#(values[0])},{"deep":null}],"embeddedMap":{"x":{},"y":{"deep":{}}}}"#
        )
      }
    }
    for (index, value) in any.enumerated() {
      lines.append(
        #"{"class":"Thing","key":"any \#(index)","anything":\#(value),"anythingList":[\#(value)],"#
          + #""anythingMap":{"date":\#(value)}}"#)
    }
    lines.append(
      #"{"class":"Thing","key":"","embedded":{},"embeddedList":[],"key:String":"own","class:Int":3}"#
    )
    lines.append(#"{"class":"Thing","key":"no deep","embedded":{"deep":null},"key:String":""}"#)
    lines.append(#"{"class":"Number","key":-7,"twin":{"class":"Number","key":8}}"#)
    lines.append(#"{"class":"ByUUID","key":{"uuid":"6F9619FF-8B86-D011-B42D-00CF4FC964FF"}}"#)
    lines.append(#"{"class":"ByOID","key":{"objectId":"507f1f77bcf86cd799439011"},"x":1}"#)
    return lines
  }

  private func atoll(_ arguments: String...) throws -> Command.Ending {
    let ended = try Command.run(arguments)
    #expect(ended.code == 0, "\(arguments): \(ended.text.suffix(2000))")
    return ended
  }

  private func file(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    return folder.path(name)
  }

  private func store(_ name: String) throws -> String {
    let schema = try file("schema.json", Self.schema)
    _ = try atoll("init", folder.path(name))
    _ = try atoll("import", folder.path(name), try file("none.jsonl", ""), "--schema", schema)
    return folder.path(name)
  }

  private func exported(_ store: String, _ more: String...) throws -> String {
    let output = folder.path("export-\(UUID().uuidString)")
    let ended = try Command.run(["export", store, "--output", output] + more)
    #expect(ended.code == 0, "\(ended.text)")
    return output
  }

  @Test func `issue 28.6: JSON lines of every type are the same after import and export`() throws {
    let (a, b) = (try store("a.atoll"), try store("b.atoll"))
    _ = try atoll("import", a, try file("all.jsonl", Self.lines.joined(separator: "\n")))
    let first = try exported(a)
    let text = try String(contentsOfFile: first, encoding: .utf8)
    // Nothing was read as something else: each value is in the export as it was written.
    let written = Self.values.flatMap(\.values) + Self.any
    for value in written where !value.contains("FEFF") { #expect(text.contains(value), "\(value)") }
    _ = try atoll("import", b, first)
    let second = try exported(b)
    #expect(FileManager.default.contentsEqual(atPath: first, andPath: second))
    // And into itself: everything is found, nothing is another.
    #expect(try atoll("import", a, first).text.hasPrefix("0 objects made"))
    #expect(FileManager.default.contentsEqual(atPath: first, andPath: try exported(a)))
  }

  @Test(arguments: ["Thing", "Number", "ByUUID", "ByOID"])
  func `issue 28.6: CSV of every type is the same after import and export`(name: String) throws {
    let (a, b) = (try store("a.atoll"), try store("b.atoll"))
    _ = try atoll("import", a, try file("all.jsonl", Self.lines.joined(separator: "\n")))
    let first = try exported(a, "--class", name, "--format", "csv")
    let lines = try String(contentsOfFile: first, encoding: .utf8)
    #expect(lines.hasPrefix(name == "Number" ? "n," : name == "ByUUID" ? "key" : "id,"))
    _ = try atoll("import", b, first, "--class", name, "--format", "csv")
    // Objects that only links name are made with their keys; the table has them all.
    let second = try exported(b, "--class", name, "--format", "csv")
    #expect(FileManager.default.contentsEqual(atPath: first, andPath: second))
    if name == "Thing" {
      #expect(lines.contains(",own,") || lines.contains(",own\n"))
      let cells = try exported(b, "--class", name)
      let text = try String(contentsOfFile: cells, encoding: .utf8)
      for value in Self.any where value != "true" {
        #expect(text.contains(#""anything":"# + value), "\(value)")
      }
    }
  }
}
