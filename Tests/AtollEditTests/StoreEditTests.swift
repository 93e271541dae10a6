import AtollEdit
import Testing

/// Edits as JSON, and what is none.
@Suite struct StoreEditTests {
  private func read(_ text: String) throws -> [StoreEdit] {
    try StoreEdit.edits(in: text.utf8)
  }

  @Test func `each kind is read with what it needs`() throws {
    let head = #""class":"A","key":"k","path":"p""#
    let cases: [(String, StoreEdit.Action)] = [
      (#""kind":"set","values":{"x":1}"#, .set(path: "p", [.init(name: "x", value: .number("1"))])),
      (#""kind":"set","value":null"#, .assign(path: "p", .null)),
      (#""kind":"increment","by":-9223372036854775808"#, .increment(path: "p", by: .min)),
      (#""kind":"delete""#, .delete),
      (#""kind":"insert","value":"x""#, .insert(path: "p", .string("x"), at: nil)),
      (#""kind":"insert","value":"x","at":0"#, .insert(path: "p", .string("x"), at: 0)),
      (#""kind":"replace","value":"x","at":1"#, .replace(path: "p", .string("x"), at: 1)),
      (#""kind":"remove","at":2"#, .remove(path: "p", at: 2)),
      (#""kind":"move","at":2,"to":0"#, .move(path: "p", from: 2, to: 0)),
      (#""kind":"add","value":1.50"#, .add(path: "p", .number("1.50"))),
      (#""kind":"drop","value":1"#, .drop(path: "p", .number("1"))),
      (#""kind":"put","entry":"e","value":1"#, .put(path: "p", entry: "e", .number("1"))),
      (#""kind":"take","entry":"e""#, .take(path: "p", entry: "e")),
    ]
    for (text, action) in cases {
      #expect(
        try read("{\"edits\":[{\(head),\(text)}]}") == [StoreEdit("A", key: "k", action)], "\(text)"
      )
    }
    #expect(
      try read(#"{"edits":[{"kind":"create","class":"A","values":{}}]}"#)
        == [StoreEdit("A", .create([]))])
  }

  @Test(arguments: [
    ("", "reading the edits: at byte 1: expected a value"),
    ("[]", "reading the edits: found an array, expected {\"edits\":[…]}"),
    (#"{"edits":[1]}"#, "reading edit 1: found 1, expected an object"),
    (#"{"edits":[{"class":"A"}]}"#, "reading edit 1: kind: found nothing, expected a text"),
    (#"{"edits":[{"kind":"delete"}]}"#, "reading edit 1: class: found nothing, expected a text"),
    (
      #"{"edits":[{"kind":"delete","class":"A"},{"kind":"drop","class":"A","path":"p"}]}"#,
      "reading edit 2: value: found nothing, expected a value"
    ),
    (#"{"edits":[{"kind":"burn","class":"A"}]}"#, "kind: found \"burn\", expected create, set"),
    (#"{"edits":[{"kind":"delete","class":"A","x":1}]}"#, "found \"x\", expected nothing but at"),
    (#"{"edits":[{"kind":"delete","class":"A","class":"B"}]}"#, "found \"class\" twice"),
    (
      #"{"edits":[{"kind":"remove","class":"A","path":"p","at":1.5}]}"#,
      "at: found 1.5, expected a whole number of 64 bits"
    ),
  ])
  func `a text that is not that of edits is refused with the place`(
    text: String, message: String
  ) throws {
    let error = #expect(throws: EditError.self) { try read(text) }
    #expect(error.map { "\($0)".contains(message) } == true, "\(error.map { "\($0)" } ?? "")")
  }
}
