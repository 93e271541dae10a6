import AtollEdit
import AtollStorage
import AtollVocabulary
import Foundation
import TestKit
import Testing

/// Files in the forms of Realm Studio and realm-js, imported into a store whose classes are declared.
@Suite struct RealmImportTests {
  private let stores = RealmStores()
  private static let john = "5f086d00ddf69c48082eb63b"
  private static let jane = "5f086d00ddf69c48082eb63d"

  /// Returns the stored members of a person called John.
  private func person(_ members: String, _ property: String) throws -> String? {
    try stores.take("[{\"_id\":\"\(Self.john)\",\"name\":\"John\",\(members)}]")
    return try stores.value(property)
  }

  // MARK: Forms

  @Test func `an object of arrays becomes the objects of its classes`() throws {
    let result = try stores.take(
      """
      {
        "Person": [
          {"_id": "5f086d00ddf69c48082eb63b", "name": "John", "age": 42, "height": 1.75, "isHere": true},
          {"_id": "5f086d00ddf69c48082eb63d", "name": "Jane", "age": null}
        ],
        "Dog": [ {"name": "Rex"} ]
      }
      """)
    #expect(result.made == 3)
    #expect(result.changed == 0)
    #expect(result.report?.lines == [])
    #expect(
      try stores.lines() == [
        #"{"class":"Dog","key":"Rex"}"#,
        #"{"class":"Person","key":{"objectId":"5f086d00ddf69c48082eb63b"},"age":42,"height":1.75,"#
          + #""isHere":true,"name":"John"}"#,
        #"{"class":"Person","key":{"objectId":"5f086d00ddf69c48082eb63d"},"name":"Jane"}"#,
      ])
  }

  @Test(arguments: ["[]", "{}", #"{"Dog":[],"Person":[]}"#, "[{\"Dog\":\"1\"},[]]", " [ ]\n"])
  func `a file without objects is none that is wrong`(text: String) throws {
    #expect(try stores.take(text).made == 0)
  }

  @Test func `an array has the objects of the class that its file is named after`() throws {
    let result = try stores.take(
      "\u{FEFF}[ {\"name\":\"Rex\"} , {\"name\":\"Bello\"},{\"name\":\"Wuff\"}]\n", named: "Dog")
    #expect(result.made == 3)
    #expect(try stores.lines().count == 3)
  }

  @Test func `a file of flatted has the same objects, with links in every direction`() throws {
    let result = try stores.take(
      """
      [{"Person":"1","Dog":"2"},["3","4"],["5"],
      {"_id":"6","name":"7","age":42,"friends":"8","dog":"5","money":"9","words":"10"},
      {"_id":"11","name":"12","friends":"13"},{"name":"14","owner":"3"},
      "5f086d00ddf69c48082eb63b","John",["3","4"],{"$numberDecimal":"15"},["16","7"],
      "5f086d00ddf69c48082eb63d","Jane",["3"],"Rex","1.50","7"]
      """)
    #expect(result.made == 3)
    #expect(result.report?.lines == [])
    #expect(
      try stores.lines() == [
        #"{"class":"Dog","key":"Rex","owner":{"class":"Person","key":{"objectId":"\#(Self.john)"}}}"#,
        #"{"class":"Person","key":{"objectId":"\#(Self.john)"},"age":42,"dog":{"class":"Dog","#
          + #""key":"Rex"},"friends":[{"class":"Person","key":{"objectId":"\#(Self.john)"}},"#
          + #"{"class":"Person","key":{"objectId":"\#(Self.jane)"}}],"money":{"decimal":"1.50"},"#
          + #""name":"John","words":["7","John"]}"#,
        #"{"class":"Person","key":{"objectId":"\#(Self.jane)"},"friends":[{"class":"Person","#
          + #""key":{"objectId":"\#(Self.john)"}}],"name":"Jane"}"#,
      ])
  }

  @Test func `a flatted array of one class is told from a plain one`() throws {
    #expect(try stores.take(#"[["1"],{"name":"2"},"Rex"]"#, named: "Dog").made == 1)
    #expect(try stores.lines() == [#"{"class":"Dog","key":"Rex"}"#])
  }

  // MARK: Links

  @Test func `a link is a key, or the object in full, which is imported with its key`() throws {
    let result = try stores.take(
      """
      {"Person":[{"_id":"\(Self.john)","dog":"Rex",
        "dogs":[{"name":"Bello","friend":{"name":"Wuff","friend":"Rex"}},"Rex"],
        "byName":{"best":{"$ref":"Dog","$id":"Rex"},"none":null}}],
      "Dog":[{"name":"Rex","owner":{"$oid":"\(Self.john)"}}]}
      """)
    #expect(result.made == 4)
    #expect(result.changed == 0)
    #expect(result.report?.lines == [])
    let lines = try stores.lines()
    #expect(lines.count == 4)
    #expect(lines.contains(#"{"class":"Dog","key":"Wuff","friend":{"class":"Dog","key":"Rex"}}"#))
    #expect(lines.contains { $0.contains(#""dogs":[{"class":"Dog","key":"Bello"},"#) })
    #expect(
      lines.contains { $0.contains(#""byName":{"best":{"class":"Dog","key":"Rex"},"none":null}"#) })
    #expect(
      lines.contains { $0.contains(#""key":"Rex","owner":{"class":"Person","key":{"objectId":"#) })
  }

  @Test func `files in every order give the same objects`() throws {
    let people = #"{"Person":[{"_id":"\#(Self.john)","name":"John","dog":"Rex"}]}"#
    let dogs = #"{"Dog":[{"name":"Rex","owner":"\#(Self.john)"}]}"#
    var stores: [RealmStores] = []
    for files in [[people, dogs], [dogs, people]] {
      let store = RealmStores()
      let result = try store.take(files.map { Data($0.utf8) })
      #expect(result.made == 2)
      #expect(result.report?.lines == [])
      stores.append(store)
    }
    #expect(try stores[0].lines() == stores[1].lines())
    #expect(try stores[0].lines().count == 2)
  }

  @Test func `an object that only links name is made with its key and reported`() throws {
    let result = try stores.take(#"[{"_id":"\#(Self.john)","dog":"Rex"}]"#)
    #expect(result.report?.lines.map(\.reason) == [.onlyLinked])
    #expect(result.report?.lines.first?.className == "Dog")
    #expect(result.report?.lines.first?.examples == ["\"Rex\""])
    let later = try stores.take(#"[{"name":"Rex"}]"#, named: "Dog")
    #expect(later.report?.lines == [])
    #expect(try stores.lines().count == 2)
  }

  @Test func `references of realm-js close cycles, and tell objects without keys apart`() throws {
    let result = try stores.take(
      """
      {"Note":[
        {"$refId":"Note#0","text":"one","next":
          {"$refId":"Note#1","text":"two","next":{"$ref":"Note#0"}}},
        {"$refId":"Note#1","text":"two","next":
          {"$refId":"Note#0","text":"one","next":{"$ref":"Note#1"}}}],
      "Person":[{"$refId":"Person\(Self.john)","_id":"\(Self.john)",
        "friends":[{"$ref":"Person\(Self.john)"}],"notes":[{"$refId":"Note#1","text":"two"}]}]}
      """)
    #expect(result.made == 3)
    #expect(result.changed == 1)
    let lines = try stores.lines()
    #expect(lines.count == 3)
    #expect(
      lines.count { $0.contains(#""class":"Note""#) && $0.contains(#""next":{"class""#) } == 2)
    #expect(lines.contains { $0.contains(#""friends":[{"class":"Person","#) })
    #expect(result.report?.lines == [])
  }

  @Test func `linked objects without a primary key are made new each time, and reported`() throws {
    let note = #"{"text":"a","next":{"text":"b"}}"#
    let result = try stores.take(
      #"{"Note":[\#(note)],"Person":[{"_id":"\#(Self.john)","notes":[\#(note)]}]}"#)
    #expect(result.made == 5)
    let lines = try #require(result.report?.lines)
    #expect(lines.map(\.reason) == [.madeAnew])
    #expect(lines.first?.className == "Note")
    #expect(lines.first?.count == 3)
    #expect(try stores.lines().count == 5)
  }

  @Test func `an object that stands in several places is written once`() throws {
    let rex = #"{"name":"Rex","friend":{"name":"Bello"}}"#
    let result = try stores.take(
      #"{"Person":[{"_id":"\#(Self.john)","dogs":[\#(rex),\#(rex)],"dog":\#(rex)}],"Dog":[\#(rex)]}"#
    )
    #expect(result.made == 3)
    #expect(result.changed == 0)
  }

  @Test func `an import that is repeated finds the objects by their keys`() throws {
    let text = #"[{"_id":"\#(Self.john)","name":"John","dog":{"name":"Rex"}}]"#
    try stores.take(text)
    let lines = try stores.lines()
    let again = try stores.take(text)
    #expect(again.made == 0)
    #expect(again.changed == 2)
    #expect(try stores.lines() == lines)
  }

  // MARK: Collections and embedded objects

  @Test func `lists, sets and maps are filled, also as old versions wrote them`() throws {
    try stores.take(
      """
      [{"_id":"\(Self.john)","name":"John","words":["a",null,"b"],"numbers":[3,1,3],
        "scores":{"first":1.5,"a.b":null}},
       {"_id":"\(Self.jane)","name":"Jane","words":{"0":"a","1":"b"},"numbers":[],"scores":{}}]
      """)
    #expect(try stores.value("words") == #"["a",null,"b"]"#)
    #expect(try stores.value("numbers") == "[1,3]")
    #expect(try stores.value("scores") == #"{"a.b":null,"first":1.5}"#)
    #expect(try stores.value("words", ofName: "Jane") == #"["a","b"]"#)
    #expect(try stores.value("scores", ofName: "Jane") == nil)
  }

  @Test func `embedded objects come with their owner, and what they link to by itself`() throws {
    let result = try stores.take(
      """
      {"Person":[{"_id":"\(Self.john)","name":"John",
        "home":{"street":"A","since":"2001-01-01T00:00:01.500Z","dog":{"name":"Rex"},
          "inner":{"street":"B","town":"Bern"}},
        "places":[{"$refId":"Place#1","street":"C"}]}],
      "Place":[{"street":"A"},{"street":"B"},{"street":"C"}]}
      """)
    #expect(result.made == 2)
    #expect(
      try stores.value("home") == #"{"dog":{"class":"Dog","key":"Rex"},"inner":{"street":"B"},"#
        + #""since":{"date":"2001-01-01T00:00:01.5Z"},"street":"A"}"#)
    #expect(try stores.value("places") == #"[{"street":"C"}]"#)
    let lines = try #require(result.report?.lines)
    #expect(lines.map(\.reason) == [.unknownProperty, .embeddedAlone])
    #expect(lines.map(\.count) == [1, 3])
    #expect(lines.map(\.property) == ["town", nil])
  }

  // MARK: Scalars

  @Test(arguments: [
    (#""age":-9223372036854775808"#, "age", "-9223372036854775808"),
    (#""age":{"$numberLong":"9007199254740993"}"#, "age", "9007199254740993"),
    (#""age":{"$numberInt":"7"}"#, "age", "7"),
    (#""height":1"#, "height", "1.0"),
    (#""height":{"$numberDouble":"NaN"}"#, "height", #"{"number":"nan"}"#),
    (#""height":{"$numberDouble":"-Infinity"}"#, "height", #"{"number":"-inf"}"#),
    (#""weight":0.1"#, "weight", "0.1"),
    (#""money":{"$numberDecimal":"1.500"}"#, "money", #"{"decimal":"1.500"}"#),
    (#""money":"2"#, "money", #"{"decimal":"2"}"#),
    (#""money":12.30"#, "money", #"{"decimal":"12.30"}"#),
    (#""ref":"5f086d00ddf69c48082eb63f""#, "ref", #"{"objectId":"5f086d00ddf69c48082eb63f"}"#),
    (
      #""ref":{"$oid":"5f086d00ddf69c48082eb63f"}"#, "ref",
      #"{"objectId":"5f086d00ddf69c48082eb63f"}"#
    ),
    (
      #""badge":"00000000-0000-0000-0000-00000000000a""#, "badge",
      #"{"uuid":"00000000-0000-0000-0000-00000000000A"}"#
    ),
    (
      #""badge":{"$uuid":"00000000-0000-0000-0000-00000000000a"}"#, "badge",
      #"{"uuid":"00000000-0000-0000-0000-00000000000A"}"#
    ),
    (
      #""badge":{"$binary":{"base64":"AAAAAAAAAAAAAAAAAAAACg==","subType":"04"}}"#, "badge",
      #"{"uuid":"00000000-0000-0000-0000-00000000000A"}"#
    ),
    (#""photo":"AQL/""#, "photo", #"{"data":"0102ff"}"#),
    (#""photo":"""#, "photo", #"{"data":""}"#),
    (#""photo":{"$binary":{"base64":"AQL/","subType":"00"}}"#, "photo", #"{"data":"0102ff"}"#),
    (#""photo":{"$binary":"AQL/","$type":"00"}"#, "photo", #"{"data":"0102ff"}"#),
    (#""photo":{"type":"Buffer","data":[1,2,255]}"#, "photo", #"{"data":"0102ff"}"#),
    (#""born":"2020-01-02T03:04:05.678Z""#, "born", #"{"date":"2020-01-02T03:04:05.678Z"}"#),
    (
      #""born":{"$date":"2020-01-02T03:04:05.678Z"}"#, "born",
      #"{"date":"2020-01-02T03:04:05.678Z"}"#
    ),
    (
      #""born":{"$date":{"$numberLong":"1577934245678"}}"#, "born",
      #"{"date":"2020-01-02T03:04:05.678Z"}"#
    ),
    (
      #""born":{"$date":{"$numberDouble":"1577934245678.0"}}"#, "born",
      #"{"date":"2020-01-02T03:04:05.678Z"}"#
    ),
    (#""born":{"$date":-1}"#, "born", #"{"date":"1969-12-31T23:59:59.999Z"}"#),
    (#""born":{"$date":978307200000.25}"#, "born", #"{"date":"2001-01-01T00:00:00.00025Z"}"#),
    // The distant past of Foundation, and the last day of JavaScript.
    (#""born":"0000-12-30T00:00:00.000Z""#, "born", #"{"date":"-63114076800.0"}"#),
    (#""born":"+275760-09-13T00:00:00.000Z""#, "born", #"{"date":"8639021692800.0"}"#),
    (#""born":"-000001-01-01T00:00:00.000Z""#, "born", #"{"date":"-63177062400.0"}"#),
  ])
  func `a scalar is read as the type of its property`(
    members: String, property: String, expected: String
  ) throws {
    let members = members.hasSuffix(#":"2"#) ? members + "\"" : members
    let found = try person(members, property)
    #expect(found == expected, "\(found ?? "nil")")
  }

  @Test(arguments: [
    (#""age":"42""#, "age", #"found "42", expected Int"#),
    (#""age":1.5"#, "age", "found 1.5"),
    (#""age":9223372036854775808"#, "age", "found 9223372036854775808"),
    (#""age":{"$numberLong":"x"}"#, "age", #"found {"$numberLong":"x"}"#),
    (#""isHere":1"#, "isHere", "found 1, expected Bool"),
    (#""height":"high""#, "height", #"found "high""#),
    (#""height":1e999"#, "height", "found 1e999"),
    (#""name":7"#, "name", "found 7, expected String"),
    (#""money":"much""#, "money", #"found "much""#),
    (#""badge":"1234""#, "badge", #"found "1234", expected a UUID"#),
    (#""ref":{"$oid":"12"}"#, "ref", #"found {"$oid":"12"}, expected an ObjectId"#),
    (#""photo":"?""#, "photo", #"found "?", expected data as Base64"#),
    (#""born":"yesterday""#, "born", #"found "yesterday", expected a date"#),
    (#""born":"2021-02-29T00:00:00Z""#, "born", #"found "2021-02-29"#),
    (#""born":1577930645678"#, "born", "found 1577930645678, expected a date"),
    (#""home":"Bern""#, "home", #"found "Bern", expected an object"#),
    (#""words":"a""#, "words", #"found "a", expected a list"#),
    (#""scores":[1]"#, "scores", "found an array, expected an object"),
    (#""dogs":[null]"#, "dogs", "found null in a list of objects"),
    (#""dog":7"#, "dog", "as the key of a Dog: name: found 7, expected String"),
    (#""dog":{"$ref":"Cat","$id":"Rex"}"#, "dog", "expected a link to a known class"),
    (#""notes":["n1"]"#, "notes", "expected an object in full: Note has no primary key"),
    (
      #""extra":{"$oid":"12"}"#, "extra", #"found {"$oid":"12"}, expected a value of Extended JSON"#
    ),
    (#""extra":9223372036854775808"#, "extra", "found 9223372036854775808"),
  ])
  func `a value that does not fit is left out and reported, and never nil`(
    member: String, property: String, words: String
  ) throws {
    try stores.take(
      #"[{"_id":"\#(Self.john)","age":1,"isHere":true,"height":1.5,"name":"x","dog":"Rex"}]"#)
    let before = try stores.lines()
    let result = try stores.take(#"[{"_id":"\#(Self.john)",\#(member)}]"#)
    let lines = try #require(result.report?.lines)
    #expect(lines.map(\.reason) == [.mismatch])
    #expect(lines.first?.property == property)
    #expect(lines.first?.className == "Person")
    let example = try #require(lines.first?.examples.first)
    #expect(example.contains(words), "\(example)")
    #expect(example.hasPrefix("line 1, Person \"\(Self.john)\""))
    #expect(try stores.lines() == before)
  }

  @Test func `data of which JSON.stringify has left nothing is reported as that`() throws {
    let result = try stores.take(#"[{"_id":"\#(Self.john)","photo":{}}]"#)
    #expect(result.report?.lines.map(\.reason) == [.noBytes])
    #expect(try stores.lines().first?.contains("photo") == false)
  }

  @Test func `numbers that JavaScript may have rounded are taken, and reported`() throws {
    let result = try stores.take(#"[{"_id":"\#(Self.john)","name":"John","age":9007199254740994}]"#)
    #expect(try stores.value("age") == "9007199254740994")
    #expect(result.report?.lines.map(\.reason) == [.beyond53Bits])
  }

  // MARK: Any-typed values

  @Test(arguments: [
    ("7", "7"), ("7.5", "7.5"), ("true", "true"), (#""x""#, #""x""#),
    (#"[1,[2.5,null],"x"]"#, #"[1,[2.5,null],"x"]"#),
    (#"{"$oid":"5f086d00ddf69c48082eb63f"}"#, #"{"objectId":"5f086d00ddf69c48082eb63f"}"#),
    (#"{"$numberDecimal":"1.50"}"#, #"{"decimal":"1.50"}"#),
    (#"{"$date":{"$numberLong":"978307200250"}}"#, #"{"date":"2001-01-01T00:00:00.25Z"}"#),
    (
      #"{"$uuid":"00000000-0000-0000-0000-00000000000a"}"#,
      #"{"uuid":"00000000-0000-0000-0000-00000000000A"}"#
    ),
    (#"{"$binary":{"base64":"AQL/","subType":"00"}}"#, #"{"data":"0102ff"}"#),
    (#"{"$numberLong":"9223372036854775807"}"#, "9223372036854775807"),
    (#"{"$ref":"Dog","$id":"Rex"}"#, #"{"class":"Dog","key":"Rex"}"#),
    (#"{"$refId":"Dog#Rex","name":"Rex"}"#, #"{"class":"Dog","key":"Rex"}"#),
  ])
  func `an any-typed value is read by its form`(text: String, expected: String) throws {
    let found = try person("\"extra\":\(text)", "extra")
    #expect(found == expected, "\(found ?? "nil")")
  }

  @Test func `an any-typed value that may have been more is taken as it stands, and reported`()
    throws
  {
    let result = try stores.take(
      """
      [{"_id":"\(Self.john)","name":"John","extra":{"data":"x","class":"a","key":["b",{"map":1}]}},
       {"_id":"\(Self.jane)","name":"Jane","extra":["2020-01-02T03:04:05.678Z","\(Self.john)",
        "00000000-0000-0000-0000-00000000000a","just a text of that size"]}]
      """)
    let lines = try #require(result.report?.lines)
    #expect(lines.map(\.reason) == [.takenAsMap, .looksTyped])
    #expect(lines.map(\.count) == [2, 3])
    let extra = try stores.value("extra") ?? ""
    #expect(
      extra
        == #"{"map":{"class":"a","data":"x","key":["b",{"map":{"map":1}}]}}"#, "\(extra)")
  }
}
