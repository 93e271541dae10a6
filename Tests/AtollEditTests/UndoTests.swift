import AtollEdit
import AtollStorage
import AtollVocabulary
import Testing

/// Edits taken back, alone, in batches, and after somebody else has written.
@Suite struct UndoTests {
  private let stores = EditedStores()

  /// Writes as somebody else does.
  private func writeElsewhere(_ edits: [StoreEdit]) throws {
    let editor = try stores.editor()
    defer { editor.close() }
    _ = try editor.write(edits)
  }

  @Test func `transactions are taken back from the last to the first`() throws {
    try stores.make()
    let editor = try stores.editor()
    defer { editor.close() }
    var states = [try stores.lines()]
    for edit in [
      #""kind":"set","values":{"inhabitants":1,"place":{"latitude":1},"rivers":["x"],"tags":[]}"#,
      #""kind":"set","path":"place.latitude","value":2"#,
      #""kind":"insert","path":"rivers","value":"y","at":0"#,
      #""kind":"set","values":{"founded":5,"twin":{"class":"City","key":"Bern"}}"#,
      #""kind":"insert","path":"rivers","value":"z","at":1"#,
      #""kind":"remove","path":"rivers","at":0"#,
      #""kind":"replace","path":"places","at":0,"value":{"latitude":9,"words":["w"]}"#,
      #""kind":"set","values":{"names":{"x":"y"},"extra":{"map":{"date":1}}}"#,
    ] {
      _ = try editor.write(edits(edit))
      states.append(try stores.lines())
    }
    for state in states.reversed().dropFirst() {
      _ = try editor.undo()
      let (found, expected) = (try stores.lines(), state)
      // A cell that was never written is nil afterwards.
      #expect(
        found.map {
          $0.replacing(#""founded":null,"#, with: "").replacing(#""twin":null,"#, with: "")
        }
        .map { $0.replacing(#","twin":null"#, with: "") }
          == expected)
    }
    #expect(!editor.canUndo)
  }

  @Test func `a batch is taken back as a whole, in the order from its end`() throws {
    try stores.make()
    let before = try stores.lines()
    let editor = try stores.editor()
    defer { editor.close() }
    _ = try editor.write(
      edits(
        #""kind":"insert","path":"rivers","value":"x","at":1"#,
        #""kind":"replace","path":"rivers","value":"y","at":1"#,
        #""kind":"move","path":"rivers","at":1,"to":3"#,
        #""kind":"remove","path":"rivers","at":3"#,
        #""kind":"set","values":{"inhabitants":1}"#, #""kind":"set","values":{"inhabitants":2}"#,
        #""kind":"increment","path":"inhabitants","by":-9223372036854775808"#,
        #""kind":"put","path":"names","entry":"fr","value":"a""#,
        #""kind":"take","path":"names","entry":"fr""#,
        #""kind":"add","path":"tags","value":"high""#,
        #""kind":"drop","path":"tags","value":"nowhere""#))
    #expect(try stores.lines() != before)
    _ = try editor.undo()
    #expect(try stores.lines() == before)
  }

  @Test func `a deleted object comes back with all it held, and links to it stay nil`() throws {
    try stores.make(with: [
      EditedStores.bern,
      #"{"kind":"create","class":"City","key":"Basel","values":{"twin":{"class":"City","key":"Bern"}}}"#,
      #"{"kind":"set","class":"City","key":"Bern","values":{"twin":{"class":"City","key":"Bern"}}}"#,
    ])
    let before = try stores.lines()
    let editor = try stores.editor()
    defer { editor.close() }
    _ = try editor.write(edits(#""kind":"set","values":{"inhabitants":7}"#))
    _ = try editor.write(edits(#""kind":"delete""#))
    #expect(try stores.lines().count == 1)
    _ = try editor.undo()
    #expect(try stores.value("twin", "Basel") == "null")
    #expect(try stores.value("twin") == #"{"class":"City","key":"Bern"}"#)
    _ = try editor.undo()
    #expect(try stores.lines().last == before.last)
  }

  @Test func `objects without a primary key come back under other hidden keys, links included`()
    throws
  {
    try stores.make(with: [EditedStores.bern])
    let editor = try stores.editor()
    defer { editor.close() }
    _ = try editor.write([
      StoreEdit("Note", .create([.init(name: "text", value: .string("one"))]))
    ])
    func key() throws -> String {
      let line = try JSONValue(try #require(try stores.lines().last).utf8)
      guard case .string(let text)? = line["key"]?["identity"] else { return "" }
      return text
    }
    let first = try key()
    _ = try editor.write([StoreEdit("Note", key: first, .assign(path: "text", .string("two")))])
    _ = try editor.write(
      edits(#""kind":"set","values":{"note":{"class":"Note","key":{"identity":"\#(first)"}}}"#))
    _ = try editor.write(edits(#""kind":"set","values":{"note":null}"#))
    _ = try editor.write([StoreEdit("Note", key: first, .delete)])
    _ = try editor.undo()
    let second = try key()
    #expect(second != first && !second.isEmpty)
    _ = try editor.undo()
    #expect(try stores.value("note") == #"{"class":"Note","key":{"identity":"\#(second)"}}"#)
    _ = try editor.undo()
    #expect(try stores.value("note") == "null")
    _ = try editor.undo()
    #expect(try stores.lines().last?.contains(#""text":"one""#) == true)
    _ = try editor.undo()
    #expect(try stores.lines().count == 1)
    #expect(!editor.canUndo)
  }

  @Test(arguments: [
    (
      #""kind":"set","values":{"inhabitants":1}"#, #""kind":"set","values":{"inhabitants":2}"#,
      "inhabitants of City \"Bern\" is 2, expected 1"
    ),
    (
      #""kind":"set","path":"place.latitude","value":1"#, #""kind":"set","values":{"place":null}"#,
      "place.latitude of City \"Bern\" is null, expected 1.0"
    ),
    (
      #""kind":"insert","path":"rivers","value":"x""#,
      #""kind":"replace","path":"rivers","value":"y","at":3"#,
      #"rivers[3] of City "Bern" is "y", expected "x""#
    ),
    (
      #""kind":"insert","path":"rivers","value":"x""#, #""kind":"remove","path":"rivers","at":3"#,
      "an element of rivers of City \"Bern\" is not there any more"
    ),
    (
      #""kind":"replace","path":"rivers","value":"x","at":0"#,
      #""kind":"replace","path":"rivers","value":"y","at":0"#,
      #"rivers[0] of City "Bern" is "y", expected "x""#
    ),
    (
      #""kind":"put","path":"names","entry":"fr","value":"x""#,
      #""kind":"take","path":"names","entry":"fr""#,
      #"names["fr"] of City "Bern" is nothing, expected "x""#
    ),
    (
      #""kind":"take","path":"names","entry":"fr""#,
      #""kind":"put","path":"names","entry":"fr","value":null"#,
      #"names["fr"] of City "Bern" is null, expected nothing"#
    ),
    (
      #""kind":"set","values":{"inhabitants":1}"#, #""kind":"delete""#,
      "City \"Bern\" is not there any more"
    ),
    (
      #""kind":"delete""#, #""kind":"create","values":{}"#,
      "City \"Bern\" is alive, expected deleted"
    ),
  ])
  func `what somebody has changed since is not taken back, unless it is forced`(
    edit: String, foreign: String, words: String
  ) throws {
    try stores.make()
    let editor = try stores.editor()
    defer { editor.close() }
    _ = try editor.write(edits(#""kind":"set","values":{"area":1}"#, edit))
    try writeElsewhere(edits(foreign))
    let before = try stores.lines()
    let error = #expect(throws: EditError.self) { try editor.undo() }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains(words), "\(text)")
    #expect(text.hasPrefix("undoing edit 2: "), "\(text)")
    #expect(try stores.lines() == before)
    #expect(editor.canUndo)
    let outcome = try editor.undo(isForced: true)
    #expect(outcome.edits + outcome.skipped == 2)
    #expect(!editor.canUndo)
  }

  @Test func `a made object that somebody has changed is not deleted, unless it is forced`() throws
  {
    try stores.make(with: [])
    let editor = try stores.editor()
    defer { editor.close() }
    _ = try editor.write(edits(#""kind":"create","values":{"rivers":[]}"#))
    _ = try editor.write(edits(#""kind":"increment","path":"inhabitants","by":2"#))
    _ = try editor.undo()
    try writeElsewhere(edits(#""kind":"insert","path":"rivers","value":"x""#))
    let error = #expect(throws: EditError.self) { try editor.undo() }
    #expect(
      error.map { "\($0)".contains(#"rivers of City "Bern" is ["x"], expected nothing"#) } == true,
      "\(error.map { "\($0)" } ?? "")")
    _ = try editor.undo(isForced: true)
    #expect(try stores.lines() == [])
  }

  @Test func `an undo leaves alone what somebody has written beside it`() throws {
    try stores.make()
    let editor = try stores.editor()
    defer { editor.close() }
    _ = try editor.write(
      edits(
        #""kind":"insert","path":"rivers","value":"x","at":1"#,
        #""kind":"increment","path":"inhabitants","by":5"#))
    try writeElsewhere(
      edits(
        #""kind":"insert","path":"rivers","value":"y","at":0"#,
        #""kind":"increment","path":"inhabitants","by":100"#))
    _ = try editor.undo()
    #expect(try stores.value("rivers") == #"["y","Aare","Gürbe","Sense"]"#)
    #expect(try stores.value("inhabitants") == "134100")
  }

  @Test func `a hundred transactions can be taken back, and no more`() throws {
    try stores.make()
    let editor = try stores.editor()
    defer { editor.close() }
    for _ in 0..<StoreEditor.undoDepth + 3 {
      _ = try editor.write(edits(#""kind":"increment","path":"inhabitants","by":1"#))
    }
    var count = 0
    while editor.canUndo {
      _ = try editor.undo()
      count += 1
    }
    #expect(count == 100)
    #expect(try stores.value("inhabitants") == "134003")
  }

  @Test
  func
    `what would take too much memory to be taken back is written, and nothing before it is kept`()
    throws
  {
    try stores.make()
    let editor = try stores.editor()
    defer { editor.close() }
    let large = String(repeating: "x", count: StoreEditor.undoBytes / 5)
    let set = StoreEdit("City", key: "Bern", .assign(path: "extra", .string(large)))
    let unset = StoreEdit("City", key: "Bern", .assign(path: "extra", .null))
    _ = try editor.write(edits(#""kind":"increment","path":"inhabitants","by":1"#))
    for _ in 0..<4 { #expect(try editor.write([set]).canUndo) }
    #expect(try editor.write([unset]).canUndo)
    var count = 0
    while editor.canUndo {
      _ = try editor.undo()
      count += 1
    }
    #expect(count == 2)
    #expect(try !editor.write([set, unset, set, unset, set, unset]).canUndo)
    #expect(try stores.value("extra") == "null")
  }

  @Test func `a transaction that changes nothing is none to be taken back`() throws {
    try stores.make()
    let editor = try stores.editor()
    defer { editor.close() }
    let outcome = try editor.write(edits(#""kind":"drop","path":"tags","value":"nowhere""#))
    #expect(outcome == EditOutcome(edits: 1, commit: nil, canUndo: false))
  }
}
