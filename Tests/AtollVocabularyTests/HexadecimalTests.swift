import AtollVocabulary
import Testing

@Suite struct HexadecimalTests {
  @Test func `bytes have two digits each, words sixteen`() {
    #expect(Hexadecimal.text(bytes: [0, 0x0F, 0xF0, 0xFF]) == "000ff0ff")
    #expect(Hexadecimal.text(0x1F) == "000000000000001f")
    #expect(Hexadecimal.text(bytes: []) == "")
  }

  @Test func `every byte is read back, in either case`() {
    let all = (0...255).map { UInt8($0) }
    #expect(Hexadecimal.bytes(Hexadecimal.text(bytes: all)) == all)
    #expect(Hexadecimal.bytes(Hexadecimal.text(bytes: all).uppercased()) == all)
  }

  @Test func `odd or other text is nothing`() {
    for text in ["0", "0g", "+1", " 0", "0x", "é"] {
      #expect(Hexadecimal.bytes(text) == nil, "\(text)")
    }
  }
}
