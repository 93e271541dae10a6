import AtollEdit
import AtollInspect
import AtollStorage
import AtollVocabulary
import Testing

/// Each kind of edit, and each refusal.
@Suite struct WritingTests {
  private let stores = EditedStores()

  /// Writes edits of Bern in one transaction.
  private func write(_ edits: [StoreEdit]) throws -> EditOutcome {
    let editor = try stores.editor()
    defer { editor.close() }
    return try editor.write(edits)
  }

  @Test func `values are read as the type of their property, digit by digit`() throws {
    try stores.make()
    let outcome = try write(
      edits(
        #""kind":"set","values":{"inhabitants":9223372036854775807,"area":51.6200}"#,
        #""kind":"set","path":"founded","value":"2024-02-29T12:30:00Z""#,
        #""kind":"set","path":"extra","value":[1,2.5,{"uuid":"00000000-0000-0000-0000-00000000000A"}]"#
      ))
    #expect(outcome.edits == 3 && outcome.canUndo && outcome.commit != nil)
    #expect(try stores.value("inhabitants") == "9223372036854775807")
    #expect(try stores.value("area") == #"{"decimal":"51.6200"}"#)
    #expect(try stores.value("founded") == #"{"date":"2024-02-29T12:30:00Z"}"#)
    #expect(
      try stores.value("extra") == #"[1,2.5,{"uuid":"00000000-0000-0000-0000-00000000000A"}]"#)
  }

  @Test func `a path leads through embedded objects, for values and for lists`() throws {
    try stores.make()
    _ = try write(
      edits(
        #""kind":"set","path":"place.latitude","value":47"#,
        #""kind":"insert","path":"place.words","value":"w""#))
    #expect(try stores.value("place") == #"{"latitude":47.0,"words":["w"]}"#)
    _ = try write(edits(#""kind":"set","path":"place","values":{"latitude":48}"#))
    #expect(try stores.value("place") == #"{"latitude":48.0,"words":["w"]}"#)
    _ = try write(edits(#""kind":"set","values":{"place.latitude":49}"#))
    #expect(try stores.value("place") == #"{"latitude":49.0,"words":["w"]}"#)
    _ = try write(edits(#""kind":"set","values":{"place":null}"#))
    #expect(try stores.value("place") == "null")
  }

  @Test(arguments: [
    (#""kind":"increment","path":"inhabitants","by":-4000"#, "inhabitants", "130000"),
    (#""kind":"insert","path":"rivers","value":"x""#, "rivers", #"["Aare","Gürbe","Sense","x"]"#),
    (
      #""kind":"insert","path":"rivers","value":"x","at":0"#, "rivers",
      #"["x","Aare","Gürbe","Sense"]"#
    ),
    (#""kind":"replace","path":"rivers","value":"x","at":1"#, "rivers", #"["Aare","x","Sense"]"#),
    (#""kind":"remove","path":"rivers","at":1"#, "rivers", #"["Aare","Sense"]"#),
    (#""kind":"move","path":"rivers","at":0,"to":2"#, "rivers", #"["Gürbe","Sense","Aare"]"#),
    (#""kind":"remove","path":"places","at":1"#, "places", #"[{"latitude":1.5}]"#),
    (#""kind":"add","path":"tags","value":"new""#, "tags", #"["high","new","old"]"#),
    (#""kind":"drop","path":"tags","value":"old""#, "tags", #"["high"]"#),
    (
      #""kind":"put","path":"names","entry":"de","value":"Bern""#, "names",
      #"{"de":"Bern","fr":"Berne","it":null}"#
    ),
    (#""kind":"take","path":"names","entry":"it""#, "names", #"{"fr":"Berne"}"#),
  ])
  func `a number is stepped and a collection edited, and undo brings back what was`(
    edit: String, member: String, value: String
  ) throws {
    try stores.make()
    let before = try stores.lines()
    let editor = try stores.editor()
    defer { editor.close() }
    _ = try editor.write(edits(edit))
    #expect(try stores.value(member) == value)
    let outcome = try editor.undo()
    #expect(outcome.edits == 1 && !outcome.canUndo && outcome.commit != nil)
    #expect(try stores.lines() == before)
    #expect(throws: EditError.nothingToUndo) { try editor.undo() }
  }

  @Test func `elements of every scalar type are the same after an edit and its undo`() throws {
    let types: [(PersistedType, [String])] = [
      (.bool, ["true", "false"]), (.int, ["9223372036854775807", "-1"]),
      (.float, ["0.1", #""nan""#]), (.double, ["-0.0", #"{"number":"-inf"}"#]),
      (.string, [#""""#, #""a\"b""#]), (.data, [#"{"data":"00ff"}"#, #""""#]),
      (.date, [#"{"date":"-1.5"}"#, #"{"date":"1e300"}"#]),
      (.uuid, [#""6F9619FF-8B86-D011-B42D-00CF4FC964FF""#, "null"]),
      (.objectId, [#""507f1f77bcf86cd799439011""#, "null"]),
      (.decimal, [#"{"decimal":"51.6200"}"#, "1E+10"]),
    ]
    let file = try StoreFile.open(stores.path("a"), options: StoreOptions())
    _ = try file.adopt([
      ClassSchema(
        name: "City", primaryKey: "name",
        properties: [PropertySchema(name: "name", type: .string)]
          + types.map {
            PropertySchema(name: "\($0.0)", type: $0.0, collection: .list, isOptional: true)
          })
    ])
    file.close()
    let editor = try stores.editor()
    defer { editor.close() }
    _ = try editor.write(edits(#""kind":"create","values":{}"#))
    for (type, values) in types {
      _ = try editor.write(
        edits(
          #""kind":"insert","path":"\#(type)","value":\#(values[0])"#,
          #""kind":"insert","path":"\#(type)","value":\#(values[1])"#))
      let before = try stores.lines()
      _ = try editor.write(
        edits(
          #""kind":"replace","path":"\#(type)","at":0,"value":\#(values[1])"#,
          #""kind":"remove","path":"\#(type)","at":0"#,
          #""kind":"remove","path":"\#(type)","at":0"#))
      #expect(try stores.lines() != before)
      _ = try editor.undo()
      #expect(try stores.lines() == before, "\(type)")
    }
    while editor.canUndo { _ = try editor.undo() }
    #expect(try stores.lines() == [])
  }

  @Test func `objects are made, linked and deleted in one transaction`() throws {
    try stores.make()
    _ = try write(
      try StoreEdit.edits(
        in: """
          {"edits":[{"kind":"create","class":"City","values":{"name":"Basel","inhabitants":1}},
          {"kind":"set","class":"City","key":"Basel","values":{"twin":{"class":"City","key":"Bern"}}},
          {"kind":"set","class":"City","key":"Bern","values":{"twin":{"class":"City","key":"Basel"}}}]}
          """.utf8))
    #expect(try stores.value("twin") == #"{"class":"City","key":"Basel"}"#)
    _ = try write([StoreEdit("City", key: "Basel", .delete)])
    #expect(try stores.lines().count == 1)
    #expect(try stores.value("twin") == "null")
  }

  @Test func `a key is given as text, among the values, or twice the same`() throws {
    try stores.make(with: [
      #"{"kind":"create","class":"City","key":"A","values":{}}"#,
      #"{"kind":"create","class":"City","values":{"name":"B"}}"#,
      #"{"kind":"create","class":"City","key":"C","values":{"name":"C"}}"#,
    ])
    #expect(try stores.lines() == ["A", "B", "C"].map { #"{"class":"City","key":"\#($0)"}"# })
    let error = #expect(throws: EditError.self) {
      try write([StoreEdit("City", key: "D", .create([.init(name: "name", value: .string("E"))]))])
    }
    #expect(error.map { "\($0)".contains("found two keys, \"D\" and \"E\"") } == true)
  }

  @Test func `an object with a hidden key is found by what atoll prints of it`() throws {
    try stores.make(with: [
      #"{"kind":"create","class":"Note","values":{"text":"one"}}"#, EditedStores.bern,
    ])
    let inspection = try Inspection(path: stores.path("a"))
    let row = try inspection.objects(of: "Note").page(from: 0, count: 1).rows[0]
    inspection.close()
    let shown = row[0].text
    #expect(shown.contains("#"))
    _ = try write([StoreEdit("Note", key: shown, .assign(path: "text", .string("two")))])
    let line = try #require(try stores.lines().last)
    #expect(line.hasSuffix(#","text":"two"}"#))
    let long = try #require(try JSONValue(line.utf8)["key"]?["identity"])
    guard case .string(let text) = long else { return }
    for key in [text, shown] {
      _ = try write(
        edits(#""kind":"set","values":{"note":{"class":"Note","key":{"identity":"\#(key)"}}}"#))
      #expect(try stores.value("note") == #"{"class":"Note","key":{"identity":"\#(text)"}}"#)
    }
    _ = try write([StoreEdit("Note", key: text, .delete)])
    #expect(try stores.value("note") == "null")
  }

  @Test(arguments: [
    (#""kind":"create","values":{}"#, "there is one with the key \"Bern\" already"),
    (#""kind":"set","values":{"inhabitants":1.5}"#, "inhabitants: found 1.5, expected Int"),
    (#""kind":"set","values":{"area":1,"area":2}"#, "has the name \"area\" twice"),
    (#""kind":"set","values":{"mayor":1}"#, "City has no property \"mayor\""),
    (#""kind":"set","path":"founded.year","value":1"#, "City embeds nothing as \"founded\""),
    (#""kind":"set","path":"","value":1"#, "the path is empty"),
    (
      #""kind":"set","values":{"twin":{"class":"City","key":"Rom"}}"#,
      "twin: found \"Rom\", expected the key of a City that is there"
    ),
    (
      #""kind":"set","values":{"note":{"class":"Note","key":{"identity":"x:1:1"}}}"#,
      "\"x:1:1\" is no"
    ),
    (#""kind":"set","values":{"twin":"Rom"}"#, "twin: found \"Rom\", expected {\"class\":"),
    (#""kind":"increment","path":"area","by":1"#, "area"),
    (#""kind":"increment","path":"founded","by":1"#, "founded"),
    (#""kind":"insert","path":"rivers","value":"x","at":4"#, "rivers"),
    (#""kind":"insert","path":"rivers","value":5"#, "rivers: found 5, expected String"),
    (#""kind":"insert","path":"tags","value":"x""#, "tags: found a set, expected a list"),
    (#""kind":"insert","path":"area","value":"x""#, "area: found a property of one value"),
    (#""kind":"replace","path":"rivers","value":"x","at":-1"#, "rivers"),
    (#""kind":"remove","path":"rivers","at":3"#, "rivers"),
    (#""kind":"move","path":"rivers","at":0,"to":3"#, "rivers"),
    (#""kind":"add","path":"tags","value":1"#, "tags: found 1, expected String"),
    (#""kind":"put","path":"names","entry":"x","value":1"#, "names: found 1, expected String"),
  ])
  func `an edit that cannot be is named, and nothing of its batch is written`(
    edit: String, words: String
  ) throws {
    try stores.make()
    let before = try stores.lines()
    let editor = try stores.editor()
    defer { editor.close() }
    let good = #""kind":"increment","path":"inhabitants","by":1"#
    let error = #expect(throws: EditError.self) {
      try editor.write(edits(good, edit, good))
    }
    guard case .refused(index: 1, let detail)? = error else {
      Issue.record("\(error.map { "\($0)" } ?? "no error")")
      return
    }
    #expect(detail.contains(words), "\(detail)")
    #expect(error.map { "\($0)".hasPrefix("edit 2: ") } == true)
    #expect(try stores.lines() == before)
    #expect(!editor.canUndo)
    _ = try editor.write(edits(good))
    #expect(try stores.value("inhabitants") == "134001")
  }

  @Test func `classes, keys and counts that there are not are refused`() throws {
    try stores.make()
    let editor = try stores.editor()
    defer { editor.close() }
    for (edit, words) in [
      (StoreEdit("Town", key: "x", .delete), "no class \"Town\""),
      (StoreEdit("Place", key: "x", .delete), "no class \"Place\""),
      (StoreEdit("City", key: "x", .delete), "there is no City with the key \"x\""),
      (StoreEdit("City", .delete), "the key of the City is missing"),
      (StoreEdit("City", .create([])), "the key \"name\" is missing"),
      (StoreEdit("Note", key: "x", .create([])), "objects of Note have hidden keys"),
      (StoreEdit("Note", key: "x", .delete), "\"x\" is no"),
    ] {
      let error = #expect(throws: EditError.self) { try editor.write([edit]) }
      #expect(error.map { "\($0)".contains(words) } == true, "\(error.map { "\($0)" } ?? "")")
    }
    #expect(throws: EditError.wrongCount(0, limit: 10_000)) { try editor.write([]) }
    let many = Array(repeating: StoreEdit("City", key: "Bern", .delete), count: 10_001)
    #expect(throws: EditError.wrongCount(10_001, limit: 10_000)) { try editor.write(many) }
    #expect(throws: StorageError.self) { try StoreEditor(path: stores.path("none")) }
  }

  @Test func `edits and undos replicate as ordinary changesets`() throws {
    try stores.make()
    try stores.make("b", with: [])
    let editor = try stores.editor()
    _ = try editor.write(
      edits(
        #""kind":"increment","path":"inhabitants","by":1"#,
        #""kind":"move","path":"rivers","at":0,"to":2"#,
        #""kind":"remove","path":"places","at":1"#))
    _ = try editor.write([StoreEdit("City", key: "Bern", .delete)])
    _ = try editor.undo()
    editor.close()
    try stores.exchange(from: "a", to: "b")
    #expect(try stores.value("rivers", in: "b") == #"["Gürbe","Sense","Aare"]"#)
    #expect(try stores.lines("b") == stores.lines())
    let back = try stores.editor("b")
    _ = try back.write(edits(#""kind":"set","values":{"inhabitants":5}"#))
    back.close()
    try stores.exchange(from: "b", to: "a")
    #expect(try stores.value("inhabitants") == "5")
  }
}
