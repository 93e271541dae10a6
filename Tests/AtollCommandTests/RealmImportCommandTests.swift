import Foundation
import TestKit
import Testing

@testable import AtollCommand

/// `atoll import --realm-json`, with the real program.
@Suite struct RealmImportCommandTests {
  private let folder = TemporaryFolder()
  private static let schema = """
    {"classes":[
    {"name":"Person","key":{"name":"name","type":"String"},"properties":[
    {"name":"age","type":"Int"},{"name":"dogs","type":"link","target":"Dog","collection":"list"}]},
    {"name":"Dog","key":{"name":"name","type":"String"},"properties":[
    {"name":"owner","type":"link","target":"Person"}]}]}
    """

  private func atoll(_ arguments: String...) throws -> Command.Ending {
    try Command.run(arguments)
  }

  private func file(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    return folder.path(name)
  }

  private func store() throws -> String {
    #expect(try atoll("init", folder.path("a.atoll")).code == 0)
    return folder.path("a.atoll")
  }

  @Test func `files of Realm are imported together, and the report is on standard output`() throws {
    let a = try store()
    let schema = try file("schema.json", Self.schema)
    let people = try file(
      "people.json",
      """
      {"Person": [
        {"name": "Jo", "age": 42, "dogs": ["Rex", {"name": "Bello"}]},
        {"name": "Jane", "age": "old", "shoes": 7}
      ]}
      """)
    let dogs = try file("Dog.json", #"[{"name":"Rex","owner":"Jo"},{"name":"Wuff","owner":"Mia"}]"#)
    let dry = try atoll("import", a, "--realm-json", people, dogs, "--schema", schema, "--dry-run")
    #expect(dry.code == 0)
    #expect(dry.lines.first == "5 objects would be made, 0 would be changed")
    #expect(try atoll("export", a).lines == [])
    let ended = try atoll("import", a, "--realm-json", people, dogs)
    #expect(ended.code == 0)
    #expect(
      ended.lines == [
        "5 objects made, 0 changed",
        "not taken:",
        "  Person.age: 1 × the value does not fit the property",
        "    line 3, Person \"Jane\": age: found \"old\", expected Int: a whole number of 64 bits, "
          + "such as -12",
        "  Person.shoes: 1 × the class has no such property, or computes it as linking objects",
        "    line 3, Person \"Jane\"",
        "taken, but to be looked at:",
        "  Person: 1 × links lead to it and the files lack it: made with nothing but its key",
        "    \"Mia\"",
      ])
    #expect(
      try atoll("export", a).lines == [
        #"{"class":"Dog","key":"Bello"}"#,
        #"{"class":"Dog","key":"Rex","owner":{"class":"Person","key":"Jo"}}"#,
        #"{"class":"Dog","key":"Wuff","owner":{"class":"Person","key":"Mia"}}"#,
        #"{"class":"Person","key":"Jane"}"#,
        #"{"class":"Person","key":"Jo","age":42,"dogs":[{"class":"Dog","key":"Rex"},"#
          + #"{"class":"Dog","key":"Bello"}]}"#,
        #"{"class":"Person","key":"Mia"}"#,
      ])
  }

  @Test func `the result is one JSON object for programs`() throws {
    let a = try store()
    let schema = try file("schema.json", Self.schema)
    let people = try file("Person.json", #"[{"name":"Jo","shoes":7}]"#)
    let ended = try atoll("import", a, "--realm-json", people, "--schema", schema, "--json")
    #expect(
      ended.lines == [
        #"{"changed":0,"isDry":false,"made":1,"missing":0,"report":{"lines":[{"class":"Person","#
          + #""count":1,"examples":["line 1, Person \"Jo\""],"isTaken":false,"property":"shoes","#
          + #""reason":"unknownProperty"}],"others":0}}"#
      ])
  }

  @Test func `a broken file ends with code 65 and its name, line and byte`() throws {
    let a = try store()
    let schema = try file("schema.json", Self.schema)
    let broken = try file("broken.json", "{\"Person\": [\n{\"name\": \"Jo\"},\n{\"name\": ]}")
    let ended = try atoll("import", a, "--realm-json", broken, "--schema", schema)
    #expect(ended.code == 65)
    #expect(ended.text.contains("broken.json: line 3: at byte 39 of the file: expected a value"))
    #expect(ended.text.contains("nothing was imported"))
    #expect(try atoll("export", a).lines == [])
  }

  @Test func `a store without classes is refused with what to do`() throws {
    let a = try store()
    let ended = try atoll("import", a, "--realm-json", try file("Person.json", "[]"))
    #expect(ended.code == 1)
    #expect(ended.text.contains("the store has no classes"))
    #expect(ended.text.contains("import with --schema"))
  }

  @Test func `arguments that go with other files only are refused`() throws {
    let a = try store()
    let people = try file("Person.json", "[]")
    for arguments in [
      [people, people], ["--realm-json", people, "--format", "csv"],
      ["--realm-json", people, "--from-line", "2"], ["--realm-json"],
    ] {
      #expect(try Command.run(["import", a] + arguments).code == 64, "\(arguments)")
    }
  }
}
