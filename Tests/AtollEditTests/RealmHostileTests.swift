import AtollEdit
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// Files that are broken, or made to harm: a typed error with a place, or a line of the report.
@Suite struct RealmHostileTests {
  private let stores = RealmStores()
  private static let whole = """
    {"Person":[
      {"_id":"5f086d00ddf69c48082eb63b","name":"J\\u00f6hn","age":42,"extra":{"$numberDecimal":"1.5"}},
      {"_id":"5f086d00ddf69c48082eb63d","dogs":[{"name":"Rex"}],"words":["a","\\"b"]}],
     "Dog":[{"name":"Rex"}]}
    """
  private static let flatted =
    #"[{"Person":"1"},["2"],{"_id":"3","dog":"4","words":"5"},"5f086d00ddf69c48082eb63b","#
    + #"{"name":"6"},["6"],"Rex"]"#

  /// The problem with which an import ends.
  private func problem(_ text: String, named name: String = "Person") throws -> ImportProblem {
    let failure = #expect(throws: ImportFailure.self) { try stores.take(text, named: name) }
    #expect(failure?.isOfTheFile == true)
    return try #require(failure?.problems.first)
  }

  @Test(arguments: [
    ("", "line 1: at byte 1 of the file: expected an object with an array for each class"),
    ("7", "line 1: at byte 1 of the file: expected an object"),
    (#"{"Dog":7}"#, "line 1: at byte 8 of the file: expected an array with the objects of Dog"),
    (#"{Dog:[]}"#, "line 1: at byte 2 of the file: expected the name of a class"),
    ("{\n\"Dog\":[],\n\"Dog\":[]}", "line 3: the class \"Dog\" is one too many, or there twice"),
    ("{\n\"Dog\":[]}\n x", "line 3: at byte 14 of the file: expected the end of the file"),
    (#"{"Dog":[{"name":"Rex"},]}"#, "at byte 24 of the file: expected a value"),
    (#"[{"name":"Rex"},]"#, "at byte 17 of the file: expected an object"),
    (#"{"Dog":[{"name":"Rex"} {"name":"x"}]}"#, "at byte 24 of the file: expected `,`"),
    ("{\"Dog\":[\n{\"name\":\n  Rex}]}", "line 3: at byte 21 of the file: expected a value"),
    ("{\"Dog\":[{\"name\":\"\\uD800\"}]}", "at byte 24 of the file: expected `\\`"),
    (#"{"Dog":[{"name":"Rex"]}]}"#, "expected `}`"),
    (#"{"Dog":[{"name":01}]}"#, "expected a number without zeros"),
    (#"[["9"]]"#, "line 1: found the index 9, expected one below 1"),
    (#"[["x"]]"#, "line 1: found \"x\", expected the index of a value"),
    (#"[{"Dog":"1"},"x"]"#, "line 1: Dog: found \"x\", expected an array of objects"),
    (#"[{"Dog":"1"},["2"],{"name":}]"#, "line 1: value 2 of the file, at its byte 9"),
    (#"[{"Dog":"1","Dog":"1"},[]]"#, "line 1: a class is there twice"),
  ])
  func `a file in no known form is refused with the place`(text: String, words: String) throws {
    let problem = try problem(text, named: "Dog")
    #expect(problem.description.contains(words), "\(problem)")
  }

  @Test func `every file that is cut off is refused, and no cut traps`() throws {
    for text in [Self.whole, Self.flatted] {
      let bytes = Data(text.utf8)
      for length in 0..<bytes.count {
        #expect(throws: ImportFailure.self, "\(length)") {
          try stores.take([bytes.prefix(length)])
        }
      }
      #expect(try stores.take([bytes]).report != nil)
    }
  }

  @Test func `a file with any byte changed is read or refused, and never traps`() throws {
    var refused = 0
    for text in [Self.whole, Self.flatted] {
      for index in text.utf8.indices {
        var bytes = Data(text.utf8)
        let place = text.utf8.distance(from: text.utf8.startIndex, to: index)
        for byte in [UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "9"), 0x00, 0xFF] {
          bytes[place] = byte
          do {
            _ = try stores.take([bytes], isDry: true)
          } catch is ImportFailure {
            refused += 1
          }
        }
      }
    }
    #expect(refused > 500)
  }

  @Test(arguments: [
    (Data([0xFF, 0xFE, 0x7B, 0x00]), "UTF-16"), (Data([0x00, 0x00, 0x00, 0x7B]), "UTF-16"),
    (Data(#"[{"name":"\#u{0}"}]"#.utf8), "expected an escaped control character"),
    (Data("[{\"name\":\"".utf8) + [0xC3, 0x28] + Data("\"}]".utf8), "expected UTF-8"),
  ])
  func `another encoding is refused`(bytes: Data, words: String) throws {
    let failure = #expect(throws: ImportFailure.self) { try stores.take([bytes], named: "Dog") }
    #expect("\(try #require(failure))".contains(words))
  }

  @Test func `what is too deep to be read is refused with its place`() throws {
    let deep = 100_000
    for (open, close) in [("[", "]"), ("{\"friend\":", "}")] {
      let text =
        #"{"Dog":[{"name":"Rex","friend":"# + String(repeating: open, count: deep) + "null"
        + String(repeating: close, count: deep) + "}]}"
      #expect(try problem(text).text.contains("expected at most \(Limits.importLevels) levels"))
    }
  }

  @Test func `objects in full are linked through as many levels as can be read`() throws {
    let depth = Limits.importLevels - 1
    let text =
      (0..<depth).map { "{\"name\":\"\($0)\",\"friend\":" }.joined() + "{\"name\":\"last\"}"
      + String(repeating: "}", count: depth)
    let result = try stores.take("[\(text)]", named: "Dog")
    #expect(result.made == depth + 1)
    #expect(result.report?.lines == [])
    #expect(try stores.lines().count { $0.contains("\"friend\"") } == depth)
  }

  @Test(arguments: ["home", "extra"])
  func `what is deeper than a store takes is left out and reported`(property: String) throws {
    for (open, close) in [("{\"inner\":", "}"), ("[", "]")] where open != "[" || property == "extra"
    {
      let text = String(repeating: open, count: 60) + "null" + String(repeating: close, count: 60)
      let result = try stores.take(
        #"[{"_id":"5f086d00ddf69c48082eb63b","\#(property)":\#(text)}]"#)
      #expect(result.made + result.changed == 1)
      #expect(result.report?.lines.last { !$0.reason.isTaken }?.reason == .tooLarge)
    }
  }

  @Test func `values of flatted inside themselves are left out, whatever the property is`() throws {
    for (property, value) in [
      ("extra", #"["3"]"#), ("home", #"{"inner":"3"}"#), ("extra", #"{"a":"3"}"#),
      ("extra", #"{"$ref":"3","$id":"3"}"#), ("age", #"{"$numberLong":"3"}"#),
      ("extra", #"["3","3","3","3","3","3","3","3","3","3","3","3"]"#),
    ] {
      let text =
        #"[{"Person":"1"},["2"],{"_id":"4","\#(property)":"3"},\#(value),"5f086d00ddf69c48082eb63b"]"#
      let result = try RealmStores().take(text)
      let reasons = result.report?.lines.filter { !$0.reason.isTaken }.map(\.reason) ?? []
      #expect(reasons == [.tooLarge] || reasons == [.mismatch], "\(property) \(value) \(reasons)")
    }
  }

  @Test func `a name that is there twice is reported, with the object or the property`() throws {
    let result = try stores.take(
      """
      {"Dog":[{"name":"Rex","name":"Bello"}],
      "Person":[{"_id":"5f086d00ddf69c48082eb63b","age":1,"_age":2,"scores":{"a":1,"a":2}}]}
      """)
    let lines = try #require(result.report?.lines)
    #expect(lines.map(\.reason) == [.repeatedName, .repeatedName, .repeatedName])
    #expect(lines.map(\.property) == [nil, "_age", "scores"])
    #expect(result.made == 1)
  }

  @Test func `an object without its key, or with a key that does not fit, is not taken`() throws {
    let result = try stores.take(
      """
      {"Dog":[{"owner":null},{"name":7},{"name":"\(String(repeating: "x", count: 65_537))"}, 7, null],
      "Person":[{"_id":"5f086d00ddf69c48082eb63b","dog":{"owner":null},"dogs":[{"name":[]},{}]}]}
      """)
    let lines = try #require(result.report?.lines)
    #expect(lines.map(\.className) == ["Dog", "Dog", "Person", "Person", "Person"])
    #expect(lines.map(\.reason) == [.noKey, .mismatch, .noKey, .noKey, .mismatch])
    #expect(lines.map(\.count) == [3, 2, 1, 1, 1])
    #expect(result.made == 1)
    #expect(
      try stores.lines() == [#"{"class":"Person","key":{"objectId":"5f086d00ddf69c48082eb63b"}}"#])
  }

  @Test func `the report of a file of strangers is bounded, and counts all of them`() throws {
    let members = (0..<3000).map { "\"p\($0)\(String(repeating: "x", count: 300))\":1" }
    let result = try stores.take(
      "[{\"name\":\"Rex\",\(members.joined(separator: ","))}]", named: "Dog")
    let report = try #require(result.report)
    #expect(report.lines.count == Limits.importReportLines)
    #expect(report.others == 3000 - Limits.importReportLines)
    #expect(report.lines.allSatisfy { ($0.property ?? "").utf8.count < 100 })
    let strangers =
      try stores.take(
        #"{"Stranger":[{},{},{},{}],"Dog":[]}"#
      ).report?.lines ?? []
    #expect(strangers.map(\.reason) == [.unknownClass])
    #expect(strangers.map(\.count) == [4])
    #expect(strangers.first?.examples.count == Limits.importExamples)
  }

  @Test func `a reference to an object that is not around it is reported`() throws {
    let result = try stores.take(
      #"[{"_id":"5f086d00ddf69c48082eb63b","dog":{"$ref":"Dog#9"},"extra":{"$ref":"Cat#9"}}]"#)
    #expect(result.report?.lines.map(\.reason) == [.unknownReference, .unknownReference])
    #expect(result.report?.lines.map(\.property) == ["dog", "extra"])
  }

  @Test func `a store without classes is refused with what to do`() throws {
    let failure = #expect(throws: ImportFailure.self) {
      try stores.take(#"{"Dog":[]}"#, classes: [])
    }
    let text = "\(try #require(failure))"
    #expect(failure?.isOfTheFile == false)
    #expect(text.contains("the store has no classes"))
    #expect(text.contains("--schema"))
  }

  @Test func `a dry run has the same report and counts, and leaves nothing`() throws {
    let dogs = (0..<2500).map {
      "{\"name\":\"\($0)\",\"friend\":\"\(($0 + 1999) % 2500)\",\"x\":1}"
    }
    let text = "{\"Dog\":[\(dogs.joined(separator: ",\n"))]}"
    let dry = try stores.take(text, isDry: true)
    #expect(try stores.lines() == [])
    let wet = try stores.take(text)
    #expect(dry.isDry && dry.made == 2500)
    #expect(wet.made == 2500 && wet.changed == 0)
    #expect(dry.report == wet.report)
    #expect(try stores.lines().count == 2500)
  }

  @Test func `a file that breaks off says what is in the store, in whole transactions`() throws {
    let dogs = (0..<1500).map { "{\"name\":\"\($0)\"}" }
    let failure = #expect(throws: ImportFailure.self) {
      try stores.take("{\"Dog\":[\(dogs.joined(separator: ",\n")),\n{\"name\":")
    }
    let text = "\(try #require(failure))"
    #expect(text.contains("line 1501: at byte"))
    #expect(text.contains("1000 objects made and 0 changed are in the store"))
    #expect(try stores.lines().count == 1000)
  }
}
