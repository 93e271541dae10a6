import AtollVocabulary
import Testing

@Suite struct ShownTextTests {
  @Test(
    arguments: [
      ("plain Grüße 日本 👩‍👩‍👧", "plain Grüße 日本 👩‍👩‍👧"),
      ("\u{1B}[2J", "\\u{1B}[2J"),
      ("a\nb\r\tc", "a\\nb\\r\\tc"),
      ("a\u{202E}b\u{2066}c\u{200F}", "a\\u{202E}b\\u{2066}c\\u{200F}"),
      ("\u{9B}1m\u{7F}\u{0}", "\\u{009B}1m\\u{7F}\\0"),
      ("a\u{2028}b\u{2029}c", "a\\u{2028}b\\u{2029}c"),
      ("\u{E0041}\u{FEFF}", "\\u{000E0041}\\u{FEFF}"),
    ])
  func `issue 28.18: what a terminal obeys is shown as an escape`(text: String, shown: String) {
    #expect(text.shownOnOneLine == shown)
    #expect(text.shownOnOneLine.shownOnOneLine == shown)
  }

  @Test func `lines and tabs are kept where there may be several lines`() {
    #expect("a\n\tb\u{1B}".shownOnLines == "a\n\tb\\u{1B}")
  }

  @Test func `issue 28.18: JSON means the same with escapes of its own`() {
    #expect(
      "{\"a\":\"x\u{202E}\u{E0041}\u{7F}\"}\n".shownAsJSON
        == "{\"a\":\"x\\u202e\\udb40\\udc41\\u007f\"}\n")
    #expect("{\"a\":\"ü\"}".shownAsJSON == "{\"a\":\"ü\"}")
  }
}
