import AtollEdit
import Testing

@Suite struct JSONValueTests {
  @Test(arguments: [
    "null", "true", "-0.0", "9223372036854775808", "1e400", "\"\"", "[]", "{}",
    #"{"a":[1,{"b":null}],"a":"\u0001"}"#, #""a\"b\\c""#,
  ])
  func `a value is written as it was read`(text: String) throws {
    #expect(try JSONValue(text.utf8).text == text)
  }

  @Test func `escapes are read, with scalars in two halves`() throws {
    #expect(
      try JSONValue(#""\n\t\/\u00e9\ud83d\ude00""#.utf8) == .string("\n\t/\u{E9}\u{1F600}"))
  }

  @Test(arguments: [
    "", " ", "nul", "01", "1.", "-", "1e", "+1", "\"", "\"\\x\"", "\"\\ud800\"", "\"\u{1}\"",
    "[1,]",
    "[1 2]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "1 2", "[", "{", "\"\\u12\"", "NaN",
  ])
  func `what is no JSON is refused`(text: String) {
    #expect(throws: JSONProblem.self) { try JSONValue(text.utf8) }
  }

  @Test func `depth is bounded, and bytes that are no UTF-8 are refused`() {
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: JSONProblem.self) { try JSONValue(deep.utf8) }
    #expect(throws: JSONProblem.self) { try JSONValue([0x22, 0xFF, 0x22]) }
  }

  @Test func `each beginning of a value is refused and none traps`() {
    let whole = Array(#"{"a":[1.5e3,"x\u00e9",true,null]}"#.utf8)
    for end in whole.indices {
      #expect(throws: JSONProblem.self) { try JSONValue(whole[..<end]) }
    }
  }
}
